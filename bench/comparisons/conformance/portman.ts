import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Target, tokenForm } from "./target-server.ts";
import { normalizeLine, type Tool } from "./tool.ts";

/** Every contract test of Portman, and one variation: an invalid token. */
const TESTS = {
  contractTests: [
    {
      openApiOperation: "*::/*",
      ...{ statusSuccess: { enabled: true }, contentType: { enabled: true } },
      ...{ jsonBody: { enabled: true }, schemaValidation: { enabled: true } },
      headersPresent: { enabled: true },
    },
  ],
  variationTests: [
    {
      openApiOperation: "*::/*",
      excludeForOperations: ["requestToken"],
      variations: [
        {
          name: "Unauthorized",
          overwrites: [{ overwriteRequestSecurity: { bearer: { token: "no-token" } } }],
          tests: { contractTests: [{ statusCode: { enabled: true, code: 401 } }] },
        },
      ],
    },
  ],
};

/** Portman converts the document to a Postman collection, which Newman runs. */
export const portman: Tool = {
  name: "Portman with Newman",
  configuration: "all its contract tests, an invalid token for each operation, real ids",
  // Portman requires tslib without declaring it.
  packages: { "@apideck/portman": "1.33.0", newman: "6.2.1", tslib: "2.8.1" },
  async run(target, folder) {
    // Portman's validator rejects schemas with an unknown format.
    const document = JSON.stringify(target.document).replaceAll('"format":"date-time-local",', "");
    await folder.write("openapi.json", document);
    await folder.write("config.json", JSON.stringify(configFor(target)));
    const input = ["--local", "openapi.json", "--baseUrl", target.baseUrl];
    const output = ["--portmanConfigFile", "config.json", "--output", "collection.json"];
    const portman = await folder.end("node_modules/.bin/portman", [...input, ...output]);
    const report = ["--reporters", "json", "--reporter-json-export", "out.json"];
    const out = join(folder.dir, "out.json");
    await rm(out, { force: true });
    await folder.end("node_modules/.bin/newman", ["run", "collection.json", ...report]);
    const text = await readFile(out, "utf8").catch(() => {
      throw new Error(`Portman wrote no collection: ${portman.printed.slice(-3000)}`);
    });
    const { failures } = JSON.parse(text).run as {
      failures: { source?: { name: string }; error: { test?: string; message: string } }[];
    };
    return failures.map(({ source, error }) =>
      normalizeLine(`${source?.name} | ${error.test} | ${error.message}`),
    );
  },
};

function configFor({ document, credentials, token }: Target) {
  const inPaths = Object.values(document.paths).flatMap((operations) =>
    Object.values(operations).map(({ operationId, parameters = [] }) => {
      const overwriteRequestPathVariables = parameters
        .filter((parameter) => parameter.in === "path")
        .map(({ name, example }) => ({ key: name, value: example, overwrite: true }));
      return { openApiOperationId: operationId, overwriteRequestPathVariables };
    }),
  );
  return {
    version: 1.0,
    tests: TESTS,
    overwrites: [
      ...inPaths.filter(
        ({ overwriteRequestPathVariables }) => overwriteRequestPathVariables.length,
      ),
      {
        openApiOperation: "*::/*",
        overwriteRequestQueryParams: ["cursor", "offset"].map((key) => ({ key, disable: true })),
      },
      {
        openApiOperationId: "requestToken",
        overwriteRequestBody: Object.entries(tokenForm(credentials)).map(([key, value]) => {
          return { key, value, overwrite: true };
        }),
      },
    ],
    globals: { securityOverwrites: { bearer: { token } } },
  };
}
