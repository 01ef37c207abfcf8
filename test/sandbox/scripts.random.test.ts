import fc from "fast-check";
import { expect, test } from "vitest";
import { Refusal } from "../../src/sandbox/refusal.ts";
import { problemsOf } from "./state-rules.ts";
import { TestSandbox } from "./test-sandbox.ts";
import { opening, type ResourceChoice, type Step, step } from "./verb-scripts.ts";

const SCRIPTS = Number(process.env["TXFEED_SCRIPTS"] ?? 1000);
const SEED = Number(process.env["TXFEED_SCRIPTS_SEED"] ?? 5);

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

async function play(sandbox: TestSandbox, steps: readonly Step[]): Promise<number> {
  let done = 0;
  for (const next of steps) {
    try {
      if ("advance" in next) await sandbox.advance(next.advance);
      else sandbox.do(next.verb, paramsOf(sandbox, next.params, next.about ?? []) as never);
      done += 1;
    } catch (error) {
      // An inapplicable verb is refused and changes nothing.
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return done;
}

test(`${SCRIPTS} random scripts end in a state without findings`, async () => {
  let steps = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 40, size: "max" }),
      async (script) => {
        const sandbox = new TestSandbox();
        steps += await play(sandbox, [...opening, ...script]);
        expect(await sandbox.faults()).toEqual([]);
        expect(problemsOf(sandbox)).toEqual([]);
        sandbox.engine.store.database.close();
      },
    ),
    { numRuns: SCRIPTS, seed: SEED },
  );
  expect(steps).toBeGreaterThan(SCRIPTS * 5);
}, 600_000);
