/** Creates sandboxes in a new process. */
import type { createSandbox as CreateSandbox } from "../../src/sandbox/index.ts";
import { serveJob } from "../child.ts";
import { median } from "../measure.ts";

/** The module to import. */
export interface ReadinessJob {
  readonly entry: string;
}

/** Durations in milliseconds. */
export interface Readiness {
  readonly importMs: number;
  readonly firstMs: number;
  /** The median of later sandboxes, as in a test file that creates many. */
  readonly laterMs: number;
}

const LATER = 9;

serveJob<ReadinessJob, Readiness>(async ({ entry }) => {
  const startMs = performance.now();
  const { createSandbox } = (await import(entry)) as { createSandbox: typeof CreateSandbox };
  const importMs = performance.now() - startMs;
  const readyMs = async () => {
    const beginMs = performance.now();
    const sandbox = await createSandbox();
    const durationMs = performance.now() - beginMs;
    await sandbox.close();
    return durationMs;
  };
  const firstMs = await readyMs();
  const later: number[] = [];
  for (let count = 0; count < LATER; count += 1) later.push(await readyMs());
  return { importMs, firstMs, laterMs: median(later) };
});
