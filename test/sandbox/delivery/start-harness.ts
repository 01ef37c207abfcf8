import { onTestFinished } from "vitest";
import type { TestServiceOptions } from "../test-service.ts";
import { Harness } from "./harness.ts";

/** Starts a harness that is closed when the test finishes. */
export function startHarness(options?: TestServiceOptions): Harness {
  const harness = new Harness(options);
  onTestFinished(async () => {
    if (harness.engine.store.database.isOpen) await harness.close();
  });
  return harness;
}
