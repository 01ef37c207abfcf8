import { expect, test } from "vitest";
import { type JsonLine, linesOf } from "../../../conformance/report/html/traffic.ts";

const shown = (lines: readonly JsonLine[]) =>
  lines.map(({ text, kind }) => `${kind === "marked" ? ">" : " "}${text}`);

test("a small value is shown in full, like JSON.stringify", () => {
  const value = { id: "a", empty: {}, none: [], list: [1, null, true, "ü\n"], nested: { b: 2.5 } };
  const text = linesOf(value).map((line) => line.text);
  expect(text).toEqual(JSON.stringify(value, null, 2).split("\n"));
});

test("the member of a path is marked in full, with ids and neighbours in one line each", () => {
  const members = Object.fromEntries(Array.from({ length: 9 }, (_, nr) => [`m${nr}`, [nr]]));
  const items = Array.from({ length: 500 }, (_, at) => ({ id: `id-${at}`, ...members }));
  expect(shown(linesOf({ links: {}, items }, ["items", "321", "m5"]))).toEqual([
    " {",
    '   "links": {},',
    '   "items": [',
    "     … 321 more items",
    "     {",
    '       "id": "id-321",',
    "       … 2 more members",
    ...[2, 3, 4].map((nr) => `       "m${nr}": [ … 1 item ],`),
    '>      "m5": [',
    ">        5",
    ">      ],",
    ...[6, 7, 8].map((nr) => `       "m${nr}": [ … 1 item ]${nr === 8 ? "" : ","}`),
    "     },",
    "     … 178 more items",
    "   ]",
    " }",
  ]);
});

test("a missing member is marked at its place", () => {
  expect(shown(linesOf({ a: [{}] }, ["a", "0", "cardId"]))).toContain(
    '>      "cardId": nothing there',
  );
  expect(shown(linesOf([1], ["3"]))).toContain(">  [3]: nothing there");
  expect(shown(linesOf("text", ["a"]))).toEqual(['>"text"']);
});

test("omitted lines and characters are marked", () => {
  const lines = linesOf(Array.from({ length: 1_000 }, (_, at) => at));
  expect(lines).toHaveLength(151);
  expect(lines.at(-1)).toEqual({ text: "… more lines", kind: "left-out" });
  const [long] = linesOf("x".repeat(1_000));
  expect(long?.text).toMatch(/^"x{300}…" \(1,000 characters\)$/);
});
