import type { RequirementId } from "../generated/requirements.ts";
import type { Capability } from "./capabilities.ts";
import type { Delivery } from "./deliveries/delivery.ts";
import type { Session } from "./session.ts";
import { Aborted, type Skip } from "./skip.ts";
import { type Exchange, outcomeOf } from "./transport/exchange.ts";

export { Skip } from "./skip.ts";

/**
 * One way in which a requirement can be seen to hold or not to hold: data and one async function.
 */
export interface Check {
  readonly requirement: RequirementId;
  /** A fact in the present tense, under 70 characters, that the check finds true or not. */
  readonly title: string;
  /** What it needs beyond answers; where a run lacks it, the check is skipped by name. */
  readonly requires: readonly Capability[];
  /**
   * Other checks of the requirement look for the same elsewhere: where this one sees nothing, that
   * leaves nothing open which another saw.
   */
  readonly alternative?: true;
  /**
   * Looks at the target. It may look at nothing but the session, and what it asks may depend on
   * nothing but what the session gave: so it finds the same when the run is replayed.
   *
   * @returns Resolves to what was found, or to Unseen where the target had no case to look at.
   * Rejects with Unseen, or by a fault of the suite.
   */
  readonly run: (session: Session) => Promise<Found | Skip>;
}

/** What a check found. */
export interface Found {
  /** At how many things it looked: each is an assertion. Never 0: that would be Unseen. */
  readonly assertions: number;
  /** Where the requirement does not hold; nothing where it holds. */
  readonly breaches: readonly Breach[];
}

/** One place where a requirement does not hold. */
export interface Breach {
  /** Where in the body, as a JSON pointer; left out where it is not about the body. */
  readonly path?: string;
  readonly expected: string;
  readonly actual: string;
  /** Whether it is a warning under any requirement, as the interface does not state it. */
  readonly isWarning?: true;
  /** What shows it: the exchange or delivery concerned first, what it is compared with after. */
  readonly shownBy: readonly [Exchange | Delivery, ...(Exchange | Delivery)[]];
}

/** What is found by one look. */
export function once(breaches: readonly Breach[]): Found {
  return { assertions: 1, breaches };
}

/**
 * Looks at each of some things.
 *
 * @param unseen Why there is nothing, and what would have to be there; told where there are none.
 */
export function each<T>(
  things: Iterable<T>,
  unseen: Skip,
  judge: (thing: T) => readonly Breach[],
): Found | Skip {
  const list = [...things];
  return list.length === 0 ? unseen : { assertions: list.length, breaches: list.flatMap(judge) };
}

/** The same for the responses to some requests. A request that got none shows nothing. */
export async function eachAnswered<T>(
  things: Iterable<T>,
  unseen: Skip,
  send: (thing: T) => Promise<Exchange>,
  judge: (exchange: Exchange, thing: T) => readonly Breach[],
): Promise<Found | Skip> {
  const sent = await Promise.all(
    [...things].map(async (thing) => ({ thing, exchange: await send(thing) })),
  );
  const [first] = sent;
  const answered = sent.filter(({ exchange }) => exchange.response);
  if (first && answered.length === 0) return new Aborted(outcomeOf(first.exchange));
  return each(answered, unseen, ({ thing, exchange }) => judge(exchange, thing));
}

/** The same where looking takes requests. They go out at once; the wire bounds how many. */
export async function eachAsync<T>(
  things: Iterable<T>,
  unseen: Skip,
  judge: (thing: T) => Promise<readonly Breach[]>,
): Promise<Found | Skip> {
  const list = [...things];
  if (list.length === 0) return unseen;
  return { assertions: list.length, breaches: (await Promise.all(list.map(judge))).flat() };
}
