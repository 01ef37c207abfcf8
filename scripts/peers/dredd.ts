import { writeFile } from "node:fs/promises";
import { stripVTControlCharacters } from "node:util";
import type { OpenApi, Subject } from "./subject.ts";
import { plain, run, type Tool } from "./tool.ts";

/** Dredd reads OpenAPI 3.0 and compares answers with an example: with its names and types. */
export const dredd: Tool = {
  name: "Dredd",
  setUp: "the document as OpenAPI 3.0, one example each; real ids, and a hook for credentials",
  packages: ["dredd@14.1.0"],
  async look(subject, folder, bin) {
    await writeFile(`${folder}/openapi.json`, JSON.stringify(suited(subject.document)));
    await writeFile(`${folder}/hooks.js`, hooksFor(subject));
    const header = `Authorization: Bearer ${subject.token}`;
    const words = ["openapi.json", subject.baseUrl, "--header", header, "--hookfiles", "hooks.js"];
    const said = stripVTControlCharacters(
      await run(`${bin}/dredd`, [...words, "--loglevel=error"], { cwd: folder }),
    );
    if (!/^complete: /m.test(said)) throw new Error(`Dredd did not look: ${said.slice(-300)}`);
    // Each failure is told twice: in short, and at the end with what it is.
    const lines = said.split("\n");
    const failures = lines.flatMap((line, at) => {
      const [, what] = /^fail: ((?:body|headers|statusCode).*)/.exec(line) ?? [];
      return what === undefined ? [] : [`${lines[at - 1]} | ${what}`];
    });
    return [...new Set(failures.map((line) => plain(line.replace(/\/\d+\//g, "/n/"))))];
  },
};

function hooksFor({ credentials: { clientId, clientSecret } }: Subject): string {
  const form = { client_id: clientId, client_secret: clientSecret };
  const body = new URLSearchParams({ ...form, grant_type: "client_credentials" }).toString();
  return `
const hooks = require("hooks");
hooks.beforeEach((transaction) => {
  if (!transaction.fullPath.includes("/auth/realms/")) return;
  transaction.request.headers["Content-Type"] = "application/x-www-form-urlencoded";
  transaction.request.body = ${JSON.stringify(body)};
});
`;
}

type Node = Record<string, unknown>;

interface Shown {
  responses: Node;
}

/** OpenAPI 3.0 with the answers of success alone, each with one example: a last page, of pages. */
function suited(document: OpenApi): OpenApi {
  const suited = structuredClone(document) as OpenApi & Node;
  suited.openapi = "3.0.3";
  delete suited["webhooks"];
  toNullable(suited);
  for (const operations of Object.values(suited.paths)) {
    for (const operation of Object.values(operations) as unknown as Shown[]) {
      const { 200: success } = operation.responses;
      operation.responses = { 200: success };
      const { content = {} } = success as { content?: Record<string, Node> };
      for (const media of Object.values(content)) keepLastPage(media);
    }
  }
  return suited;
}

function keepLastPage(media: Node): void {
  const examples = Object.values((media["examples"] ?? {}) as Record<string, { value: Node }>);
  const last = examples.find(({ value }) => !(value["_links"] as Node | undefined)?.["next"]);
  const shown = last ?? examples[0];
  delete media["examples"];
  if (shown) media["example"] = shown.value;
}

function toNullable(node: unknown): void {
  if (typeof node !== "object" || node === null) return;
  const schema = node as Node;
  const { type } = schema;
  if (Array.isArray(type)) {
    const [first] = type.filter((name) => name !== "null");
    schema["type"] = first;
    schema["nullable"] = type.includes("null");
  }
  for (const child of Object.values(schema)) toNullable(child);
}
