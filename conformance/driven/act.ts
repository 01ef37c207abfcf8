import { memberOf } from "../../src/contract/pointer.ts";
import type { Delivery } from "../deliveries/delivery.ts";
import type { Verb, VerbParams, VerbResult } from "../driver.ts";
import type { Session } from "../session.ts";
import { Aborted, Refused, Skip } from "../skip.ts";

/** What came of a verb. */
export interface VerbOutcome<Result> {
  readonly result: Result;
  /** What was delivered since just before, in the order in which it came; others' may be there. */
  readonly deliveries: readonly Delivery[];
  /** How many deliveries there were before. */
  readonly since: number;
}

/** Whether all that is owed has come. */
export type IsComplete = (deliveries: readonly Delivery[]) => boolean;

/** What a verb has to tell, for what follows to be found by it. */
const RESULT_FIELDS: { readonly [V in Verb]?: readonly (keyof VerbResult<V>)[] } = {
  enroll: ["subscriptionId", "cardId", "last4"],
  submitFeed: ["feedId"],
  acceptFeed: ["subscriptionIds"],
  startLink: ["bankLinkId"],
  completeLink: ["bankAccountIds"],
  authorize: ["transactionId", "messageId"],
  clear: ["messageId"],
  postAtBank: ["bankTransactionId"],
  tellLate: ["transactionId"],
};

/** Drives the target. Rejects with Unseen where it refuses, or the driver does not tell enough. */
export async function drive<V extends Verb>(
  session: Session,
  verb: V,
  params: VerbParams<V>,
): Promise<VerbResult<V>> {
  const result = await session.drive(verb, params);
  for (const name of RESULT_FIELDS[verb] ?? []) {
    const value = memberOf(result, name as string);
    const isThere = typeof value === "string" || Array.isArray(value);
    if (!isThere) throw new Skip(`the driver's verb ${verb} gave no ${String(name)}`);
  }
  return result;
}

/**
 * Drives the target, and waits for what it owes: until it has settled, or, where the driver can't
 * tell, until that has come or the time is over.
 *
 * @param owes Tells of the verb's result what has to come.
 */
export async function driveAndWait<V extends Verb>(
  session: Session,
  verb: V,
  params: VerbParams<V>,
  owes: (result: VerbResult<V>) => IsComplete,
): Promise<VerbOutcome<VerbResult<V>>> {
  const since = (await session.deliveries()).length;
  const result = await drive(session, verb, params);
  return { result, deliveries: await deliveriesSince(session, since, owes(result)), since };
}

/** How far the clock is moved while something is waited for: dense at first. */
const HOUR_S = [10, 50, 240, 3_300];
const MONTH_S = [...HOUR_S, 18_000, 64_800, 172_800, 432_000, 864_000, 1_036_800];

/**
 * Does so where what is owed may come later by the target's clock, which is moved on until then
 * where the driver can.
 *
 * @param longest What may not come at all is waited for no longer than an hour.
 */
export async function driveAndAdvance<V extends Verb>(
  session: Session,
  verb: V,
  params: VerbParams<V>,
  owes: (result: VerbResult<V>) => IsComplete,
  longest: "an hour" | "a month" = "a month",
): Promise<VerbOutcome<VerbResult<V>>> {
  const since = (await session.deliveries()).length;
  const result = await drive(session, verb, params);
  const isEnough = owes(result);
  const steps = longest === "an hour" ? HOUR_S : MONTH_S;
  for (const seconds of hasVerb(session, "advance") ? steps : []) {
    if (isEnough(await deliveriesSince(session, since, () => true))) break;
    await session.drive("advance", { seconds });
  }
  return { result, deliveries: await deliveriesSince(session, since, isEnough), since };
}

/** What was delivered since there were so many, once it has settled or is enough. */
export async function deliveriesSince(
  session: Session,
  since: number,
  isEnough: IsComplete,
): Promise<readonly Delivery[]> {
  const canSettle = hasVerb(session, "settle");
  if (canSettle) await session.drive("settle", undefined);
  const isAll: IsComplete = (deliveries) => canSettle || isEnough(deliveries.slice(since));
  return (await allDeliveries(session, isAll, since)).slice(since);
}

/**
 * The deliveries so far. Rejects with CutShort where the receiver refused one since there were so
 * many: what is missing may be what it refused.
 */
export async function allDeliveries(
  session: Session,
  isEnough?: IsComplete,
  since = 0,
): Promise<readonly Delivery[]> {
  const all = await session.deliveries(isEnough);
  const isFull = ({ refused }: Delivery) => refused === "full";
  const refused = all.slice(since).find((one) => one.refused) ?? all.find(isFull);
  if (!refused) return all;
  const why = isFull(refused) ? "the run keeps no more" : "it was too large";
  throw new Aborted(`the run's receiver refused a delivery of the target: ${why}`);
}

/** Stories that were told, and why another one was not. */
export interface Scenarios<T> {
  readonly completed: readonly T[];
  /** Why the first of those was not told that the target refused; left out where none was. */
  readonly missing?: Skip;
}

/**
 * Tells stories, one after the other. One that the target does not let be told hides no other.
 * Rejects with Unseen where none can be told.
 */
export async function runScenarios<T>(...scenarios: (() => Promise<T>)[]): Promise<Scenarios<T>> {
  const completed: T[] = [];
  const unseen: Skip[] = [];
  for (const scenario of scenarios) {
    try {
      completed.push(await scenario());
    } catch (error) {
      if (!(error instanceof Skip)) throw error;
      unseen.push(error);
    }
  }
  const missing = unseen.find((error) => error instanceof Refused);
  const [first] = unseen;
  if (first && completed.length === 0) throw missing ?? first;
  return { completed, ...(missing && { missing }) };
}

/** Whether the run's driver has a verb. */
export function hasVerb({ capabilities: means }: Session, verb: Verb): boolean {
  return means.verbs.includes(verb);
}
