import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Document } from "../../src/breaks/document.ts";
import { documentTypes } from "../../src/breaks/document-types.ts";
import { readDocument } from "../../src/breaks/reference.ts";
import { reasonOf } from "../../src/errors.ts";
import { startNode, TXFEED } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

const SECRET = "secret-7f3a";
const start = process.cwd();
const repository = tempDir();
const git = (...args: string[]) => execFileSync("git", args, { cwd: repository });

/** A document whose response has the schema. */
const documentOf = (schema: unknown, schemas: object = {}) => {
  const content = { "application/json": { schema } };
  const responses = { 200: { description: "OK", content } };
  return {
    ...{ openapi: "3.1.0", info: { title: "A document", version: "1" } },
    ...{ paths: { "/items": { get: { responses } } }, components: { schemas } },
  };
};
const POINTER = "/paths/~1items/get/responses/200/content/application~1json/schema";

const save = (file: string, content: unknown) => {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  writeFileSync(join(repository, file), text);
  return file;
};

beforeAll(() => {
  process.chdir(repository);
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.email", `${SECRET}@example.com`);
  git("config", "user.name", "A name");
  for (const folder of ["api", "api/parts"]) mkdirSync(join(repository, folder));
  save("outside.yaml", `A: {const: ${SECRET}}`);
  for (const file of ["api/notes.txt", "api/.hidden.yaml"]) save(file, `A: {const: ${SECRET}}`);
  save("api/broken.yaml", `A: [!${SECRET} {${SECRET}`);
  save("api/broken.json", SECRET);
  save("api/parts/out.yaml", "A: {$ref: ../../outside.yaml#/A}");
  const node = { properties: { next: { $ref: "#/Node" }, text: { $ref: "#/Text" } } };
  save("api/parts/node.yaml", { Node: node, Text: { type: "string" } });
  symlinkSync("../outside.yaml", join(repository, "api/link.yaml"));
  symlinkSync("..", join(repository, "api/up"));
  symlinkSync("parts/text.yaml", join(repository, "api/alias.yaml"));
  save("api/parts/text.yaml", "Text: {type: string}");
  save("api/git.json", documentOf({ $ref: "parts/text.yaml#/Text" }));
  save("api/git-link.json", documentOf({ $ref: "link.yaml#/A" }));
  save("api/git-up.json", documentOf({ $ref: "../outside.yaml#/A" }));
  save("api/git-tree.json", documentOf({ $ref: "untracked.yaml#/A" }));
  git("add", ".");
  git("commit", "--quiet", "--message=A commit");
  save("api/parts/text.yaml", "Text: {const: changed}");
  save("api/untracked.yaml", `A: {const: ${SECRET}}`);
  execFileSync("mkfifo", [join(repository, "api/pipe.yaml")]);
  truncateSync(join(repository, save("api/large.yaml", "")), 17 * 1024 * 1024);
});
afterAll(() => process.chdir(start));

/** The message of a refusal. It never quotes a file. */
async function refusalOf(reference: string): Promise<string> {
  const outcome = await readDocument(reference).catch(reasonOf);
  expect(JSON.stringify(outcome)).not.toContain(SECRET);
  return String(outcome);
}

const OUTSIDE = "it is hidden, or not below the document's folder";

test.each([
  ["/etc/passwd", OUTSIDE],
  ["file:///etc/passwd", OUTSIDE],
  ["/proc/self/environ", OUTSIDE],
  ["../outside.yaml#/A", OUTSIDE],
  ["%2e%2e/outside.yaml#/A", OUTSIDE],
  ["up/outside.yaml#/A", OUTSIDE],
  ["link.yaml#/A", OUTSIDE],
  [".hidden.yaml#/A", OUTSIDE],
  ["http://127.0.0.1:9/a.yaml", "only files are read"],
  ["notes.txt#/A", "only .json, .yaml and .yml are read"],
  ["absent.yaml", "there is no such file"],
  ["parts/text.yaml#/Absent", "it does not lead to an object"],
  ["broken.json", "it is not valid JSON"],
  ["broken.yaml", "it is not valid YAML"],
  ["pipe.yaml", "it is not a regular file"],
  ["large.yaml", "it is larger than 16 MiB"],
])("the reference %s is refused", async ($ref, reason) => {
  const document = save("api/case.json", documentOf({ $ref }));
  expect(await refusalOf(document)).toBe(
    `api/case.json can't be read: the reference "${$ref}" at ${POINTER}/$ref is refused: ${reason}`,
  );
});

test.each([
  [
    "a reference in a referenced file",
    () => save("api/case.json", documentOf({ $ref: "parts/out.yaml#/A" })),
    `"../../outside.yaml#/A" at parts/out.yaml#/A/$ref is refused: ${OUTSIDE}`,
  ],
  [
    "git's own files",
    () => save("case.json", documentOf({ $ref: ".git/config" })),
    `".git/config" at ${POINTER}/$ref is refused: ${OUTSIDE}`,
  ],
  [
    "a reference with other members",
    () => save("api/case.json", documentOf({ $ref: "../outside.yaml#/A", description: "A" })),
    `"../outside.yaml#/A" at ${POINTER}/$ref is refused: ${OUTSIDE}`,
  ],
  ["a link in a revision", () => "HEAD:api/git-link.json", "is refused: it is not a regular file"],
  ["a file outside in a revision", () => "HEAD:api/git-up.json", `is refused: ${OUTSIDE}`],
  ["a file that is not in the revision", () => "HEAD:api/git-tree.json", "git can't show"],
  ["a document that is a link in a revision", () => "main:api/link.yaml", "not a regular file"],
])("%s is refused", async (_title, reference, reason) => {
  expect(await refusalOf(reference())).toContain(reason);
});

