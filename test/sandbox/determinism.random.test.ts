import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";
import type { LogOptions } from "./event-log-program.ts";

/** Returns the log printed by a separate process. */
async function logOf(options: LogOptions): Promise<string> {
  const program = "test/sandbox/event-log-program.ts";
  const { status, stdout, stderr } = await run(program, [JSON.stringify(options)]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

test.each(["empty", "small"] as const)(
  "of the world %s, the log of a seed is the same in every process, with any faults and restarts",
  async (world) => {
    const options = { seed: 7, world };
    const [one, again, disturbed, kept, other] = await Promise.all([
      logOf(options),
      logOf(options),
      logOf({ ...options, isTroubled: true }),
      logOf({ ...options, data: join(tempDir(), "sandbox.db") }),
      logOf({ ...options, seed: 8 }),
    ]);
    expect(one.split("\n").length).toBeGreaterThan(100);
    expect([again === one, disturbed === one, kept === one]).toEqual([true, true, true]);
    expect(other).not.toBe(one);
  },
);
