import type { RequirementId } from "../../generated/requirements.ts";
import { type Name, namesIn, type Script, type Step, sourceOf } from "../verbs/step.ts";
import { rowOf } from "../verbs/table.ts";
import { OPENINGS } from "./scripts.ts";
import type { PlayedScript } from "./stage.ts";

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

/** So many steps are few: a longer opening would not help a reader. */
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
  for (let at = 0; at < steps.length - 1; at++) {
    const rest = without(steps, [at]);
    if (rest) yield { opening, steps: rest };
  }
  for (let at = 0; at < steps.length - 1; at++) {
    for (let other = at + 1; other < steps.length - 1; other++) {
      const rest = without(steps, [at, other]);
      if (rest) yield { opening, steps: rest };
    }
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
    if (isClosed(steps, shorter)) yield { opening: shorter, steps };
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

/** The steps without some of them, and without those that need what these create. */
function without(steps: readonly Step[], removed: readonly number[]): Step[] | undefined {
  const gone = new Set<Name>(removed.flatMap((at) => namesIn(steps[at] as Step).gives));
  const rest: Step[] = [];
  for (const [at, step] of steps.entries()) {
    const { uses, gives } = namesIn(step);
    const isLost = uses.some((name) => gone.has(name) || gone.has(sourceOf(name)));
    if (removed.includes(at) || isLost) for (const name of gives) gone.add(name);
    else rest.push(step);
  }
  // The last step shows the violation.
  return rest.at(-1) === steps.at(-1) ? rest : undefined;
}

/** Whether steps use only what they, or other steps, create. */
function isClosed(steps: readonly Step[], others: readonly Step[]): boolean {
  const known = new Set<Name>(others.flatMap((step) => namesIn(step).gives));
  return steps.every((step) => {
    const { uses, gives } = namesIn(step);
    const isKnown = uses.every((name) => known.has(name) || known.has(sourceOf(name)));
    for (const name of gives) known.add(name);
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
      if (isClosed(renamed, opening)) yield renamed;
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
