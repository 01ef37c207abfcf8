import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { run } from "../support/program.ts";

test.each([
  ["a terminal", { FORCE_COLOR: "1" }, true],
  ["a file", { FORCE_COLOR: undefined }, false],
])("on %s the demo ends within 15 s with one line about its success", async (_, env, isGreen) => {
  const start = performance.now();
  const { status, stdout, stderr } = await run("scripts/demo.ts", [], env);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const last = stdout.trimEnd().split("\n").at(-1) ?? "";
  expect(stripVTControlCharacters(last)).toMatch(
    /^✓ the mock passed \d+ requirements; received \d+ webhooks, each signed and valid$/,
  );
  expect(last.startsWith("\x1b[32m") && last.endsWith("\x1b[39m")).toBe(isGreen);
  expect(performance.now() - start).toBeLessThan(15_000);
});
