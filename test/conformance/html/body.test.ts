import { expect, test } from "vitest";
import { around, type JsonLine, linesOfValue } from "../../../conformance/report/html/body.ts";

const traffic = (lines: readonly JsonLine[]) =>
  lines.map(({ text, kind }) => `${kind === "marked" ? ">" : " "}${text}`);

test("a small value is shown in full, like JSON.stringify", () => {
  const value = { id: "a", empty: {}, none: [], list: [1, null, true, "ü\n"], nested: { b: 2.5 } };
  const text = linesOfValue(value, 100).map((line) => line.text);
  expect(text).toEqual(JSON.stringify(value, null, 2).split("\n"));
});

test("the target of the pointer is marked with everything inside it", () => {
  expect(traffic(around({ a: 1, b: { c: [2] }, d: 3 }, ["b", "c"], 20))).toEqual([
    " {",
    '   "a": 1,',
    '   "b": {',
    '>    "c": [',
    ">      2",
    ">    ]",
    "   },",
    '   "d": 3',
    " }",
  ]);
});

test("a missing member is marked at its place", () => {
  expect(traffic(around({ a: [{}] }, ["a", "0", "cardId"], 20))).toContain(
    '>      "cardId": nothing there',
  );
  expect(traffic(around([1], ["3"], 20))).toContain(">  [3]: nothing there");
  expect(traffic(around("text", ["a"], 20))).toEqual(['>"text"']);
});

test("a large value shows the path to the member, ids and neighbours", () => {
  const item = (at: number) => ({
    id: `id-${at}`,
    ...Object.fromEntries(Array.from({ length: 30 }, (_, nr) => [`m${nr}`, [nr]])),
  });
  const value = { links: {}, items: Array.from({ length: 500 }, (_, at) => item(at)) };
  const lines = traffic(around(value, ["items", "321", "m15", "0"], 20));
  expect(lines).toEqual([
    " {",
    '   "links": {},',
    '   "items": [',
    "     … 321 more items",
    "     {",
    '       "id": "id-321",',
    "       … 10 more members",
    ...[10, 11, 12, 13, 14].map((nr) => `       "m${nr}": [ … 1 item ],`),
    '       "m15": [',
    ">        15",
    "       ],",
    ...[16, 17, 18, 19, 20].map((nr) => `       "m${nr}": [ … 1 item ],`),
    "       … 9 more members",
    "     },",
    "     … 178 more items",
    "   ]",
    " }",
  ]);
});

test("omitted lines and characters are marked", () => {
  const lines = linesOfValue(
    Array.from({ length: 1_000 }, (_, at) => at),
    10,
  );
  expect(lines).toHaveLength(11);
  expect(lines.at(-1)).toEqual({ text: "… more lines are not shown", kind: "left-out" });
  const [long] = linesOfValue("x".repeat(1_000), 10);
  expect(long?.text).toMatch(/^"x{300}…" \(1,000 characters\)$/);
});
