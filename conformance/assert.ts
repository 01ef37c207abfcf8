import { isDeepStrictEqual } from "node:util";
import type { ClaimId, Situation } from "../generated/requirements.ts";
import { describeValue } from "../src/contract/describe.ts";
import { segmentsOf, valueAt } from "../src/contract/pointer.ts";
import {
  type Breach,
  type Check,
  type ClaimBreach,
  type Found,
  namedClaims,
  type Session,
  Skip,
} from "./check.ts";
import { Aborted } from "./skip.ts";
import { type Delivery, type Exchange, isDelivery, outcomeOf } from "./wire/exchange.ts";

export type Message = Exchange | Delivery;

/** The body of a delivery or of a 200 response, if there is one. */
export function bodyOf(message: Message): unknown {
  if (isDelivery(message)) return message.json;
  return message.response?.status === 200 ? message.response.json : undefined;
}

/** Names an exchange or a delivery in one line. */
export function nameOf(message: Message): string {
  if (isDelivery(message)) return message.name || "a delivery";
  const { method, url } = message.request;
  return `${method} ${new URL(url).pathname}`;
}

/** The assertions of a check, shared by the views on its claims. */
interface Collected {
  assertions: number;
  readonly breaches: Breach[];
  readonly decided: Map<ClaimId, Set<Situation>>;
}

/** Collects the assertions of one check, and those that failed. */
export class Assertions<B extends Breach = Breach> {
  readonly #collected: Collected;
  readonly #claim: ClaimId | undefined;
  readonly #situations: readonly Situation[];

  constructor(collected?: Collected, claim?: ClaimId, situations: readonly Situation[] = []) {
    this.#collected = collected ?? { assertions: 0, breaches: [], decided: new Map() };
    this.#claim = claim;
    this.#situations = situations;
  }

