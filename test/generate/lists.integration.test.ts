import { readFileSync } from "node:fs";
import { cp, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Document, operationsOf, parseDocument } from "../../scripts/generate/document.ts";
import { checkLists } from "../../scripts/generate/lists.ts";
import type { ScriptError } from "../../scripts/run-script.ts";
import { ROOT } from "../document.ts";
import { run } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

/** `generate` refuses a list operation whose shape differs from the other lists. */

const json = readFileSync(`${ROOT}generated/openapi.json`, "utf8");
const listIds = (document: Document) =>
  operationsOf(document)
    .map(({ operation }) => operation.operationId)
    .filter((id) => id.startsWith("list"));

/** The error lines for a changed document. */
function linesOf(change: (document: Json) => void, marked?: string[]): readonly string[] {
  const document = parseDocument(json);
  change(document);
  try {
    checkLists(document, new Set(marked ?? listIds(parseDocument(json))));
    return [];
  } catch (error) {
    return (error as ScriptError).lines;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests change any part of the document
type Json = any;

const cards = (document: Json) => document.paths["/cards"].get;
const cardPage = (document: Json) => document.components.schemas.CardPage;

test("the committed document has seven lists of the same shape", () => {
  expect(listIds(parseDocument(json))).toHaveLength(7);
  expect(linesOf(() => {})).toEqual([]);
});

const CARDS = "spec: GET /cards (listCards) is a list but";
const SPREAD = "spread CursorParameters, OffsetParameters or EitherStyleParameters";
const PAGE = "declare its page with 'is CursorPage', 'is OffsetPage' or 'is EitherStylePage'";

test.each<[what: string, change: (document: Json) => void, lines: string[]]>([
  [
    "no limit",
    (document) => cards(document).parameters.pop(),
    [`${CARDS} has no parameter 'limit': ${SPREAD}`],
  ],
  [
    "another limit",
    (document) => {
      document.components.parameters.LimitParameter.schema.maximum = 50;
      document.paths = { "/cards": document.paths["/cards"] };
    },
    [`${CARDS} its 'limit' is not an integer from 1 to 100: ${SPREAD}`],
  ],
  [
    "no style",
    (document) => cards(document).parameters.shift(),
    [`${CARDS} has neither 'cursor' nor 'offset': ${SPREAD}`],
  ],
  [
    "parameters of another style",
    (document) => {
      cards(document).parameters[0].$ref = "#/components/parameters/CursorParameter";
    },
    [
      `${CARDS} its page has another style than CursorParameters: ` +
        "declare its page with 'is CursorPage'",
    ],
  ],
  [
    "a bare array",
    (document) => {
      cards(document).responses[200].content["application/json"].schema = {
        type: "array",
        items: { $ref: "#/components/schemas/Card" },
      };
    },
    [`${CARDS} its 200 is not an object with a page: ${PAGE}`],
  ],
  [
    "no next link",
    (document) => {
      delete document.components.schemas.OffsetLinks.properties.next;
    },
    [`${CARDS} its page has no optional _links.next: ${PAGE}`],
  ],
  [
    "an optional self link",
    (document) => {
      document.components.schemas.OffsetLinks.required = ["first", "last"];
    },
    [`${CARDS} its page does not require _links.self: ${PAGE}`],
  ],
  [
    "two arrays",
    (document) => {
      const { properties } = cardPage(document).properties._embedded;
      properties.others = properties.cards;
    },
    [`${CARDS} its _embedded is not one required array: embed only the array of items`],
  ],
  [
    "no _embedded",
    (document) => {
      const page = cardPage(document);
      page.properties.cards = page.properties._embedded.properties.cards;
      delete page.properties._embedded;
    },
    [`${CARDS} its page does not require _embedded: ${PAGE}`],
  ],
  [
    "another name",
    (document) => {
      cards(document).operationId = "allCards";
    },
    [
      "spec: GET /cards (allCards) is a list but its operationId does not start with 'list': " +
        'set @operationId("list...")',
      "spec: GET /cards (allCards) is a list but has no @list: add @list to the operation",
    ],
  ],
])("a list with %s is refused", (_what, change, lines) => {
  expect(linesOf(change)).toEqual(lines);
});

test("a list without @list is refused", () => {
  const marked = listIds(parseDocument(json)).filter((id) => id !== "listCards");
  expect(linesOf(() => {}, marked)).toEqual([`${CARDS} has no @list: add @list to the operation`]);
});

test("a GET that returns an array of resources is a list by any name", () => {
  const lines = linesOf((document) => {
    const schema = { $ref: "#/components/schemas/Limits" };
    const items = { $ref: "#/components/schemas/Card" };
    document.components.schemas.Limits = {
      type: "object",
      properties: { limits: { type: "array", items } },
    };
    const responses = { 200: { content: { "application/json": { schema } } } };
    document.paths["/limits"] = { get: { operationId: "getLimits", responses } };
  });
  expect(lines).toContain(
    `spec: GET /limits (getLimits) is a list but has no parameter 'limit': ${SPREAD}`,
  );
  expect(lines.length).toBeGreaterThan(3);
});

test("generate refuses such an operation and writes nothing", async () => {
  const copy = tempDir();
  for (const part of ["spec", "conformance/exclusions.yaml"]) {
    await cp(join(ROOT, part), join(copy, part), { recursive: true });
  }
  await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
  const main = readFileSync(join(copy, "spec/main.tsp"), "utf8");
  const added = main.replace("\nusing Http;", '\nimport "./resources/limit.tsp";\n\nusing Http;');
  await writeFile(join(copy, "spec/main.tsp"), added);
  await writeFile(
    join(copy, "spec/resources/limit.tsp"),
    `import "./card.tsp";
using Http;
using OpenAPI;
namespace TransactionFeed;
/** Limits. */
model Limits {
  /** All of them. */
  limits: Card[];
}
@route("/limits")
@tag("Cards")
interface LimitOperations {
  /**
   * Lists the limits.
   * @returns The limits.
   */
  @summary("List limits") @operationId("listLimits") @get list(): Limits | Errors;
}
`,
  );
  const { status, stderr } = await run("scripts/generate/main.ts", ["--root", copy]);
  expect(status).toBe(1);
  const lines = stderr.trimEnd().split("\n");
  expect(lines[0]).toBe(
    "spec: GET /limits (listLimits) is a list but has no @list: add @list to the operation",
  );
  for (const line of lines) {
    expect(line).toMatch(/^spec: GET \/limits \(listLimits\) is a list but .+: .+$/);
  }
});
