/** Resets a sandbox in process, and creates one with the large world. */
import { createSandbox } from "../../src/sandbox/index.ts";
import { serveJob } from "../child.ts";

/** The number of resets. */
export interface ResetJob {
  readonly resets: number;
}

/** Durations in milliseconds. */
export interface Resets {
  readonly smallMs: readonly number[];
  readonly largeMs: number;
}

serveJob<ResetJob, Resets>(async ({ resets }) => {
  const small = await createSandbox();
  const smallMs: number[] = [];
  for (let count = 0; count < resets; count += 1) {
    const startMs = performance.now();
    await small.reset();
    smallMs.push(performance.now() - startMs);
  }
  await small.close();
  const startMs = performance.now();
  const large = await createSandbox({ world: "large" });
  const largeMs = performance.now() - startMs;
  await large.close();
  return { smallMs, largeMs };
});
