import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startNode } from "../support/program.ts";

const PROGRAM = fileURLToPath(new URL("hostile-body-process.ts", import.meta.url));
const TIMEOUT_MS = 2000;

/** Parsing and validation block timers, which delays the end of a call by at most this. */
const MAX_MS = 4 * TIMEOUT_MS;

/** The repeated part and the end of a text on which backtracking patterns fail slowly. */
const UNITS = ["A", "1", "-", " ", "Aa", "é"];

test.each(UNITS.map((unit) => [JSON.stringify(unit), unit]))(
  "a body of 16 MiB of %s is validated within a bound of timeoutMs",
  async (_name, unit) => {
    const { child, ended } = startNode([PROGRAM, unit, `${TIMEOUT_MS}`]);
    // A backtracking pattern would block the process for hours.
    const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
    const { stdout: printed } = await ended;
    clearTimeout(timer);
    expect(printed, "the process had to be killed").not.toBe("");
    const { code, tookMs } = JSON.parse(printed) as { code: string; tookMs: number };
    expect(["contract", "timeout"]).toContain(code);
    expect(tookMs).toBeLessThan(MAX_MS);
  },
);
