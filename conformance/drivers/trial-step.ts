import type { EventName } from "../../generated/events.ts";
import type { Verb, VerbParams, VerbResult } from "../driver.ts";
import type { Delivery } from "../wire/exchange.ts";

/** What earlier steps of a trial produced, and the verb that produces it. */
export const PRODUCERS = {
  reqScaSubscription: "enroll",
  card: "enroll",
  last4: "enroll",
  activeCard: "clearSca",
  activeSubscription: "clearSca",
  otherCard: "clearSca",
  startedLink: "startLink",
  creditAccount: "completeLink",
  plainAccount: "completeLink",
  bankFeedSubscription: "completeLink",
  purchase: "authorize",
  authorization: "authorize",
  matched: "postAtBank",
  movement: "postAtBank",
  duplicate: "postAtBank",
  submittedFeed: "submitFeed",
  state: "snapshot",
} as const satisfies Record<string, Verb>;

export type Name = keyof typeof PRODUCERS;

/** The values that are known so far. */
export type Known = Partial<Record<Name, string>>;

/** An event that a step must cause, with its values by JSON pointer. */
export interface Owed {
  readonly name: EventName;
  readonly values: Readonly<Record<string, unknown>>;
}

/** A call of a verb. */
export interface TrialStep<V extends Verb = Verb> {
  readonly verb: V;
  /** Distinguishes it from other calls of the verb. */
  readonly note?: string;
  readonly needs: readonly Name[];
  /** Called once everything that the step needs is known. */
  readonly params: (known: Required<Known>) => VerbParams<V>;
  readonly owes?: (result: VerbResult<V>, known: Required<Known>) => readonly Owed[];
  /** The resources of the API that must exist afterwards, as relative links. */
  readonly shows?: (result: VerbResult<V>) => readonly string[];
  readonly learn?: (
    result: VerbResult<V>,
    known: Required<Known>,
    deliveries: readonly Delivery[],
  ) => Known;
}
