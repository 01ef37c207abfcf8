import { expect, test } from "vitest";
import { canRewrite, isColoured, styleFor } from "../../src/cli/terminal.ts";

test.each<[boolean, "terminal" | "pipe", NodeJS.ProcessEnv]>([
  [true, "terminal", {}],
  [false, "pipe", {}],
  [true, "terminal", { NO_COLOR: "" }],
  [false, "terminal", { NO_COLOR: "1" }],
  [false, "terminal", { NO_COLOR: "0" }],
  [true, "pipe", { FORCE_COLOR: "1" }],
  [false, "terminal", { FORCE_COLOR: "0" }],
  [true, "terminal", { FORCE_COLOR: "" }],
  [false, "pipe", { FORCE_COLOR: "" }],
  [false, "terminal", { TERM: "dumb" }],
  [true, "terminal", { TERM: "dumb", FORCE_COLOR: "1" }],
  [false, "terminal", { NO_COLOR: "1", FORCE_COLOR: "1" }],
])("colours are %s on a %s with %j", (expected, stream, env) => {
  expect(isColoured({ isTTY: stream === "terminal" }, env)).toBe(expected);
});

test("each style has one colour, and changes nothing without colours", () => {
  const coloured = styleFor({ isTTY: true }, {});
  expect(Object.entries(coloured).map(([name, paint]) => [name, paint("x")])).toEqual([
    ["good", "\u001b[32mx\u001b[39m"],
    ["bad", "\u001b[31mx\u001b[39m"],
    ["warn", "\u001b[33mx\u001b[39m"],
    ["dim", "\u001b[2mx\u001b[22m"],
    ["bold", "\u001b[1mx\u001b[22m"],
  ]);
  for (const paint of Object.values(styleFor({}, {}))) expect(paint("x")).toBe("x");
});

test("only a terminal that is not dumb can rewrite a line", () => {
  expect(canRewrite({ isTTY: true }, {})).toBe(true);
  expect(canRewrite({ isTTY: true }, { TERM: "dumb" })).toBe(false);
  expect(canRewrite({}, { FORCE_COLOR: "1" })).toBe(false);
});
