import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import SwaggerParser from "@apidevtools/swagger-parser";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { controlDocument } from "../../../src/sandbox/control/document.ts";
import { routes } from "../../../src/sandbox/control/routes.ts";
import { verbs } from "../../../src/world/verbs/index.ts";
import { ROOT } from "../../document.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { playALittle, startTestServer } from "../test-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: the tests say what is in it
const document = JSON.parse(JSON.stringify(controlDocument())) as any;

test("swagger-parser validates the control document", async () => {
  await expect(SwaggerParser.validate(structuredClone(document))).resolves.toBeDefined();
});

test("swagger-parser rejects the control document with a broken operation", async () => {
  const broken = structuredClone(document);
  broken.paths["/clock"].put.requestBody = { content: 7 };
  await expect(SwaggerParser.validate(broken)).rejects.toThrow();
});

test("Redocly accepts the control document by all of its rules", async () => {
  const dir = tempDir();
  const file = join(dir, "control.json");
  await writeFile(file, JSON.stringify(document));
  const redocly = join(ROOT, "node_modules/.bin/redocly");
  const args = ["lint", "--config", join(ROOT, "spec/redocly.yaml"), file];
  const { status, stderr, stdout } = spawnSync(redocly, args, { encoding: "utf8" });
  expect({ status, said: status === 0 ? "" : stdout + stderr }).toEqual({ status: 0, said: "" });
});

/** The parts of an operation that an example is made of. */
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly example?: unknown }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<"application/json", { readonly example: unknown }>>;
  };
}

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item as object).map(([method, operation]) => {
    return [`${method.toUpperCase()} ${path}`, operation] as const;
  }),
);

test("it is served and lists each route", async () => {
  const { send } = await startTestServer();
  const { status, json } = await send("GET", "/_sandbox/openapi.json");
  expect({ status, json }).toEqual({ status: 200, json: document });
  const { trigger: _, ...others } = routes;
  const wanted = [
    ...["GET /events/stream", ...Object.values(others)],
    ...Object.keys(verbs).map((name) => `POST /verbs/${name}`),
  ];
  expect(operations.map(([route]) => route).sort()).toEqual(wanted.sort());
});

test.each(Object.values(verbs))("it has the parameters and requirements of $name", (verb) => {
  const operation = document.paths[`/verbs/${verb.name}`].post;
  expect(operation["x-requirements"]).toEqual(verb.requirements);
  const { $ref } = operation.requestBody.content["application/json"].schema;
  const { properties, type } = document.components.schemas[$ref.split("/").at(-1)];
  expect({ type, names: Object.keys(properties) }).toEqual({
    type: "object",
    names: Object.keys(verb.params.shape),
  });
});

test("a body is required only if it has a required member", () => {
  const { paths } = document;
  expect(paths["/clock"].put.requestBody.required).toBe(true);
  expect(paths["/reset"].post.requestBody.required).toBe(false);
});

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, "control");

/** The schema of an operation's success, and its status. */
function successOf(route: string): { status: number; fits: ValidateFunction | undefined } {
  const [method = "", path = ""] = route.split(" ");
  const { responses } = document.paths[path][method.toLowerCase()];
  const status = Object.keys(responses).find((name) => name.startsWith("2")) ?? "";
  if (!responses[status].content) return { status: Number(status), fits: undefined };
  const at = ["paths", path, method.toLowerCase(), "responses", status];
  const segments = [...at, "content", "application/json", "schema"];
  const pointer = segments.map((segment) => segment.replaceAll("/", "~1")).join("/");
  return { status: Number(status), fits: ajv.compile({ $ref: `control#/${pointer}` }) };
}

/** Sends an operation's example to a sandbox in which it applies. */
async function sendExample(route: string, { parameters = [], requestBody }: Operation) {
  const { local, send, sendJson } = await startTestServer({ world: "small" });
  await playALittle(local);
  if (route.endsWith("/recover")) await local.trigger("disconnect");
  const { id: endpointId } = await local.addEndpoint({ url: "http://127.0.0.1:9/" });
  await local.trigger("purchase");
  await local.snapshot("there");
  const [[card], [delivery]] = [await local.resources("cards"), await local.deliveries()];
  const [method = "", path = ""] = route
    .replace("{kind}/{id}", `cards/${card?.id}`)
    .replace("{kind}", "cards")
    .replace("{name}", "there")
    .replace("endpoints/{id}", `endpoints/${endpointId}`)
    .replace("{id}", `${delivery?.id}`)
    .split(" ");
  const given = parameters.filter(({ example }) => example !== undefined);
  const query = new URLSearchParams(given.map(({ name, example }) => [name, String(example)]));
  return requestBody
    ? await sendJson(method, path, requestBody.content["application/json"].example)
    : await send(method, `/_sandbox${path}${given.length > 0 ? `?${query}` : ""}`);
}

test.each(operations.filter(([route]) => route !== "GET /events/stream"))(
  "%s accepts its example, and its response fits its schema",
  async (route, operation) => {
    const { status, fits } = successOf(route);
    const response = await sendExample(route, operation as Operation);
    expect([response.status, response.json]).toEqual([status, response.json]);
    if (fits) expect([fits(response.json), fits.errors]).toEqual([true, null]);
  },
);
