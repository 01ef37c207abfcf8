import { readFile, writeFile } from "node:fs/promises";
import type { Subject } from "./subject.ts";
import { plain, run, type Tool } from "./tool.ts";

/** Every contract test that Portman has, and one variation: a token that is none. */
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

/** Portman makes a Postman collection of the document, which Newman runs. */
export const portman: Tool = {
  name: "Portman with Newman",
  setUp: "all its contract tests, and each operation with a bad token; real ids and credentials",
  // It takes tslib, and does not say so.
  packages: ["@apideck/portman@1.33.0", "newman@6.2.1", "tslib@2.8.1"],
  async look(subject, folder, bin) {
    // Its validator refuses schemas with a format that it does not know.
    const document = JSON.stringify(subject.document).replaceAll('"format":"date-time-local",', "");
    await writeFile(`${folder}/openapi.json`, document);
    await writeFile(`${folder}/config.json`, JSON.stringify(configFor(subject)));
    const where = ["--local", "openapi.json", "--baseUrl", subject.baseUrl];
    const how = ["--portmanConfigFile", "config.json", "--output", "collection.json"];
    const said = await run(`${bin}/portman`, [...where, ...how], { cwd: folder });
    const report = ["--reporters", "json", "--reporter-json-export", "out.json"];
    await run(`${bin}/newman`, ["run", "collection.json", ...report], { cwd: folder });
    const text = await readFile(`${folder}/out.json`, "utf8").catch(() => {
      throw new Error(`Portman made nothing: ${said.slice(-3000)}`);
    });
    const { failures } = JSON.parse(text).run as {
      failures: { source?: { name: string }; error: { test?: string; message: string } }[];
    };
    return failures.map(({ source, error }) =>
      plain(`${source?.name} | ${error.test} | ${error.message}`),
    );
  },
};

function configFor({ document, credentials, token }: Subject) {
  const inPaths = Object.values(document.paths).flatMap((operations) =>
    Object.values(operations).map(({ operationId, parameters = [] }) => {
      const overwriteRequestPathVariables = parameters
        .filter((parameter) => parameter.in === "path")
        .map(({ name, example }) => ({ key: name, value: example, overwrite: true }));
      return { openApiOperationId: operationId, overwriteRequestPathVariables };
    }),
  );
  const form = {
    ...{ client_id: credentials.clientId, client_secret: credentials.clientSecret },
    grant_type: "client_credentials",
  };
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
        overwriteRequestBody: Object.entries(form).map(([key, value]) => {
          return { key, value, overwrite: true };
        }),
      },
    ],
    globals: { securityOverwrites: { bearer: { token } } },
  };
}
