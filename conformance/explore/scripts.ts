import type { RequirementId } from "../../generated/requirements.ts";
import { UsageError } from "../../src/errors.ts";
import type { Verb } from "../driver.ts";
import { concernedBy, type Model } from "../verbs/model.ts";
import type { PlayedStep } from "../verbs/player.ts";
import { PRICES } from "../verbs/purchases.ts";
import type { Limits } from "../verbs/row.ts";
import {
  activeCard,
  completedLink,
  type Name,
  namesIn,
  type Script,
  type Step,
  sourceOf,
} from "../verbs/step.ts";
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

/** A script that was played up to its end or its first violation. */
export interface PlayedScript {
  readonly script: Script;
  /** The outcomes of the opening's steps, if they were played, and of the script's own. */
  readonly played: readonly PlayedStep[];
  /** The step that showed a violation, the last one that was played; undefined if there is none. */
  readonly failed?: PlayedStep;
}

/** The most scripts that are tried to shorten one. */
const MOST_TRIES = 150;

/**
 * Shrinks a failing script: plays shorter and simpler ones, and keeps each that still breaks the
 * requirement.
 *
 * @param play Plays a script.
 * @returns Resolves to the outcome of the shortest script found.
 */
export async function shrink(
  failing: PlayedScript,
  requirement: RequirementId,
  play: (script: Script) => Promise<PlayedScript>,
): Promise<PlayedScript> {
  let best = cut(failing);
  let tries = 0;
  const tried = new Set([JSON.stringify(best.script)]);
  for (let isShorter = true; isShorter; ) {
    isShorter = false;
    for (const script of simplerThan(best.script)) {
      const key = JSON.stringify(script);
      if (tried.has(key)) continue;
      tried.add(key);
      tries += 1;
      if (tries > MOST_TRIES) return best;
      const outcome = await play(script);
      const { violations = [] } = outcome.failed ?? {};
      if (!violations.some((one) => one.requirement === requirement)) continue;
      best = cut(outcome);
      isShorter = true;
      break;
    }
  }
  return best;
}

/** Up to this many steps, a script is short enough without a longer opening. */
const FEW = 4;

/** Drops the steps after the failing one, and those that were left out. */
function cut(outcome: PlayedScript): PlayedScript {
  const { script, played, failed } = outcome;
  if (!failed) return outcome;
  const leftOut = new Set(
    played.filter((one) => one.outcome === "left out").map(({ step }) => step),
  );
  // The opening may have failed. The exhaustive mode has played the earlier steps before.
  const steps = script.steps.slice(0, script.steps.indexOf(failed.step) + 1);
  return { ...outcome, script: { ...script, steps: steps.filter((step) => !leftOut.has(step)) } };
}

/** Scripts with fewer or simpler steps, or with a shorter opening. */
function* simplerThan({ opening, steps }: Script): Generator<Script> {
  const last = steps.length - 1;
  const ones = Array.from({ length: Math.max(0, last) }, (_, at) => [at]);
  const pairs = ones.flatMap(([at = 0]) => ones.slice(at + 1).map(([other = 0]) => [at, other]));
  for (const removed of [...ones, ...pairs]) {
    const rest = closed(
      opening,
      steps.filter((_, at) => !removed.includes(at)),
    );
    // The last step shows the violation.
    if (rest.at(-1) === steps[last]) yield { opening, steps: rest };
  }
  for (const renamed of withOtherNames(opening, steps)) yield { opening, steps: renamed };
  for (const [at, step] of steps.entries()) {
    const simple = rowOf(step).simpler?.(step);
    if (simple) yield { opening, steps: steps.with(at, simple) };
  }
  // An opening may have what the script creates with its own steps.
  for (const longer of steps.length > FEW ? OPENINGS : []) {
    if (longer.length > opening.length) {
      yield { opening: longer, steps: renumbered(longer, steps) };
    }
  }
  for (const shorter of OPENINGS) {
    if (shorter.length >= opening.length) break;
    if (closed(shorter, steps).length === steps.length) yield { opening: shorter, steps };
  }
  yield { opening, steps: renumbered(opening, steps) };
}

/** The steps with the names that the shortest script would have given. */
function renumbered(opening: readonly Step[], steps: readonly Step[]): Step[] {
  const counts = new Map<string, number>();
  const next = (name: Name) => {
    const count = (counts.get(kindOf(name)) ?? 0) + 1;
    counts.set(kindOf(name), count);
    return `${kindOf(name)} ${count}`;
  };
  const names = new Map<Name, Name>();
  for (const name of opening.flatMap((step) => namesIn(step).gives)) names.set(name, next(name));
  for (const name of steps.flatMap((step) => namesIn(step).gives)) names.set(name, next(name));
  const renamed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renamed);
    if (typeof value === "object" && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, renamed(one)]));
    }
    if (typeof value !== "string") return value;
    const source = sourceOf(value);
    return value.replace(source, names.get(source) ?? source);
  };
  return steps.map((step) => renamed(step) as Step);
}

/** Those steps that use only what the opening, or those before them, create. */
function closed(opening: readonly Step[], steps: readonly Step[]): Step[] {
  const known = new Set<Name>(opening.flatMap((step) => namesIn(step).gives));
  return steps.filter((step) => {
    const { uses, gives } = namesIn(step);
    const isKnown = uses.every((name) => known.has(name) || known.has(sourceOf(name)));
    if (isKnown) for (const name of gives) known.add(name);
    return isKnown;
  });
}

/** The steps with a resource replaced by an earlier one of its kind, which needs no steps. */
function* withOtherNames(opening: readonly Step[], steps: readonly Step[]): Generator<Step[]> {
  const given = [...opening, ...steps].flatMap((step) => namesIn(step).gives);
  const used = new Set(steps.flatMap((step) => namesIn(step).uses));
  for (const name of used) {
    const kind = kindOf(name);
    for (const other of given) {
      if (kindOf(other) !== kind || other === name || !isBefore(other, name, given)) continue;
      const renamed = steps.map((step) => rename(step, name, other));
      if (closed(opening, renamed).length === renamed.length) yield renamed;
    }
  }
}

function kindOf(name: Name): string {
  return name.replace(/ .*/, "");
}

function isBefore(one: Name, other: Name, given: readonly Name[]): boolean {
  return given.indexOf(one) < given.indexOf(sourceOf(other));
}

/** The step with another name for a resource that it uses. */
function rename(step: Step, name: Name, other: Name): Step {
  const fields = Object.entries(step).map(([field, value]) =>
    field !== "as" && value === name ? [field, other] : [field, value],
  );
  return Object.fromEntries(fields) as Step;
}
