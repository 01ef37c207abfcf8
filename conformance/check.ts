import type { RequirementId } from "../generated/requirements.ts";
import type { Capability } from "./run/capabilities.ts";
import type { Session } from "./run/session.ts";
import { Aborted, type Skip } from "./run/skip.ts";
import type { Delivery } from "./wire/delivery.ts";
import { type Exchange, outcomeOf } from "./wire/exchange.ts";

export { Skip } from "./run/skip.ts";

/** A single check of a requirement: metadata and one async function. */
export interface Check {
  readonly requirement: RequirementId;
  /** The fact that the check verifies, in the present tense and under 70 characters. */
  readonly title: string;
  /** The required capabilities. A run that lacks one skips the check. */
  readonly requires: readonly Capability[];
  /** Another check covers the same requirement; if this one finds no cases, the other decides. */
  readonly alternative?: true;
  /**
   * Checks the target. It may use only the session, and its requests may depend only on what the
   * session returned, so that a replay gives the same result.
   *
   * @returns Resolves to the result, or to a Skip if the target had no data for the check.
   * @throws {Skip} for the same reason; any other error is an error of the suite
   */
  readonly run: (session: Session) => Promise<Found | Skip>;
}

/** The result of a check. */
export interface Found {
  /** The number of cases checked, at least 1; a check without cases returns a Skip. */
  readonly assertions: number;
  /** The violations; empty if the requirement holds. */
  readonly breaches: readonly Breach[];
}

/** A single violation of a requirement. */
export interface Breach {
  /** A JSON pointer into the body; omitted if the violation is not in the body. */
  readonly path?: string;
  readonly expected: string;
  readonly actual: string;
  /** Whether it is only a warning, because the interface does not specify it. */
  readonly isWarning?: true;
  /** The evidence: the violating exchange or delivery, then those that it is compared with. */
  readonly evidence: readonly [Exchange | Delivery, ...(Exchange | Delivery)[]];
}

/** The result of a single assertion. */
export function once(breaches: readonly Breach[]): Found {
  return { assertions: 1, breaches };
}

/**
 * Checks each of several cases.
 *
 * @param skip Returned if there are none.
 */
export function each<T>(
  things: Iterable<T>,
  skip: Skip,
  findBreaches: (thing: T) => readonly Breach[],
): Found | Skip {
  const list = [...things];
  return list.length === 0
    ? skip
    : { assertions: list.length, breaches: list.flatMap(findBreaches) };
}

/** Checks the response to each of several requests. Requests without a response are ignored. */
export async function eachResponse<T>(
  things: Iterable<T>,
  skip: Skip,
  send: (thing: T) => Promise<Exchange>,
  findBreaches: (exchange: Exchange, thing: T) => readonly Breach[],
): Promise<Found | Skip> {
  const sent = await Promise.all(
    [...things].map(async (thing) => ({ thing, exchange: await send(thing) })),
  );
  const [first] = sent;
  const responded = sent.filter(({ exchange }) => exchange.response);
  if (first && responded.length === 0) return new Aborted(outcomeOf(first.exchange));
  return each(responded, skip, ({ thing, exchange }) => findBreaches(exchange, thing));
}

/** Checks several cases with an async function. The transport limits the concurrent requests. */
export async function eachAsync<T>(
  things: Iterable<T>,
  skip: Skip,
  findBreaches: (thing: T) => Promise<readonly Breach[]>,
): Promise<Found | Skip> {
  const list = [...things];
  if (list.length === 0) return skip;
  return { assertions: list.length, breaches: (await Promise.all(list.map(findBreaches))).flat() };
}
