import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { ROOT } from "../document.ts";
import { start } from "../support/program.ts";

/** Runs the demo, and then prints the processor time that it took, with Prism's. */
const SCRIPT = "npm run -s demo; status=$?; times >&2; exit $status";

/** With one free processor, the demo then ends within 15 s. */
const LIMIT_S = 8;

test.each([
  ["a terminal", { FORCE_COLOR: "1" }, true],
  ["a file", {}, false],
])("on %s the demo ends soon, with one line about its success", async (_, env, isGreen) => {
  const { status, stdout, stderr } = await start("sh", ["-c", SCRIPT], { cwd: ROOT, env }).ended;
  expect({ status, stdout, stderr }).toMatchObject({ status: 0 });
  const last = stdout.trimEnd().split("\n").at(-1) ?? "";
  expect(stripVTControlCharacters(last)).toMatch(
    /^✓ the mock passed \d+ requirements; received \d+ webhooks, each signed and valid$/,
  );
  expect(last.startsWith("\x1b[32m") && last.endsWith("\x1b[39m")).toBe(isGreen);
  expect(secondsIn(stderr)).toBeLessThan(LIMIT_S);
});

/** The sum of the second line of `times`: user and system time of the processes that it ran. */
function secondsIn(times: string): number {
  const parts = /^.*\n(\d+)m([\d.]+)s (\d+)m([\d.]+)s\n$/.exec(times)?.slice(1).map(Number);
  const [userMin = NaN, user = NaN, systemMin = NaN, system = NaN] = parts ?? [];
  return (userMin + systemMin) * 60 + user + system;
}
