import { expect } from "vitest";
import { Refusal } from "../../src/world/refusal.ts";
import type { TestSandbox } from "./test-sandbox.ts";
import type { ResourceChoice, Step } from "./verb-scripts.ts";

function paramsOf(
  { engine: { store } }: TestSandbox,
  given: object,
  about: readonly ResourceChoice[],
): object {
  const named = about.flatMap(([param, kind, place]) => {
    const id = store.latest(kind, undefined, place + 1).at(-1)?.id;
    return id === undefined ? [] : [[param, id]];
  });
  return { ...given, ...Object.fromEntries(named) };
}

/**
 * Plays a script of verbs, one second after another, or all at the same time except for the steps
 * that advance the clock.
 *
 * @returns how many steps took effect.
 */
export async function playScript(
  sandbox: TestSandbox,
  steps: readonly Step[],
  { isFrozen = false, checksRefusals = false } = {},
): Promise<number> {
  let done = 0;
  for (const next of steps) {
    const before = checksRefusals ? sandbox.dump() : "";
    try {
      if ("advance" in next) await sandbox.advance(next.advance);
      else {
        const params = paramsOf(sandbox, next.params, next.about ?? []) as never;
        if (isFrozen) sandbox.run(next.verb, params);
        else sandbox.do(next.verb, params);
      }
      done += 1;
    } catch (error) {
      // An inapplicable verb is refused and changes nothing.
      if (!(error instanceof Refusal)) throw error;
      if (checksRefusals) expect(sandbox.dump()).toBe(before);
    }
  }
  return done;
}
