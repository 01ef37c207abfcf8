import { type OpenApi, type Target, tokenForm } from "./target-server.ts";
import { normalizeLine, type Tool } from "./tool.ts";

/** Dredd reads OpenAPI 3.0 and compares the names and types of a response with an example. */
export const dredd: Tool = {
  name: "Dredd",
  configuration: "the document as OpenAPI 3.0, one example each; real ids, a hook for credentials",
  packages: { dredd: "14.1.0" },
  async run(target, folder) {
    await folder.write("openapi.json", JSON.stringify(documentFor(target.document)));
    await folder.write("hooks.cjs", hooksFor(target));
    const header = `Authorization: Bearer ${target.token}`;
    const args = ["openapi.json", target.baseUrl, "--header", header, "--hookfiles", "hooks.cjs"];
    const dredd = "node_modules/.bin/dredd";
    const { printed } = await folder.end(dredd, [...args, "--loglevel=error"]);
    if (!/^complete: /m.test(printed)) throw new Error(`Dredd did not run: ${printed.slice(-300)}`);
    // Dredd prints each failure twice: a summary, and the details at the end.
    const lines = printed.split("\n");
    const failures = lines.flatMap((line, index) => {
      const [, detail] = /^fail: ((?:body|headers|statusCode).*)/.exec(line) ?? [];
      return detail === undefined ? [] : [`${lines[index - 1]} | ${detail}`];
    });
    return [...new Set(failures.map((line) => normalizeLine(line.replace(/\/\d+\//g, "/n/"))))];
  },
};

function hooksFor({ credentials }: Target): string {
  const body = new URLSearchParams(tokenForm(credentials)).toString();
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

interface WithResponses {
  responses: Node;
}

/**
 * Converts the document to OpenAPI 3.0 with success responses only. Each response keeps one
 * example; a list keeps its last page.
 */
function documentFor(document: OpenApi): OpenApi {
  const converted = structuredClone(document) as OpenApi & Node;
  converted.openapi = "3.0.3";
  delete converted["webhooks"];
  toNullable(converted);
  for (const operations of Object.values(converted.paths)) {
    for (const operation of Object.values(operations) as unknown as WithResponses[]) {
      const { 200: success } = operation.responses;
      operation.responses = { 200: success };
      const { content = {} } = success as { content?: Record<string, Node> };
      for (const media of Object.values(content)) keepLastPage(media);
    }
  }
  return converted;
}

function keepLastPage(media: Node): void {
  const examples = Object.values((media["examples"] ?? {}) as Record<string, { value: Node }>);
  const last = examples.find(({ value }) => !(value["_links"] as Node | undefined)?.["next"]);
  const example = last ?? examples[0];
  delete media["examples"];
  if (example) media["example"] = example.value;
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
