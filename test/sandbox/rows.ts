import { expect } from "vitest";
import type { ScriptCall } from "../../src/world/script.ts";
import { digestOf } from "./digest.ts";
import { problemsOf } from "./state-rules.ts";
import { TestSandbox } from "./test-sandbox.ts";

/** A call of a verb and exactly the events that it sends, as lines of {@link digestOf}. */
type Sending = readonly [call: ScriptCall, ...events: readonly string[]];

/** A call of a verb that is refused and changes nothing. */
interface Refused {
  readonly refused: ScriptCall;
  /** A part of the message. */
  readonly because: string;
}

/** A script of verbs, and what follows from it. */
export interface Row {
  readonly title: string;
  readonly steps: readonly (ScriptCall | Sending | Refused)[];
  /** All transactions and postings after the last step. */
  readonly ends?: string | readonly string[];
}

const isSending = (step: ScriptCall | Sending | Refused): step is Sending => Array.isArray(step);

/** A step that is refused. */
export function refused(call: ScriptCall, because: string): Refused {
  return { refused: call, because };
}

/** Plays a row. Each script must also end in a state and a history without findings. */
export async function checkRow({ steps, ends }: Row): Promise<void> {
  const sandbox = new TestSandbox();
  for (const step of steps) {
    if (isSending(step)) {
      const [call, ...expected] = step;
      const events = await sandbox.play(call);
      const { log } = digestOf(sandbox);
      const last = log.slice(log.length - events.length).flatMap((lines) => lines.split("\n"));
      expect(last).toEqual(expected);
    } else if ("refused" in step) {
      const before = sandbox.dump();
      const message = expect.stringContaining(step.because);
      const attempt = sandbox.play(step.refused);
      await expect(attempt).rejects.toMatchObject({ name: "Refusal", message });
      expect(sandbox.dump()).toBe(before);
    } else await sandbox.play(step);
  }
  if (ends !== undefined) expect(digestOf(sandbox).state).toBe([ends].flat().join("; "));
  expect(problemsOf(sandbox)).toEqual([]);
  expect(await sandbox.findings()).toEqual([]);
  await sandbox.close();
}
