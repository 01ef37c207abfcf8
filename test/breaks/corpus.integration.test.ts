import { isDeepStrictEqual } from "node:util";
import SwaggerParser from "@apidevtools/swagger-parser";
import { expect, test } from "vitest";
import { type Document, readDocument } from "../document.ts";
import { corpus, type LabelledChange, type Verdict } from "./corpus/index.ts";

const original = readDocument();

function editedBy({ edit }: LabelledChange): Document {
  const document = structuredClone(original);
  edit(document);
  return document;
}

/** A value with every `$ref` replaced by its target; keywords next to the `$ref` are kept. */
function resolve(document: Document, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(document, item));
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...rest } = value as Record<string, unknown>;
  const resolved = Object.entries(rest).map(([key, child]) => [key, resolve(document, child)]);
  const own = Object.fromEntries(resolved);
  if (typeof $ref !== "string") return own;
  const keys = $ref.slice(2).split("/");
  const target = keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document);
  return { ref: resolve(document, target), own };
}

/** The schemas that events refer to, and those that operations refer to. */
const parts = (document: Document) => ({
  event: resolve(document, document.webhooks),
  api: resolve(document, document.paths),
});

const before = parts(original);

const breaksAnyAudience = ({ expected }: LabelledChange) =>
  Object.values(expected).some((verdict: Verdict) => verdict === "breaking");

const isWireBreak = ({ expected: { types: _, ...wire } }: LabelledChange) =>
  Object.values(wire).includes("breaking");

test("the corpus has at least 75 changes, 38 of them in events", () => {
  expect(corpus.length).toBeGreaterThanOrEqual(75);
  expect(corpus.filter(({ where }) => where === "event").length).toBeGreaterThanOrEqual(38);
  expect(corpus.filter((change) => !breaksAnyAudience(change)).length).toBeGreaterThanOrEqual(20);
});

test("names are unique and in kebab case", () => {
  const names = corpus.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  expect(names.filter((name) => !/^[a-z]+(-[a-z]+)*$/.test(name))).toEqual([]);
});

test("only a break on the wire can be a break of shape", () => {
  const wrong = corpus.filter((change) => change.isShapeBreak && !isWireBreak(change));
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

test("an audience that cannot see a change has the verdict none", () => {
  const wrong = corpus.filter(({ where, expected: { caller, consumer } }) => {
    return (where === "event" && caller !== "none") || (where === "api" && consumer !== "none");
  });
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

test.each(corpus)("$name changes only the part $where", (change) => {
  const document = editedBy(change);
  expect(JSON.stringify(document)).not.toBe(JSON.stringify(original));
  const after = parts(document);
  const touches = {
    event: !isDeepStrictEqual(after.event, before.event),
    api: !isDeepStrictEqual(after.api, before.api),
  };
  const { where } = change;
  if (where === "event") expect(touches.api).toBe(false);
  if (where === "api") expect(touches.event).toBe(false);
  if (where === "both") expect(touches).toEqual({ event: true, api: true });
  if (where === "document") expect(touches).toEqual({ event: false, api: false });
});

test.each(corpus)("$name results in a valid document", async (change) => {
  // Examples are most of the document, but not schemas.
  const words = JSON.stringify(editedBy(change));
  const document = JSON.parse(words, (key, value) => (key === "examples" ? undefined : value));
  await expect(SwaggerParser.validate(document)).resolves.toBeDefined();
});