  /**
   * Returns a view whose assertions belong to one claim. If a check uses views, it decides only the
   * claims with at least one assertion.
   *
   * @param situations The situations that the assertions meet.
   */
  of(claim: ClaimId, ...situations: readonly Situation[]): Assertions {
    return new Assertions(this.#collected, claim, situations);
  }

  /** Asserts a condition. */
  check(isTrue: boolean, breach: B): void {
    this.all(isTrue ? [] : [breach]);
  }

  /** Adds the breaches of one assertion. */
  all(breaches: readonly B[]): void {
    const { decided, breaches: all } = this.#collected;
    const claim = this.#claim;
    this.#collected.assertions += 1;
    all.push(...breaches.map((breach) => (claim ? { claim, ...breach } : breach)));
    if (claim === undefined) return;
    decided.set(claim, new Set([...(decided.get(claim) ?? []), ...this.#situations]));
  }

  /**
   * Asserts that an event was delivered.
   *
   * @param what A description of the event, such as `transaction.updated of ...`.
   * @param requiredBy The message that requires the event.
   */
  wasDelivered(
    this: Assertions,
    deliveries: readonly Delivery[],
    what: string,
    requiredBy: Message,
  ): void {
    const actual = "it was not delivered";
    this.check(deliveries.length > 0, { expected: what, actual, evidence: [requiredBy] });
  }

  /** Asserts that at most `most` of these were sent. */
  atMost(this: Assertions, most: number, deliveries: readonly Delivery[], what: string): void {
    const [first, ...others] = deliveries.toReversed();
    const actual = `${deliveries.length} were delivered`;
    const isTooMany = first && deliveries.length > most;
    this.all(isTooMany ? [{ expected: what, actual, evidence: [first, ...others] }] : []);
  }

  /**
   * Returns the result of the check; a skip if nothing was asserted.
   *
   * @param missing Why a part of the script did not run. If set, the check can fail but not pass.
   */
  result(reason: string, missing?: Skip): Found<B> | Skip {
    const { assertions, decided } = this.#collected;
    // Each view has added its claim.
    const breaches = this.#collected.breaches as B[];
    if (missing && breaches.length === 0) return missing;
    if (assertions === 0) return new Skip(reason);
    return { assertions, breaches, ...(decided.size > 0 && { decided }) };
  }
}

/** Collects the assertions of a check of several claims: each breach names one of them. */
export const ClaimAssertions = Assertions<ClaimBreach>;

/** Compares a body with expected values, by JSON pointer. */
export function differences(
  message: Message,
  values: Readonly<Record<string, unknown>>,
  related: readonly Message[] = [],
): Breach[] {
  const body = bodyOf(message);
  return Object.entries(values).flatMap(([path, value]) => {
    if (isDeepStrictEqual(valueAt(body, segmentsOf(path)), value)) return [];
    const expected = value === undefined ? "nothing" : JSON.stringify(value);
    return [breachAt(message, path, expected, ...related)];
  });
}

/** Creates a breach at one path of a body. */
export function breachAt(
  message: Message,
  path: string,
  expected: string,
  ...related: Message[]
): Breach {
  const actual = describeValue(valueAt(bodyOf(message), segmentsOf(path)), path);
  return { path, expected, actual, evidence: [message, ...related] };
}

/** The result of a single assertion. */
export function once<B extends Breach>(breaches: readonly B[]): Found<B> {
  return { assertions: 1, breaches };
}

/**
 * Checks each of several cases, concurrently.
 *
 * @param skip Returned if there are none.
 * @param situationsOf The situations that a case shows.
 */
export async function each<T, B extends Breach = Breach>(
  things: Iterable<T>,
  skip: Skip,
  findBreaches: (thing: T) => readonly B[] | Promise<readonly B[]>,
  situationsOf: (thing: T) => readonly Situation[] = () => [],
): Promise<Found<B> | Skip> {
  const list = [...things];
  if (list.length === 0) return skip;
  const breaches = (await Promise.all(list.map(findBreaches))).flat();
  return { assertions: list.length, breaches, situations: list.flatMap(situationsOf) };
}

/** A check of several cases, each of which decides its claims. */
interface CaseCheck<T> extends Pick<Check, "title" | "wants" | "phase"> {
  /** Default: nothing. */
  readonly requires?: Check["requires"];
  readonly cases: (session: Session) => Promise<Iterable<T>>;
  /** Why there is no case. */
  readonly none: Skip;
  /** The breaches of a case. A check of several claims names the claim of each. */
  readonly find: (one: T, session: Session) => readonly Breach[] | Promise<readonly Breach[]>;
  /** The situations that a case shows; default: none. */
  readonly situationsOf?: (one: T) => readonly Situation[];
}

/** Creates a check that looks at each of several cases. */
export function caseCheck<T>(claims: readonly ClaimId[], rule: CaseCheck<T>): Check {
  const { cases, none, find, situationsOf, requires = [], ...check } = rule;
  return {
    ...{ ...check, claims: namedClaims(claims), requires },
    run: async (session) => {
      const all = await cases(session);
      const isOfDeliveries = requires.includes("deliveries");
      const skip = isOfDeliveries ? none : await session.skip(none.reason, none.hint);
      return each(
        all,
        skip,
        async (one) => (await find(one, session)) as readonly ClaimBreach[],
        situationsOf,
      );
    },
  };
}

/** Checks the response to each of several requests. Requests without a response are ignored. */
export async function eachResponse<T, B extends Breach = Breach>(
  things: Iterable<T>,
  skip: Skip,
  send: (thing: T) => Promise<Exchange>,
  findBreaches: (exchange: Exchange, thing: T) => readonly B[],
): Promise<Found<B> | Skip> {
  const sent = await Promise.all(
    [...things].map(async (thing) => ({ thing, exchange: await send(thing) })),
  );
  const [first] = sent;
  const responded = sent.filter(({ exchange }) => exchange.response);
  if (first && responded.length === 0) return new Aborted(outcomeOf(first.exchange));
  return each(responded, skip, ({ thing, exchange }) => findBreaches(exchange, thing));
}
