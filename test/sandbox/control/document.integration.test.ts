import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import SwaggerParser from "@apidevtools/swagger-parser";
import { expect, test } from "vitest";
import { verbInfo } from "../../../generated/control-operations.ts";
import { controlDocument } from "../../../src/sandbox/contract-document.ts";
import { routes } from "../../../src/sandbox/control/routes.ts";
import { ROOT } from "../../document.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { startHarness } from "./harness.ts";

// biome-ignore lint/suspicious/noExplicitAny: the tests say what is in it
const document = JSON.parse(controlDocument()) as any;

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

test("it is served and lists each route", async () => {
  const { send } = await startHarness();
  const { status, json } = await send("GET", "/openapi.json");
  expect({ status, json }).toEqual({ status: 200, json: document });
  const documented = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const table = routes.map(({ method, path }) => `${method} ${path}`);
  expect(documented.sort()).toEqual([...table, "GET /events/stream"].sort());
});

test.each(Object.entries(verbInfo))(
  "it has the parameters and requirements of %s",
  (name, verb) => {
    const operation = document.paths[`/verbs/${name}`].post;
    expect(operation["x-requirements"]).toEqual(verb.requirements);
    const { $ref } = operation.requestBody.content["application/json"].schema;
    expect($ref).toBe(`#/components/schemas/${verb.params}`);
    expect(document.components.schemas[verb.params].type).toBe("object");
  },
);

test("a body is required only if it has a required member", () => {
  const { paths } = document;
  expect(paths["/clock"].put.requestBody.required).toBe(true);
  expect(paths["/reset"].post.requestBody.required).toBe(false);
});
