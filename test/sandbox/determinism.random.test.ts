import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";
import type { LogOptions } from "./event-log-program.ts";

/** Returns the log printed by a separate process. */
async function logOf(options: LogOptions): Promise<string> {
  const { status, stdout, stderr } = await run("test/sandbox/event-log-program.ts", [
    JSON.stringify(options),
  ]);
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return stdout;
}

describe.each(["empty", "small"] as const)(
  "of the world %s, the log of a seed and script",
  (world) => {
    test("is identical in every process", async () => {
      const [one, other] = await Promise.all([
        logOf({ seed: 7, world }),
        logOf({ seed: 7, world }),
      ]);
      expect(one.split("\n").length).toBeGreaterThan(40);
      expect(other).toBe(one);
    });

    test("is identical with any receivers and faults", async () => {
      const [plain, disturbed] = await Promise.all([
        logOf({ seed: 7, world }),
        logOf({ seed: 7, world, isTroubled: true }),
      ]);
      expect(disturbed).toBe(plain);
    });

    test("is identical across restarts when the state is kept", async () => {
      const directory = tempDir();
      const data = join(directory, "sandbox.db");
      const [inMemory, kept] = await Promise.all([
        logOf({ seed: 7, world }),
        logOf({ seed: 7, world, data }),
      ]);
      expect(kept).toBe(inMemory);
    });

    test("differs with another seed", async () => {
      const [one, other] = await Promise.all([
        logOf({ seed: 7, world }),
        logOf({ seed: 8, world }),
      ]);
      expect(other).not.toBe(one);
      expect(other.split("\n").length).toBeGreaterThan(40);
    });
  },
);
