import { DEFAULT_NETWORKS } from "../../src/contract/networks.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import type { Verb } from "../driver.ts";
import { contentOf, textAt } from "../observe/deliveries/find.ts";
import { listAt } from "../observe/feed.ts";
import { situationsOf } from "../observe/situations.ts";
import type { Delivery } from "../wire/exchange.ts";
import { connectionRows } from "./connections.ts";
import { feedRows } from "./feeds.ts";
import { linkRows, owedByCreatedCards } from "./links.ts";
import { emptyModel, type Model } from "./model.ts";
import { about, retractionIn, values } from "./owed.ts";
import { postingRows } from "./postings.ts";
import { purchaseRows } from "./purchases.ts";
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

/**
 * The events that are owed because of other events, whatever step has caused these.
 *
 * @param before The state before the deliveries.
 * @param world The state with them.
 */
export function consequencesOf(
  before: World,
  world: World,
  deliveries: readonly Delivery[],
): Owed[] {
  const known = new Set(before.deliveries.map(contentOf));
  // A repeated delivery causes nothing.
  const fresh = deliveries.filter((one) => !known.has(contentOf(one)));
  return fresh.flatMap((delivery) => {
    if (delivery.name === "banklink.completed") return owedByCreatedCards(delivery.json);
    if (delivery.name === "transaction.match.created") return nettings(world, delivery);
    if (delivery.name === "transaction.match.deleted") return retractionIn(before, delivery);
    return [];
  });
}

const NETTED = { "/transactionSettledAmount": 0, "/cardholderBillingSettledAmount": 0 };

/**
 * Transaction, row 3: a match of any confidence revises the standalone transaction of its movement
 * to 0, unless an earlier match has.
 */
function nettings(world: World, { json, nr }: Delivery): Owed[] {
  if (!world.matches.has(textAt(json, "/matchId") ?? "")) return [];
  const standalones = listAt(json, "matches").flatMap((one) =>
    world.standalonesOf(textAt(one, "/id") ?? ""),
  );
  const confidence = textAt(json, "/confidence") ?? "";
  return standalones.flatMap((standalone): Owed[] => {
    const id = textAt(standalone.json, "/id") ?? "";
    const earlier = world.deliveries.findLast((one) => {
      return one.nr < nr && one.name.startsWith("transaction.") && textAt(one.json, "/id") === id;
    });
    if (memberOf(earlier?.json, "transactionSettledAmount") === 0) return [];
    return [
      {
        claims: ["TXN-14.updated", "TXN-14.netted"],
        ...about("transaction.updated", "/id", id, " with its settled amounts revised to 0"),
        wants: [
          values("TXN-14.netted", NETTED),
          values("TXN-14.stays-settled", { "/status": "SETTLED" }),
        ],
        in: situationsOf({ confidence }, DEFAULT_NETWORKS),
        row: { table: "transaction", row: 3, case: confidence },
      },
    ];
  });
}
