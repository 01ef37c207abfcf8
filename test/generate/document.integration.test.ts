import { readFile } from "node:fs/promises";
import SwaggerParser from "@apidevtools/swagger-parser";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { checkDocument, checkExamples } from "../../scripts/generate/document-check.ts";
import { ScriptError } from "../../scripts/run-script.ts";
import { type Document, ROOT, readDocument } from "../document.ts";

test("swagger-parser validates the document", async () => {
  await expect(SwaggerParser.validate(`${ROOT}generated/openapi.yaml`)).resolves.toBeDefined();
});

test("swagger-parser refuses a document with a broken operation", async () => {
  const document = readDocument();
  const operation = document.paths["/cards"]?.get;
  if (operation) operation.responses = 200 as never;
  await expect(SwaggerParser.validate(document as never)).rejects.toThrow();
});

test("the YAML and the JSON are equal", async () => {
  expect(parse(await readFile(`${ROOT}generated/openapi.yaml`, "utf8"))).toEqual(readDocument());
});

const fileOf = (of: string, name: string) => `spec/examples/${of}/${name}.json`;

/** The error lines of `npm run generate` for a changed document; empty if it is accepted. */
async function linesOf(change: (document: Document) => void): Promise<readonly string[]> {
  const document = readDocument();
  change(document);
  try {
    await checkDocument(document as never);
    checkExamples(document as never, fileOf);
    return [];
  } catch (error) {
    if (error instanceof ScriptError) return error.lines;
    throw error;
  }
}

test("generate accepts the document and does not modify it", async () => {
  let kept: Document | undefined;
  expect(await linesOf((document) => (kept = document))).toEqual([]);
  expect(kept).toEqual(readDocument());
});

test("generate reports errors of swagger-parser in one line", async () => {
  const lines = await linesOf(({ paths }) => {
    Object.assign(paths["/cards"]?.get ?? {}, { responses: 200 });
  });
  expect(lines).toEqual([expect.stringMatching(/^generated\/openapi\.json: swagger-parser: .+/)]);
});

test("generate refuses invalid examples anywhere in the document", async () => {
  const lines = await linesOf(({ paths, components }) => {
    const [token] = Object.values(paths)[0]?.post?.parameters ?? [];
    Object.assign(token ?? {}, { example: 12 });
    const form = Object.values(paths)[0]?.post?.requestBody?.content ?? {};
    Object.assign(Object.values(form)[0] ?? {}, { example: { client_id: "a" } });
    Object.assign(components.schemas["Id"] ?? {}, { examples: ["d26e5362"], example: 7 });
  });
  const post = "#/paths/~1auth~1realms~1%7Baccount_id%7D~1protocol~1openid-connect~1token/post";
  expect(lines.map((line) => line.replace(/: .*/, ""))).toEqual([
    `generated/openapi.json${post}/parameters/0`,
    `generated/openapi.json${post}/requestBody/content/application~1x-www-form-urlencoded`,
    "generated/openapi.json#/components/schemas/Id",
    "generated/openapi.json#/components/schemas/Id/examples/0",
  ]);
});
