import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { GROUPS } from "../../conformance/report/report.ts";
import { type Response, ROOT, readDocument, type Schema } from "../document.ts";

/** Properties that other tools need. `npm run check:tools` runs those tools. */
const document = readDocument();
const { paths, webhooks, components } = document;

const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([verb, operation]) => ({ key: `${verb} ${path}`, path, operation })),
);
const deliveries = Object.entries(webhooks).flatMap(([event, item]) =>
  Object.values(item).map((operation) => ({ key: event, path: event, operation })),
);

test("the document declares no JSON Schema dialect", () => {
  expect(document).not.toHaveProperty("jsonSchemaDialect");
});

test("the service is the first server: generated clients call it, not a local mock", () => {
  const [service, sandbox, mock] = document.servers;
  expect(service).toMatchObject({
    url: "{base_url}",
    description: expect.stringContaining("`base_url` is its base address; the default is"),
    variables: { base_url: { default: "https://feed.example" } },
  });
  expect(sandbox).toMatchObject({ url: "http://127.0.0.1:4020" });
  expect(mock).toMatchObject({ url: "http://127.0.0.1:4010" });
  expect(document.servers).toHaveLength(3);
});

/** The response itself, where an operation refers to a shared one. */
function resolved(response: Response | undefined): Response | undefined {
  const name = response?.$ref?.replace("#/components/responses/", "");
  return name === undefined ? response : components.responses?.[name];
}

test("no response of several operations is written twice", () => {
  const written = [...operations, ...deliveries].flatMap(({ operation }) =>
    Object.values(operation.responses)
      .filter(({ $ref, content }) => $ref === undefined && content === undefined)
      .map((response) => JSON.stringify(response)),
  );
  expect(written).toHaveLength(new Set(written).size);
});

test("the 400 of the token endpoint explains its form, not a list's limit", () => {
  const token = operations.find(({ operation }) => operation.operationId === "requestToken");
  const { description = "" } = resolved(token?.operation.responses["400"]) ?? {};
  expect(description).toMatch(/form.*grant type/s);
  expect(description).not.toMatch(/limit|UUID/);
});

/** Every property of every schema, with its place. */
function properties(schema: Schema, place: string): [string, Schema][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    [`${place}.${name}`, property] as [string, Schema],
    ...properties(property, `${place}.${name}`),
  ]);
}

const untyped = Object.entries(components.schemas)
  .flatMap(([name, schema]) => [[name, schema] as [string, Schema], ...properties(schema, name)])
  .filter(([, one]) => !["type", "$ref", "anyOf", "oneOf"].some((keyword) => keyword in one));

test.each(untyped)("%s, which has no type, says what it may be", (_place, { description }) => {
  expect(description).toMatch(/Usually an? |type depends on/);
});

test.each([...operations, ...deliveries])("$key has no status range", ({ operation }) => {
  const codes = Object.keys(operation.responses);
  expect(codes.filter((code) => !/^[1-5]\d\d$/.test(code) && code !== "default")).toEqual([]);
  expect(codes).toContain("200");
});

test.each(["PATCH of a bank link", ...Object.keys(webhooks)])(
  "%s, whose status is open, succeeds with 200, 202 and 204",
  (key) => {
    const operation = webhooks[key]?.post ?? paths["/bank-links/{bankLinkId}"]?.patch;
    const codes = Object.keys(operation?.responses ?? {}).filter((code) => code.startsWith("2"));
    expect(codes).toEqual(["200", "202", "204"]);
  },
);

test.each(operations)("$key declares 429 and a default error without a body", ({ operation }) => {
  const { 429: limited, default: other } = operation.responses;
  expect(resolved(limited)).toMatchObject({ headers: { "Retry-After": { required: false } } });
  expect(resolved(other)?.description).toMatch(/404.*5xx/);
  const errors = Object.entries(operation.responses).filter(([code]) => !code.startsWith("2"));
  expect(errors.filter(([, error]) => resolved(error)?.content !== undefined)).toEqual([]);
});

