import type { Verb } from "../driver.ts";
import { connectionRows } from "./connections.ts";
import { feedRows } from "./feeds.ts";
import { linkRows } from "./links.ts";
import { emptyModel, type Model } from "./model.ts";
import { postingRows } from "./postings.ts";
import { purchaseRows } from "./purchases.ts";
import { removalRows } from "./removals.ts";
import type { Limits, Meaning, Owed, Row, Rows, StepVerb } from "./row.ts";
import { FIELD_IDS, type Ids, type Name, type Step } from "./step.ts";
import { subscriptionRows } from "./subscriptions.ts";
import { idsIn, type World } from "./world.ts";

/**
 * All verbs, each with all that the interface says about it. It is written from the interface,
 * never from a server, and shares no code with `src/model`.
 */
const TABLE: Rows<StepVerb> = {
  ...subscriptionRows,
  ...feedRows,
  ...linkRows,
  ...connectionRows,
  ...purchaseRows,
  ...postingRows,
  ...removalRows,
};

/** The verbs of scripts. */
export const ALPHABET = Object.keys(TABLE) as StepVerb[];

/** The row of a step's verb. */
export function rowOf({ verb }: Pick<Step, "verb">): Row<StepVerb> {
  return TABLE[verb] as unknown as Row<StepVerb>;
}

/** The parameter of the driver's verb for a step. */
export function paramsOf(world: World, step: Step): unknown {
  const { params } = rowOf(step);
  if (params) return params(step, world);
  const { verb, as, isLater, ...values } = step as Step & { as?: Name; isLater?: true };
  const named = Object.entries(values).map(([field, value]) => {
    const id = (FIELD_IDS as Partial<Record<string, keyof Ids>>)[field];
    return id === undefined ? [field, value] : [id, world.idsOf(value as Name)[id]];
  });
  return Object.fromEntries(named);
}

/** The meaning of a step in a state. */
export function meaningOf(model: Model, step: Step): Meaning {
  return rowOf(step).when(model, step);
}

/** The state after a step that applies. */
export function applied(model: Model, step: Step): Model {
  return rowOf(step).apply(model, step);
}

/** The state after steps, if all of them are carried out. */
export function modelAfter(steps: readonly Step[]): Model {
  return steps.reduce(applied, emptyModel());
}

/** The events that a step owes which applies. */
export function owedBy(world: World, step: Step, result: unknown): readonly Owed[] {
  return rowOf(step).owes(world, step, result);
}

/** Gives the names of a step to the ids in its result. */
export function bindResult(world: World, step: Step, result: unknown): void {
  if ("as" in step) world.bind(step.as, idsIn(result));
  rowOf(step).bind?.(world, step, result);
}

/** Every step that means something in a state, in a fixed order. */
export function stepsIn(model: Model, verbs: readonly Verb[], limits: Limits): Step[] {
  const known = ALPHABET.filter((verb) => verbs.includes(verb));
  // Without `advance`, it is open when polling completes a link.
  const isLate = (step: Step) =>
    "by" in step && step.by === "polling" && !verbs.includes("advance");
  return known
    .flatMap((verb): Step[] => [...rowOf({ verb }).variants(model, limits)])
    .filter((step) => !isLate(step) && meaningOf(model, step) !== undefined);
}