const doubled = Object.fromEntries(
  Array.from({ length: 40 }, (_, at) => {
    const next = { $ref: `#/components/schemas/Level${at + 1}` };
    return [`Level${at}`, { properties: { left: next, right: next } }];
  }),
);
const aliases = Array.from({ length: 40 }, (_, at) => `l${at + 1}: &l${at + 1} [*l${at}, *l${at}]`);
const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const part = (file: string) => ({ $ref: `${file}#/A` });

test.each<[string, () => unknown, string]>([
  [
    "references that double 40 times",
    () => documentOf({ $ref: "#/components/schemas/Level0" }, { ...doubled, Level40: {} }),
    "it has more than 500000 values",
  ],
  ["many values", () => documentOf({ enum: Array(500_001).fill(0) }), "more than 500000 values"],
  ["deep nesting", () => nested(100_000), "it has more than 200 levels"],
  ["a large document", () => " ".repeat(17 * 1024 * 1024), "it is larger than 16 MiB"],
  [
    "many large files",
    () => {
      const files = Array.from({ length: 5 }, (_, at) => `api/large-${at}.json`);
      const text = JSON.stringify({ A: { description: "x".repeat(15 * 1024 * 1024) } });
      for (const file of files) save(file, text);
      return documentOf({ allOf: files.map((file) => part(file.replace("api/", ""))) });
    },
    "all files together are larger than 64 MiB",
  ],
])("%s exceed a limit", async (_title, content, limit) => {
  expect(await refusalOf(save("api/case.json", content()))).toContain(limit);
});

test("YAML aliases that double 40 times exceed a limit", async () => {
  const document = JSON.stringify(documentOf({})).slice(0, -1);
  const levels = ["l0: &l0 [1, 1]", ...aliases].join(", ");
  const file = save("api/case.yaml", `${document}, "x-levels": {${levels}}}`);
  expect(await refusalOf(file)).toContain("its aliases expand to more than 100 copies");
});

const breaks = (...args: string[]) =>
  startNode([TXFEED, "breaks", ...args], { cwd: repository, input: "" }).ended;

test.each(["/dev/zero", "api/pipe.yaml", "api"])("%s as a document is refused", async (file) => {
  expect(await breaks(file, "api/git.json")).toEqual({
    status: 2,
    stdout: "",
    stderr: `txfeed: ${file} can't be read: it is not a regular file\n`,
  });
});

test("a $ref in data is data, and no other member reads a file", async () => {
  save("notes.yaml", `A: {const: ${SECRET}}`);
  const data = { $ref: ".git/config", externalValue: "notes.yaml" };
  const old = save("old.json", documentOf({ properties: { value: { type: "string" } } }));
  const schema = {
    properties: { value: { const: data }, other: { enum: [data], default: data } },
    oneOf: [{ $ref: "#/components/schemas/A" }],
    discriminator: { propertyName: "other", mapping: { a: "./notes.yaml#/A" } },
    example: data,
  };
  const now = save("new.json", documentOf(schema, { A: { type: "object", example: data } }));
  const { status, stdout, stderr } = await breaks(old, now, "--json");
  expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
  expect(stdout).toContain('{"$ref":".git/config"');
  expect(stdout).not.toContain(SECRET);
  expect(stdout).not.toContain("repositoryformatversion");
});

test("a property named externalValue keeps its type", async () => {
  const schema = { type: "object", properties: { externalValue: { type: "string" } } };
  const types = await documentTypes(documentOf(schema) as unknown as Document);
  expect(types).toContain("externalValue?: string;");
});

test.each([
  ["in the folder", () => "parts/text.yaml#/Text"],
  ["by a link in the folder", () => "alias.yaml#/Text"],
  ["by an absolute path", () => join(repository, "api/parts/text.yaml#/Text")],
  ["by a URL", () => `${pathToFileURL(join(repository, "api/parts/text.yaml")).href}#/Text`],
])("a file %s is read", async (_title, $ref) => {
  const document = await readDocument(save("api/case.json", documentOf({ $ref: $ref() })));
  expect(document).toEqual(documentOf({ const: "changed" }));
});

test("a reference with other members reads its file", async () => {
  const schema = { $ref: "parts/text.yaml#/Text", description: "A text" };
  const document = await readDocument(save("api/case.json", documentOf(schema)));
  expect(document).toEqual(documentOf({ const: "changed", description: "A text" }));
});

test("a recursive schema of a file refers to its place in the document", async () => {
  const schema = { properties: { const: { $ref: "parts/node.yaml#/Node" } } };
  const document = await readDocument(save("api/case.json", documentOf(schema)));
  const next = { $ref: `#${POINTER}/properties/const` };
  expect(document).toEqual(
    documentOf({ properties: { const: { properties: { next, text: { type: "string" } } } } }),
  );
});

test("a revision reads its own files, not those of the working tree", async () => {
  expect(await readDocument("HEAD:api/git.json")).toEqual(documentOf({ type: "string" }));
});
