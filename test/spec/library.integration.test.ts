import { mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type CompilerHost, compile, NodeHost } from "@typespec/compiler";
import { beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import type { Document } from "../document.ts";
import { ROOT } from "../document.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Tests the emitter on small contracts, because other projects can use it as a library. */
const dir = tempDir();

beforeAll(async () => {
  await symlink(join(ROOT, "node_modules"), join(dir, "node_modules"));
});

const HEAD = `
import "@typespec/http";
import "@typespec/openapi";
import "typespec-webhooks";
using Http;
using Webhooks;
@service(#{ title: "Small" })
namespace Small;
`;

/**
 * Compiles a contract. `examples` maps paths below the examples folder to texts; `catalogue` is the
 * text of a requirements file.
 */
async function emit(source: string, examples: Record<string, string> = {}, catalogue?: string) {
  const home = await mkdtemp(join(dir, "contract-"));
  await writeFile(join(home, "main.tsp"), HEAD + source);
  const examplesDir = join(home, "examples");
  for (const [path, text] of Object.entries({ ".keep": "", ...examples })) {
    await mkdir(join(examplesDir, path, ".."), { recursive: true });
    await writeFile(join(examplesDir, path), text);
  }
  const options: Record<string, string> = {
    "emitter-output-dir": home,
    "examples-dir": examplesDir,
  };
  if (catalogue !== undefined) {
    options["requirements-file"] = join(home, "requirements.yaml");
    await writeFile(options["requirements-file"], catalogue);
  }
  const written = new Map<string, string>();
  const host: CompilerHost = {
    ...NodeHost,
    mkdirp: async () => undefined,
    writeFile: async (path, content) => void written.set(path.replace(/.*\//, ""), content),
  };
  const program = await compile(host, join(home, "main.tsp"), {
    emit: ["typespec-webhooks"],
    options: { "typespec-webhooks": options },
  });
  const codes = program.diagnostics.map(({ code }) => code);
  const messages = program.diagnostics.map(({ message }) => message.replaceAll(home, ""));
  const json = written.get("openapi.json");
  return { codes, messages, written, document: json ? (JSON.parse(json) as Document) : undefined };
}

const PING = `
@webhook("ping.sent") op ping(@header("event-type") type: "ping.sent", @body ping: Ping): void;
/** A ping. */ model Ping { at: string; }
`;

test("@webhook moves an operation from paths to webhooks", async () => {
  const { document, codes } = await emit(`${PING} @route("/pings") op list(): Ping[];`);
  expect(codes).toEqual([]);
  expect(Object.keys(document?.paths ?? {})).toEqual(["/pings"]);
  expect(document?.webhooks["ping.sent"]?.post).toMatchObject({
    operationId: "ping.sent",
    security: [],
    requestBody: {
      content: { "application/json": { schema: { $ref: "#/components/schemas/Ping" } } },
    },
  });
});

test("the document is OpenAPI 3.1 with the default schema dialect", async () => {
  const { document, written } = await emit(PING);
  expect(document?.openapi).toBe("3.1.0");
  // Swagger UI warns about any other dialect.
  expect(document).not.toHaveProperty("jsonSchemaDialect");
  expect([...written.keys()].sort()).toEqual(["openapi.json", "openapi.yaml"]);
});

test("two webhooks with the same name are refused", async () => {
  const { codes, written } = await emit(`${PING}
    @webhook("ping.sent") op again(@body ping: Ping): void;`);
  expect(codes).toContain("@typespec/http/duplicate-operation");
  expect(written.size).toBe(0);
});

test.each(["get", "put", "patch", "delete", "head"])(
  "@%s before or after @webhook is refused",
  async (verb) => {
    for (const decorators of [`@${verb} @webhook("p")`, `@webhook("p") @${verb}`]) {
      const { codes, written } = await emit(`${decorators} op p(@header at: string): void;`);
      expect(codes).toEqual(["typespec-webhooks/webhook-verb"]);
      expect(written.size).toBe(0);
    }
  },
);

test("@post on a webhook changes nothing", async () => {
  for (const decorators of ['@post @webhook("p")', '@webhook("p") @post']) {
    const { codes, document } = await emit(`${decorators} op p(@body at: string): void;`);
    expect(codes).toEqual([]);
    expect(Object.keys(document?.webhooks["p"] ?? {})).toEqual(["post"]);
  }
});

test("requirements-file lists the ids of a catalogue at the root, in order", async () => {
  const catalogue = "requirements:\n  - {id: B-2, text: b}\n  - {id: A-1}\n";
  const { document, codes } = await emit(PING, {}, catalogue);
  expect(codes).toEqual([]);
  expect((document as object as Record<string, unknown>)["x-requirements"]).toEqual(["B-2", "A-1"]);
  expect((await emit(PING)).document).not.toHaveProperty("x-requirements");
});

test.each(["", "requirements: none", "requirements: {"])(
  "a requirements-file that is not a catalogue is refused: %s",
  async (catalogue) => {
    const { codes, messages, written } = await emit(PING, {}, catalogue);
    expect(codes).toEqual(["typespec-webhooks/requirements-unreadable"]);
    expect(messages[0]).toMatch(/^\/requirements.yaml: [^\n]+$/);
    expect(written.size).toBe(0);
  },
);

test("a contract without a service is refused", async () => {
  const home = await mkdtemp(join(dir, "contract-"));
  await writeFile(join(home, "main.tsp"), "model A {}");
  const program = await compile(NodeHost, join(home, "main.tsp"), {
    emit: ["typespec-webhooks"],
    options: { "typespec-webhooks": { "emitter-output-dir": home } },
  });
  expect(program.diagnostics.map(({ code }) => code)).toContain("typespec-webhooks/one-service");
});

const TYPES = `
@format("uuid") scalar Id extends string;
union Colour { string, red: "red", green: "green" }
model Thing {
  @requirement("A-1", "A-2") plain: string | null;
  id: Id | null;
  other: Other | null;
  colour: Colour;
  maybe: Colour | null;
  inline: "a" | string;
  closed: "a" | "b";
  open: Record<unknown>;
}
model Other { x: string; }
@route("/things") op get(): Thing;
`;

test("nullable types become type lists, and named scalars keep constraints", async () => {
  const { document } = await emit(TYPES);
  const { plain, id, other } = document?.components.schemas.Thing?.properties ?? {};
  expect(plain).toEqual({ type: ["string", "null"], "x-requirements": ["A-1", "A-2"] });
  expect(id).toEqual({ type: ["string", "null"], format: "uuid" });
  expect(other?.anyOf).toEqual([{ $ref: "#/components/schemas/Other" }, { type: "null" }]);
});

test("open sets become x-extensible-enum, closed sets remain enums", async () => {
  const { document } = await emit(TYPES);
  const { Colour, Thing } = document?.components.schemas ?? {};
  const { maybe, inline, closed } = Thing?.properties ?? {};
  const shown = ["red", "green"];
  expect(Colour).toEqual({ type: "string", "x-extensible-enum": shown });
  expect(maybe).toEqual({ type: ["string", "null"], "x-extensible-enum": shown });
  expect(inline).toEqual({ type: "string", "x-extensible-enum": ["a"] });
  expect(closed).toEqual({ type: "string", enum: ["a", "b"] });
});

test("unused schemas are removed", async () => {
  const { document } = await emit(TYPES);
  expect(Object.keys(document?.components.schemas ?? {}).sort()).toEqual([
    "Colour",
    "Other",
    "Thing",
  ]);
});

test("Record<unknown> is an object with additional properties", async () => {
  const { document } = await emit(TYPES);
  const { open } = document?.components.schemas.Thing?.properties ?? {};
  expect(open).toEqual({ type: "object", additionalProperties: true });
});

const LINKED = `
model Link { href: string; }
model Order {
  @leadsTo("/orders/{id}") self: Link;
  /** Its lines. */ @requirement("A-1") @leadsTo("/lines/{id}") lines: Link[];
}
@route("/orders/{id}") @get op order(@path id: string): Order;
`;
const LINE = '@route("/lines/{id}") @get op line(@path id: string): Order;';

test("a link target is next to the $ref or on the array of links", async () => {
  const { document, codes } = await emit(LINKED + LINE);
  expect(codes).toEqual([]);
  const $ref = "#/components/schemas/Link";
  expect(document?.components.schemas.Order?.properties).toEqual({
    self: { $ref, "x-leads-to": "/orders/{id}" },
    lines: {
      type: "array",
      items: { $ref },
      description: "Its lines.",
      "x-requirements": ["A-1"],
      "x-leads-to": "/lines/{id}",
    },
  });
});

test.each([
  ["has no operation", ""],
  ["has no GET", LINE.replace("@get", "@put")],
  ["has other parameters", LINE.replaceAll("id", "lineId")],
])("a link to a path that %s is refused once, however often it is spread", async (_why, line) => {
  const { messages, written } = await emit(`${LINKED}${line}
    model Again { ...Order; }
    @route("/again") @get op again(): Again;`);
  expect(messages).toEqual(["No GET operation has the path /lines/{id}."]);
  expect(written.size).toBe(0);
});

const EXAMPLE = JSON.stringify({ summary: "One", value: { at: "noon" } });

test("a property may have the name of a keyword", async () => {
  const { document, codes } = await emit(`
    model Rule { anyOf: string; \`$ref\`: string; unevaluatedProperties: {}; properties: Inner; }
    model Inner { x: string | null; }
    @route("/rules") op get(): Rule;
  `);
  expect(codes).toEqual([]);
  const { Rule, Inner } = document?.components.schemas ?? {};
  expect(Object.keys(Rule?.properties ?? {})).toEqual([
    ...["anyOf", "$ref", "unevaluatedProperties", "properties"],
  ]);
  expect(Inner?.properties?.x).toEqual({ type: ["string", "null"] });
});

test("a file among the example folders is refused by name", async () => {
  const { messages, written } = await emit(PING, { "notes.txt": "mine" });
  expect(messages).toEqual([expect.stringContaining("/examples/notes.txt: not a folder")]);
  expect(written.size).toBe(0);
});

test("examples are added to the body of their webhook in name order", async () => {
  const { document } = await emit(PING, {
    "ping.sent/b.json": EXAMPLE,
    "ping.sent/a.json": EXAMPLE,
  });
  const media = document?.webhooks["ping.sent"]?.post?.requestBody?.content["application/json"];
  expect(Object.keys(media?.examples ?? {})).toEqual(["a", "b"]);
  expect(media?.examples?.a).toEqual(JSON.parse(EXAMPLE));
});

const ORDER =
  '@route("/orders/{id}") @get @operationId("getOrder") op get(@path id: string): Order;';
const orderAt = (href: string) =>
  JSON.stringify({ value: { id: "o-1", _links: { self: { href } } } });

test.each([
  ["/orders/o-1", "o-1"],
  ["/orders/o-1/lines", undefined],
  ["/lines/o-1", undefined],
])("a path parameter has the value that the first example's self link %s has", async (href, id) => {
  const { document, codes } = await emit(
    `using TypeSpec.OpenAPI; model Order { id: string; } ${ORDER}`,
    {
      "getOrder/a.json": orderAt(href),
      "getOrder/b.json": orderAt("/orders/o-2"),
    },
  );
  expect(codes).toEqual([]);
  expect(document?.paths["/orders/{id}"]?.get?.parameters?.[0]?.example).toBe(id);
});

test("strings that YAML 1.1 reads as timestamps or booleans are quoted", async () => {
  const value = { at: "2025-03-04T12:30:16.120Z", day: "2025-03-04", no: "no" };
  const { written } = await emit(PING, { "ping.sent/a.json": JSON.stringify({ value }) });
  const yaml = written.get("openapi.yaml") ?? "";
  for (const text of Object.values(value)) expect(yaml).toContain(`: "${text}"\n`);
  expect(parse(yaml, { version: "1.1" }).webhooks["ping.sent"].post.requestBody.content).toEqual(
    parse(yaml).webhooks["ping.sent"].post.requestBody.content,
  );
});

test("an enum of integers is an integer, an enum with a fraction a number", async () => {
  const { document } = await emit('model T { whole: 300; part: 0.5; } @route("/t") op get(): T;');
  const { whole, part } = document?.components.schemas.T?.properties ?? {};
  expect(whole).toEqual({ type: "integer", enum: [300] });
  expect(part).toEqual({ type: "number", enum: [0.5] });
});

test("examples without an operation or webhook are refused by folder name", async () => {
  const { messages, written } = await emit(PING, { "pong.sent/a.json": EXAMPLE });
  expect(messages).toEqual(["pong.sent: no operation or webhook with a JSON body has this name."]);
  expect(written.size).toBe(0);
});

test.each([
  ["{", "Expected property name"],
  ["{}", "an example needs a member `value`"],
])("an example that is %j is refused by file name", async (text, reason) => {
  const { messages, written } = await emit(PING, { "ping.sent/a.json": text });
  expect(messages).toEqual([expect.stringContaining("/examples/ping.sent/a.json: ")]);
  expect(messages[0]).toContain(reason);
  expect(written.size).toBe(0);
});
