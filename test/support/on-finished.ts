import { afterAll, onTestFinished, TestRunner } from "vitest";

/** Runs `cleanUp` after the current test; if no test is running, after the tests of the file. */
export function onFinished(cleanUp: () => unknown): void {
  const run = async () => void (await cleanUp());
  if (TestRunner.getCurrentTest()) onTestFinished(run);
  else afterAll(run);
}
