import { type OperationKey, operations } from "../../generated/operations.ts";
import { resourceOperations } from "../../generated/resources.ts";
import { code, escapeHtml, firstSentence, join, type Page, section, table } from "../page.ts";
import {
  bodyOf,
  type Operation,
  operationsByKey,
  type Parameter,
  parametersOf,
  resolve,
  responsesOf,
} from "./contract.ts";
import { fieldTable, typeOf } from "./fields.ts";
import { jsonExamples } from "./json-examples.ts";
import { operationPath, resourcePath } from "./paths.ts";
import type { Places } from "./places.ts";
import { relatedTo } from "./related.ts";
import { requirementLinks, requirementTable, withRequirementLinks } from "./requirement-links.ts";

/** The address of the mock, which every example uses. */
export const MOCK_URL = "http://127.0.0.1:4010";

/** A page for each operation. */
export function operationPages(places: Places): Page[] {
  return (Object.keys(operations) as OperationKey[]).map((key) => operationPage(key, places));
}

function operationPage(key: OperationKey, places: Places): Page {
  const { id, summary, secured } = operations[key];
  const operation = operationsByKey.get(key);
  if (!operation) throw new Error(`the document has no operation ${key}`);
  const page = operationPath(id);
  const requirements = operation["x-requirements"] ?? [];
  for (const one of requirements) places.add(one, { page, anchor: "", label: key });
  const { schema, examples } = bodyOf(operation);
  const resource = resourceOf(key);
  const isList = resource !== undefined && key === `GET /${resource.kind}`;
  const itemPage = isList ? resourcePath(resource.kind) : "";
  const fields = schema ? fieldTable(page, schema, places, itemPage) : "";
  const text = join(
    `${summary}.`,
    withRequirementLinks(operation.description),
    secured
      ? `Requires an access token: \`Authorization: Bearer TOKEN\` (${requirementLinks(["AUTH-07"])}).`
      : "Requires no access token.",
    section(
      "Example",
      "The examples call the mock. Start it in a checkout with `npm run -s txfeed -- mock`.",
      examplesOf(key, operation),
    ),
    section("Parameters", parameterTable(operation)),
    section("Request body", requestBody(page, operation, places)),
    section("Response", schema ? (resolve(schema).description ?? "") : "", fields),
    section("Statuses", statusTable(operation)),
    section("Example responses", ...jsonExamples(examples)),
    section("Requirements of the whole operation", requirementTable(requirements)),
    section("Related", relatedTo(operation.tags, page)),
  );
  return {
    path: page,
    title: key,
    label: summary,
    description: firstSentence(operation.description),
    text,
  };
}

/** The resource that an operation reads. */
function resourceOf(key: OperationKey): { name: string; kind: string } | undefined {
  const found = Object.entries(resourceOperations).find(([, keys]) =>
    Object.values(keys).includes(key as never),
  );
  if (!found) return undefined;
  const [name] = found;
  return { name, kind: operations[key].path.split("/")[1] ?? "" };
}

function examplesOf(key: OperationKey, operation: Operation): string {
  return join(code("ts", typescriptOf(key, operation)), code("sh", curlOf(key, operation)));
}

const CLIENT = `import { createFeedClient } from "txfeed/client";

const feed = createFeedClient({
  baseUrl: "${MOCK_URL}",
  accountId: "any",
  clientId: "any",
  clientSecret: "any",
});
`;

/** A call with the client, or with `fetch` for the token. */
function typescriptOf(key: OperationKey, operation: Operation): string {
  const ids = pathParametersOf(operation).map(({ example }) => JSON.stringify(example));
  if (key === "PATCH /bank-links/{bankLinkId}") {
    return `${CLIENT}\nawait feed.bankLinks.complete(${ids[0]});\n`;
  }
  const resource = resourceOf(key);
  if (!resource) {
    return `const response = await fetch("${MOCK_URL}/auth/realms/any/protocol/openid-connect/token", {
  method: "POST",
  body: new URLSearchParams({
    grant_type: "client_credentials",
    client_id: "any",
    client_secret: "any",
  }),
});
const { expires_in } = (await response.json()) as { expires_in: number };
console.log(\`expires in \${expires_in} s\`);
`;
  }
  if (ids.length > 0) {
    return `${CLIENT}\nconst one = await feed.${resource.name}.get(${ids.join(", ")});\nconsole.log(one.id);\n`;
  }
  return `${CLIENT}\nconst [first] = await feed.${resource.name}.list().toArray({ max: 1 });\nconsole.log(first?.id);\n`;
}

function curlOf(key: OperationKey, operation: Operation): string {
  const { method, path } = operations[key];
  const filled = pathParametersOf(operation).reduce<string>(
    (url, { name, example }) => url.replace(`{${name}}`, String(example ?? "any")),
    path,
  );
  if (method === "POST") {
    return `curl ${MOCK_URL}${filled} \\
  -d grant_type=client_credentials -d client_id=any -d client_secret=any`;
  }
  const verb = method === "GET" ? "" : ` -X ${method}`;
  return `curl${verb} -H "Authorization: Bearer any" ${MOCK_URL}${filled}`;
}

function pathParametersOf(operation: Operation): Parameter[] {
  return parametersOf(operation).filter((parameter) => parameter.in === "path");
}

function parameterTable(operation: Operation): string {
  const rows = parametersOf(operation).map(({ name, in: place, required, description, schema }) => [
    `\`${name}\``,
    place,
    `${schema ? typeOf(resolve(schema)) : ""}${required ? "" : " (optional)"}`,
    withRequirementLinks(escapeHtml(description ?? "")),
  ]);
  return table(["Name", "In", "Type", "Meaning"], rows);
}

function requestBody(page: string, { requestBody: body }: Operation, places: Places): string {
  if (!body) return "";
  const [[type, { schema = {} }] = ["", {}]] = Object.entries(body.content ?? {});
  const fields = fieldTable(page, schema, places);
  return join(`\`${type}\`. ${body.description ?? ""}`, fields);
}

function statusTable(operation: Operation): string {
  const rows = responsesOf(operation).map(([status, { description }]) => [
    status === "default" ? "other" : `\`${status}\``,
    withRequirementLinks(escapeHtml(description)),
  ]);
  return table(["Status", "Meaning"], rows);
}
