import { claims as catalogue } from "../../generated/requirements.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import type { Check, Session } from "../check.ts";
import { RESULT_FIELDS, type Verb, type VerbParams, type VerbResult } from "../driver.ts";
import { Aborted, Unmet } from "../skip.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";

/** Whether all expected deliveries have arrived. */
type IsComplete = (deliveries: readonly Delivery[]) => boolean;

/**
 * Runs a verb of the driver.
 *
 * @throws {Refused} if the target refuses
 * @throws {Unmet} if a field is missing from the result
 */
export async function drive<V extends Verb>(
  session: Session,
  verb: V,
  params: VerbParams<V>,
): Promise<VerbResult<V>> {
  const result = await session.drive(verb, params);
  for (const name of Object.keys(RESULT_FIELDS[verb])) {
    const value = memberOf(result, name);
    const isPresent = typeof value === "string" || Array.isArray(value);
    if (!isPresent) throw new Unmet(`${verb} returned no ${name}`);
  }
  return result;
}

/** The deliveries since the first `since`, once the target has settled or they are complete. */
export async function deliveriesSince(
  session: Session,
  since: number,
  isEnough: IsComplete,
): Promise<readonly Delivery[]> {
  const canSettle = hasVerbs(session, "settle");
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

/** How the clock goes on until an effect comes, in seconds: short steps at first. */
export const HOUR_S = [10, 50, 240, 3_300];
export const MONTH_S = [...HOUR_S, 18_000, 64_800, 172_800, 432_000, 864_000, 1_036_800];

/** Whether the run's driver has each of the verbs. */
export function hasVerbs({ capabilities }: Session, ...verbs: readonly Verb[]): boolean {
  return verbs.every((verb) => capabilities.verbs.includes(verb));
}

/** Sends `{}`, because the interface defines no body. A target may refuse it. */
export function patchLink(session: Session, bankLinkId: string): Promise<Exchange> {
  return session.call("PATCH /bank-links/{bankLinkId}", { path: { bankLinkId }, body: {} });
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

/**
 * Returns what only the checks that require a verb decide. If other checks decide all of it, too,
 * returns what it helps to decide. The claims are empty if the catalogue lists none.
 */
export function needFor(verb: Verb, checks: readonly Check[]) {
  const requires = (check: Check) => check.requires.includes(`verb:${verb}`);
  const isDriven = (check: Check) => check.requires.some((one) => one.startsWith("verb:"));
  const others = new Set(
    checks.filter((check) => isDriven(check) && !requires(check)).flatMap(({ claims }) => claims),
  );
  const all = [...new Set(checks.filter(requires).flatMap((check) => check.claims))];
  const only = all.filter((claim) => !others.has(claim));
  const claims = only.length > 0 ? only : all;
  const requirements = [...new Set(claims.map((claim) => catalogue[claim].requirement))].sort();
  return { requirements, claims };
}
