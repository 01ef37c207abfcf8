import { memberOf } from "../../src/contract/pointer.ts";
import type { Verb, VerbParams, VerbResult } from "../driver.ts";
import { RESULT_FIELDS } from "../drivers/verbs.ts";
import type { Session } from "../run/session.ts";
import { Aborted, Refused, Skip, Unmet } from "../run/skip.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";

/** The outcome of a driver's verb. */
export interface VerbOutcome<Result> {
  readonly result: Result;
  /** The deliveries since the verb started, in order of arrival. Unrelated ones may be included. */
  readonly deliveries: readonly Delivery[];
  /** The number of deliveries before the verb. */
  readonly since: number;
}

/** Whether all expected deliveries have arrived. */
export type IsComplete = (deliveries: readonly Delivery[]) => boolean;

/**
 * Runs a verb of the driver.
 *
 * @throws {Skip} if the target refuses, or a field is missing from the result
 */
export async function drive<V extends Verb>(
  session: Session,
  verb: V,
  params: VerbParams<V>,
): Promise<VerbResult<V>> {
  const result = await session.drive(verb, params);
  for (const name of Object.keys(RESULT_FIELDS[verb] ?? {})) {
    const value = memberOf(result, name);
    const isPresent = typeof value === "string" || Array.isArray(value);
    if (!isPresent) throw new Skip(`the driver's verb ${verb} returned no ${name}`);
  }
  return result;
}

/**
 * Runs a verb and waits for its deliveries: until the target has settled or, without the verb
 * `settle`, until they have arrived or the wait times out.
 *
 * @param owes Returns, for the verb's result, whether the deliveries are complete.
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

/** The clock's steps in seconds, short at first. */
const HOUR_S = [10, 50, 240, 3_300];
const MONTH_S = [...HOUR_S, 18_000, 64_800, 172_800, 432_000, 864_000, 1_036_800];

/**
 * Runs a verb and waits like `driveAndWait`. Advances the target's clock until the deliveries
 * arrive, if the driver can.
 *
 * @param longest The most to advance the clock: an hour for deliveries that may never arrive.
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
  await advanceUntil(session, since, isEnough, longest);
  return { result, deliveries: await deliveriesSince(session, since, isEnough), since };
}

/** Advances the target's clock, if the driver can, until the deliveries arrived. */
export async function advanceUntil(
  session: Session,
  since: number,
  isEnough: IsComplete,
  longest: "an hour" | "a month" = "a month",
): Promise<void> {
  const steps = longest === "an hour" ? HOUR_S : MONTH_S;
  for (const seconds of hasVerb(session, "advance") ? steps : []) {
    if (isEnough(await deliveriesSince(session, since, () => true))) return;
    await session.drive("advance", { seconds });
  }
}

/** The deliveries since the first `since`, once the target has settled or they are complete. */
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
 * Returns the deliveries so far.
 *
 * @throws {Aborted} if the receiver refused a delivery, which may be the missing one
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
  const why = isFull(refused)
    ? "the run's limit of stored deliveries is reached"
    : "it is too large";
  throw new Aborted(`the run's receiver refused a delivery of the target: ${why}`);
}

/** The results of the completed scenarios, and why another one did not run. */
export interface Scenarios<T> {
  readonly completed: readonly T[];
  /** The target's first refusal of a scenario, if any. */
  readonly missing?: Skip;
}

/**
 * Runs scenarios one after the other. A refused one does not prevent the others.
 *
 * @throws {Skip} if none could run
 */
export async function runScenarios<T>(...scenarios: (() => Promise<T>)[]): Promise<Scenarios<T>> {
  const completed: T[] = [];
  const skips: Skip[] = [];
  for (const scenario of scenarios) {
    try {
      completed.push(await scenario());
    } catch (error) {
      if (!(error instanceof Skip)) throw error;
      skips.push(error);
    }
  }
  const missing = skips.find((error) => error instanceof Refused || error instanceof Unmet);
  const [first] = skips;
  if (first && completed.length === 0) throw missing ?? first;
  return { completed, ...(missing && { missing }) };
}

/** Repeats a verb. A refusal is correct too: nothing may change. */
export async function unlessRefused(repeat: () => Promise<unknown>): Promise<void> {
  try {
    await repeat();
  } catch (error) {
    if (error instanceof Skip && !(error instanceof Aborted)) return;
    throw error;
  }
}

/** Whether the run's driver has a verb. */
export function hasVerb({ capabilities }: Session, verb: Verb): boolean {
  return capabilities.verbs.includes(verb);
}

export function readTransaction(session: Session, transactionId: string): Promise<Exchange> {
  return session.call("GET /transactions/{transactionId}", { path: { transactionId } });
}

export function readMessage(session: Session, id: string): Promise<Exchange> {
  return session.call("GET /transaction-messages/{id}", { path: { id } });
}

export function readSubscription(session: Session, id: string): Promise<Exchange> {
  return session.call("GET /card-subscriptions/{id}", { path: { id } });
}

export function readFeed(session: Session, id: string): Promise<Exchange> {
  return session.call("GET /network-bulk-feeds/{id}", { path: { id } });
}

export function readBankAccount(session: Session, id: string): Promise<Exchange> {
  return session.call("GET /bank-accounts/{id}", { path: { id } });
}
