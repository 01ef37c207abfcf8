import { expect } from "vitest";
import type { Call } from "../../src/world/script.ts";
import { digestOf } from "./digest.ts";
import { problemsOf } from "./state-rules.ts";
import { TestSandbox } from "./test-sandbox.ts";

/** A script of verbs, and what follows from it, as lines of {@link digestOf}. */
export interface Row {
  readonly title: string;
  readonly steps: readonly Call[];
  /** The events of the last step. */
  readonly sends?: readonly string[];
  /** All transactions and postings after the last step. */
  readonly ends?: string | readonly string[];
  /** Part of the message with which the last step is refused. */
  readonly refuses?: string;
}

/** Plays a row. Each script must also end in a state and a history without findings. */
export async function checkRow({ steps, sends, ends, refuses }: Row): Promise<void> {
  const sandbox = new TestSandbox();
  if (refuses === undefined) {
    const events = await sandbox.play(...steps);
    const { log, state } = digestOf(sandbox);
    const last = log.slice(log.length - events.length).flatMap((lines) => lines.split("\n"));
    if (sends) expect(last).toEqual(sends);
    if (ends) expect(state).toBe([ends].flat().join("; "));
  } else {
    await sandbox.play(...steps.slice(0, -1));
    const before = sandbox.dump();
    const message = expect.stringContaining(refuses);
    const last = sandbox.play(...steps.slice(-1));
    await expect(last).rejects.toMatchObject({ name: "Refusal", message });
    expect(sandbox.dump()).toBe(before);
  }
  expect(problemsOf(sandbox)).toEqual([]);
  expect(await sandbox.findings()).toEqual([]);
  await sandbox.close();
}
