import { writeFile } from "node:fs/promises";
import type { OpenApi, Operation } from "./subject.ts";
import { plain, run, type Tool } from "./tool.ts";

type Shown = { examples?: Record<string, { value: unknown }>; example?: unknown };

/** Specmatic runs an operation with what stands under one name in its request and its answer. */
const NAME = "real";

/**
 * Specmatic's contract tests. Its generative ones are left out: they send cursors made up of
 * nothing, and hold it against a server that refuses them.
 */
export const specmatic: Tool = {
  name: "Specmatic",
  setUp: "an example of each operation with real ids and credentials; unknown fields allowed",
  packages: ["specmatic@2.55.1"],
  async look({ baseUrl, document, token }, folder, bin) {
    await writeFile(`${folder}/openapi.json`, JSON.stringify(suited(document)));
    await writeFile(`${folder}/specmatic.yaml`, configFor(token));
    const jar = `${bin}/../specmatic/specmatic.jar`;
    const words = ["-jar", jar, "test", `--testBaseURL=${baseUrl}`];
    const said = await run("java", words, { cwd: folder });
    if (!/Tests run: [2-9]|Tests run: \d{2}/.test(said)) {
      throw new Error(`Specmatic did not look: ${said.slice(0, 300)}`);
    }
    const failed = said.split("\n").filter((line) => /^Scenario: .* has FAILED/.test(line.trim()));
    return [...new Set(failed.map(plain))];
  },
};

function configFor(token: string): string {
  return JSON.stringify({
    version: 2,
    contracts: [{ filesystem: { directory: "." }, provides: ["openapi.json"] }],
    security: {
      OpenAPI: {
        securitySchemes: {
          AccessTokenHeader: { type: "bearer", token },
          ApiCredentials: { type: "oauth2", token },
        },
      },
    },
    test: { resiliencyTests: { enable: "none" }, allowExtensibleSchema: true },
  });
}

/** The document as Specmatic reads it: with an example of each operation, and no webhooks. */
function suited(document: OpenApi): OpenApi {
  const suited: OpenApi & { webhooks?: unknown } = structuredClone(document);
  delete suited.webhooks;
  for (const operations of Object.values(suited.paths)) {
    for (const operation of Object.values(operations)) withOneExample(operation);
  }
  return suited;
}

function withOneExample(operation: Operation & { responses?: Record<string, unknown> }): void {
  const { parameters = [], requestBody, responses = {} } = operation;
  for (const parameter of parameters as Shown[]) name(parameter, parameter.example);
  for (const media of Object.values(requestBody?.content ?? {}) as Shown[]) {
    name(media, media.example ?? {});
  }
  for (const [status, response] of Object.entries(responses)) {
    const { content = {} } = response as { content?: Record<string, Shown> };
    for (const media of Object.values(content)) {
      const [first] = Object.values(media.examples ?? {});
      name(media, status === "200" ? first?.value : undefined);
    }
  }
}

function name(shown: Shown, value: unknown): void {
  delete shown.example;
  delete shown.examples;
  if (value !== undefined) shown.examples = { [NAME]: { value } };
}
