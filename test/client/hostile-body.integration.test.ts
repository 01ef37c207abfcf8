import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const PROGRAM = fileURLToPath(new URL("hostile-body-process.ts", import.meta.url));
const TIMEOUT_MS = 2000;

/** Parsing and validation block timers, which delays the end of a call by at most this. */
const MOST_MS = 4 * TIMEOUT_MS;

/** The repeated part and the end of a text on which backtracking patterns fail slowly. */
const UNITS = ["A", "1", "-", " ", "Aa", "é"];

test.each(UNITS.map((unit) => [JSON.stringify(unit), unit]))(
  "a body of 16 MiB of %s is validated within a bound of timeoutMs",
  async (_name, unit) => {
    const child = spawn(process.execPath, [PROGRAM, unit, `${TIMEOUT_MS}`], {
      stdio: ["ignore", "pipe", "inherit"],
      // A backtracking pattern would block the process for hours.
      timeout: 20_000,
      killSignal: "SIGKILL",
    });
    const [printed] = await Promise.all([text(child.stdout), once(child, "close")]);
    expect(printed, "the process had to be killed").not.toBe("");
    const { code, tookMs } = JSON.parse(printed) as { code: string; tookMs: number };
    expect(["contract", "timeout"]).toContain(code);
    expect(tookMs).toBeLessThan(MOST_MS);
  },
);
