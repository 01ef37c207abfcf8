import type { OpenApi, Operation } from "./target-server.ts";
import { normalizeLine, type Tool } from "./tool.ts";

type Media = { examples?: Record<string, { value: unknown }>; example?: unknown };

/** Specmatic pairs the request and response examples that have the same name. */
const EXAMPLE_NAME = "real";

/**
 * Specmatic's contract tests. Its generative tests are disabled because they send random cursors
 * and report a server that rejects them.
 */
export const specmatic: Tool = {
  name: "Specmatic",
  configuration: "an example of each operation with real ids; unknown fields allowed",
  packages: { specmatic: "2.55.1" },
  async run({ baseUrl, document, token }, folder) {
    await folder.write("openapi.json", JSON.stringify(documentFor(document)));
    await folder.write("specmatic.yaml", configFor(token));
    const jar = "node_modules/specmatic/specmatic.jar";
    const { printed } = await folder.end("java", ["-jar", jar, "test", `--testBaseURL=${baseUrl}`]);
    if (!/Tests run: [2-9]|Tests run: \d{2}/.test(printed)) {
      throw new Error(`Specmatic did not run: ${printed.slice(0, 300)}`);
    }
    const failed = printed
      .split("\n")
      .filter((line) => /^Scenario: .* has FAILED/.test(line.trim()));
    return [...new Set(failed.map(normalizeLine))];
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

/** Removes webhooks from the document and leaves one example for each operation. */
function documentFor(document: OpenApi): OpenApi {
  const copy: OpenApi & { webhooks?: unknown } = structuredClone(document);
  delete copy.webhooks;
  for (const operations of Object.values(copy.paths)) {
    for (const operation of Object.values(operations)) keepOneExample(operation);
  }
  return copy;
}

function keepOneExample(operation: Operation & { responses?: Record<string, unknown> }): void {
  const { parameters = [], requestBody, responses = {} } = operation;
  for (const parameter of parameters as Media[]) setExample(parameter, parameter.example);
  for (const media of Object.values(requestBody?.content ?? {}) as Media[]) {
    setExample(media, media.example ?? {});
  }
  for (const [status, response] of Object.entries(responses)) {
    const { content = {} } = response as { content?: Record<string, Media> };
    for (const media of Object.values(content)) {
      const [first] = Object.values(media.examples ?? {});
      setExample(media, status === "200" ? first?.value : undefined);
    }
  }
}

function setExample(media: Media, value: unknown): void {
  delete media.example;
  delete media.examples;
  if (value !== undefined) media.examples = { [EXAMPLE_NAME]: { value } };
}
