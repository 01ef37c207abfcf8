import { UsageError } from "../../src/errors.ts";
import type { Verb } from "../driver.ts";
import { RANDOM_LIMITS, stepsIn } from "./alphabet.ts";
import { meaningOf } from "./meaning.ts";
import { applied, concernedBy, emptyModel, type Model } from "./model.ts";
import { OPENINGS, playable } from "./openings.ts";
import type { Script, Step } from "./step.ts";

const SHORTEST = 3;
const LONGEST = 12;

/** How many scripts are drawn at once. */
const BATCH = 50;

/**
 * Draws random scripts that mean something: each step applies in the state after those before it,
 * or repeats one. The same seed and verbs give the same scripts.
 *
 * @throws {TxfeedError} `usage` if fast-check is not installed
 */
export async function* randomScripts(
  verbs: readonly Verb[],
  seed: number,
): AsyncGenerator<Script, never> {
  const fc = await loadFastCheck();
  const openings = playable(OPENINGS, verbs);
  const choice = fc.tuple(fc.nat({ max: 9 }), fc.nat(), fc.nat());
  const tape = fc.record({
    opening: fc.nat(),
    choices: fc.array(choice, { minLength: SHORTEST, maxLength: LONGEST, size: "max" }),
  });
  for (let batch = 0; ; batch++) {
    const tapes = fc.sample(tape, { seed: seed + batch * 7_919, numRuns: BATCH });
    for (const { opening, choices } of tapes) {
      const steps = openings[opening % openings.length] ?? [];
      yield { opening: steps, steps: stepsFor(verbs, modelAfter(steps), choices) };
    }
  }
}

/** Resolves each choice to a step that means something in the state after those before it. */
function stepsFor(verbs: readonly Verb[], start: Model, choices: readonly Choice[]): Step[] {
  let model = start;
  const steps: Step[] = [];
  for (const choice of choices) {
    const step = chosen(stepsIn(model, verbs, RANDOM_LIMITS), choice, model, steps.at(-1));
    if (!step) break;
    steps.push(step);
    if (meaningOf(model, step) === "applies") model = applied(model, step);
  }
  return steps;
}

/** Numbers that choose what kind of step it is, its verb, and its resources. */
type Choice = readonly [kind: number, verb: number, resources: number];

function chosen(
  all: readonly Step[],
  [kind, verb, resources]: Choice,
  model: Model,
  last: Step | undefined,
): Step | undefined {
  // One step of five may repeat another. Most are about a resource of the last step.
  const wanted = all.filter((step) => kind % 5 === 0 || meaningOf(model, step) === "applies");
  const topic = new Set(last && kind % 3 > 0 ? concernedBy(model, last) : []);
  const related = wanted.filter((step) => concernedBy(model, step).some((one) => topic.has(one)));
  const choices = related.length > 0 ? related : wanted;
  const groups = [...Map.groupBy(choices, (step) => step.verb).values()];
  const group = groups[verb % groups.length];
  return group?.[resources % group.length];
}

/** The state after steps, if all of them are carried out. */
export function modelAfter(steps: readonly Step[]): Model {
  return steps.reduce(applied, emptyModel());
}

async function loadFastCheck() {
  try {
    return (await import("fast-check")).default;
  } catch (error) {
    const remedy = "install it: npm install --save-dev fast-check";
    throw new UsageError(`exploration needs the package fast-check; ${remedy}`, { cause: error });
  }
}
