import { UsageError } from "../../src/errors.ts";
import type { Verb } from "../driver.ts";
import { concernedBy, type Model } from "../verbs/model.ts";
import { PRICES } from "../verbs/purchases.ts";
import type { Limits } from "../verbs/row.ts";
import { activeCard, completedLink, type Script, type Step } from "../verbs/step.ts";
import { applied, meaningOf, modelAfter, rowOf, stepsIn } from "../verbs/table.ts";

const CARD_WITH_BANK: readonly Step[] = [
  ...activeCard("card 1"),
  ...completedLink("link 1", [
    { as: "account 1", type: "credit", card: "card 1" },
    { as: "account 2", type: "credit" },
  ]),
];

const SETTLED_PURCHASE: readonly Step[] = [
  ...CARD_WITH_BANK,
  { verb: "authorize", as: "purchase 1", card: "card 1", ...PRICES[0] },
  {
    ...{ verb: "postAtBank", as: "posting 1", account: "account 1", ...PRICES[0] },
    purchase: "purchase 1",
  },
];

/** Steps that create what many scripts need, the shortest first. A script begins with some. */
export const OPENINGS: readonly (readonly Step[])[] = [[], CARD_WITH_BANK, SETTLED_PURCHASE];

/** The openings of the exhaustive mode, whose scripts make their own purchases. */
export const EXHAUSTIVE_OPENINGS = OPENINGS.slice(0, 2);

/** Those openings that a driver with these verbs can play. */
export function playable(
  openings: readonly (readonly Step[])[],
  verbs: readonly Verb[],
): readonly (readonly Step[])[] {
  return openings.filter((steps) => steps.every(({ verb }) => verbs.includes(verb)));
}

/** For random scripts. */
export const RANDOM_LIMITS: Limits = {
  ...{ cards: 3, feeds: 2, links: 3, purchases: 4, postings: 5, varied: true },
};

/** For every script of a depth. One resource of a kind shows what another would. */
export const EXHAUSTIVE_LIMITS: Limits = {
  ...{ cards: 2, feeds: 1, links: 2, purchases: 2, postings: 2, varied: false },
};

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
  // Where rare verbs are possible, every second choice is one of them.
  const rare = wanted.filter((step) => kind % 2 === 1 && rowOf(step).isRare);
  const choices = [rare, related, wanted].find(({ length }) => length > 0) ?? [];
  const groups = [...Map.groupBy(choices, (step) => step.verb).values()];
  const group = groups[verb % groups.length];
  return group?.[resources % group.length];
}

async function loadFastCheck() {
  try {
    return (await import("fast-check")).default;
  } catch (error) {
    const remedy = "install it: npm install --save-dev fast-check";
    throw new UsageError(`exploration needs the package fast-check; ${remedy}`, { cause: error });
  }
}
