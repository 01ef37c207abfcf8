import { readFile } from "node:fs/promises";
import SwaggerParser from "@apidevtools/swagger-parser";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { ROOT, readDocument } from "../document.ts";

test("swagger-parser validates the document", async () => {
  await expect(SwaggerParser.validate(`${ROOT}generated/openapi.yaml`)).resolves.toBeDefined();
});

test("swagger-parser refuses the document once an operation is broken", async () => {
  const document = readDocument();
  const operation = document.paths["/cards"]?.get;
  if (operation) operation.responses = 200 as never;
  await expect(SwaggerParser.validate(document as never)).rejects.toThrow();
});

test("the YAML and the JSON say the same", async () => {
  expect(parse(await readFile(`${ROOT}generated/openapi.yaml`, "utf8"))).toEqual(readDocument());
});