test("a token can be pasted, and the token URL has a placeholder", () => {
  const schemes = components.securitySchemes;
  expect(document.security).toEqual([{ AccessTokenHeader: [] }, { ApiCredentials: [] }]);
  expect(schemes["AccessTokenHeader"]).toMatchObject({ type: "http", scheme: "Bearer" });
  expect(schemes["ApiCredentials"]).toMatchObject({
    type: "oauth2",
    flows: {
      clientCredentials: {
        tokenUrl: "/auth/realms/YOUR_ACCOUNT_ID/protocol/openid-connect/token",
      },
    },
  });
});

test.each(["Subaccount", "Card", "NetworkBulkFeed", "BankAccount", "BankLink"])(
  "the links of a %s allow other fields",
  (name) => {
    const $ref = components.schemas[name]?.properties?.["_links"]?.["$ref"];
    expect($ref).toMatch(/\/(\w+Links)$/);
    expect(components.schemas[String($ref).split("/").at(-1) ?? ""]).toMatchObject({
      additionalProperties: true,
    });
  },
);

test("expires_in is an integer", () => {
  expect(components.schemas["AccessToken"]?.properties?.["expires_in"]?.type).toBe("integer");
});

test("YAML 1.1 and JSON parse to the same document", () => {
  const yaml = readFileSync(`${ROOT}generated/openapi.yaml`, "utf8");
  expect(parse(yaml, { version: "1.1" })).toEqual(document);
});

const withIds = operations.filter(({ path }) => path.includes("{"));

test.each(withIds)("the path parameters of $key have examples", ({ operation }) => {
  const inPath = operation.parameters?.filter((parameter) => parameter.in === "path") ?? [];
  expect(inPath.length).toBeGreaterThan(0);
  for (const { example } of inPath) expect(example).toEqual(expect.stringMatching(/^[\w-]+$/));
});

test.each(withIds.filter(({ path }) => !path.startsWith("/auth/")))(
  "the path parameter examples of $key give its first example",
  ({ path, operation }) => {
    const href = path.replaceAll(/\{(\w+)\}/g, (_, name) => {
      return String(operation.parameters?.find((one) => one.name === name)?.example);
    });
    const media = operation.responses["200"]?.content?.["application/json"];
    const [first] = Object.values(media?.examples ?? {});
    expect(first?.value["_links"]).toMatchObject({ self: { href } });
  },
);

test("a list with cursor and offset says that a server may refuse one", () => {
  const either = operations.filter(({ operation }) => {
    const refs = operation.parameters?.map(({ $ref = "" }) => $ref.split("/").at(-1)) ?? [];
    return refs.includes("CursorParameter") && refs.includes("OffsetParameter");
  });
  expect(either).toHaveLength(5);
  for (const { operation } of either) {
    expect(operation.description).toContain("a server may refuse `cursor` or\n`offset`");
    for (const { $ref = "" } of operation.parameters ?? []) {
      const parameter = components.parameters[$ref.split("/").at(-1) ?? ""];
      const { name, description } = parameter as { name: string; description: string };
      if (name !== "limit") expect(description).toMatch(/server[^.]*may\s+refuse\s+it/);
    }
  }
});

test.each(["Authentication", "Pagination", "Errors", "Webhooks", "Requirement ids"])(
  "info.description has a section on %s",
  (title) => expect(document.info.description).toContain(`\n## ${title}\n`),
);

test("info.description explains every requirement group", () => {
  for (const [prefix, group] of Object.entries(GROUPS)) {
    expect(document.info.description).toContain(`| ${prefix} | ${group} |`);
  }
});

test.each(deliveries)("the summary of the webhook $key contains its name", (delivery) => {
  expect(delivery.operation.summary).toContain(delivery.key);
});
