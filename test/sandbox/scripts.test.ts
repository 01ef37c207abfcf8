import fc from "fast-check";
import { expect, test } from "vitest";
import { Refusal } from "../../src/sandbox/refusal.ts";
import { Stage } from "./stage.ts";
import { problemsOf } from "./state-rules.ts";
import { type About, opening, type Step, step } from "./verb-scripts.ts";

const SCRIPTS = Number(process.env["TXFEED_SCRIPTS"] ?? 1000);
const SEED = Number(process.env["TXFEED_SCRIPTS_SEED"] ?? 5);

function paramsOf({ engine: { store } }: Stage, given: object, about: readonly About[]): object {
  const named = about.flatMap(([param, kind, place]) => {
    const id = store.latest(kind, undefined, place + 1).at(-1)?.id;
    return id === undefined ? [] : [[param, id]];
  });
  return { ...given, ...Object.fromEntries(named) };
}

async function play(stage: Stage, steps: readonly Step[]): Promise<number> {
  let done = 0;
  for (const next of steps) {
    try {
      if ("advance" in next) await stage.advance(next.advance);
      else stage.do(next.verb, paramsOf(stage, next.params, next.about ?? []) as never);
      done += 1;
    } catch (error) {
      // A verb that does not apply is refused, and changes nothing.
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return done;
}

test(`${SCRIPTS} random scripts end in a state that the contract finds nothing wrong with`, async () => {
  let steps = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 40, size: "max" }),
      async (script) => {
        const stage = new Stage();
        steps += await play(stage, [...opening, ...script]);
        expect(await stage.faults()).toEqual([]);
        expect(problemsOf(stage)).toEqual([]);
        stage.engine.store.database.close();
      },
    ),
    { numRuns: SCRIPTS, seed: SEED },
  );
  expect(steps).toBeGreaterThan(SCRIPTS * 5);
}, 600_000);
