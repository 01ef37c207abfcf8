import { onTestFinished } from "vitest";
import { Harness, type HarnessOptions } from "./harness.ts";

/** Starts a harness that is closed when the test finishes. */
export function startHarness(options?: HarnessOptions): Harness {
  const harness = new Harness(options);
  onTestFinished(async () => {
    if (harness.engine.store.database.isOpen) await harness.close();
  });
  return harness;
}
