import type { EventName } from "../../generated/events.ts";
import type { ClaimId } from "../../generated/requirements.ts";
import { bodyOf, breachAt, differences } from "../assert.ts";
import type { Breach } from "../check.ts";
import { listAt, textAt } from "../observe/deliveries/find.ts";
import type { Owed, Wanted } from "./row.ts";

/** Values that a body must have, by JSON pointer; undefined: nothing. */
export function values(claim: ClaimId, wanted: Readonly<Record<string, unknown>>): Wanted {
  return { claim, breaches: (message) => differences(message, wanted) };
}

/** A condition on a body. */
export function where(
  claim: ClaimId,
  path: string,
  expected: string,
  isTrue: (body: unknown) => boolean,
): Wanted {
  return {
    claim,
    breaches: (message) => (isTrue(bodyOf(message)) ? [] : [breachAt(message, path, expected)]),
  };
}

/** A text that a body must have, whatever it says. */
export function aText(claim: ClaimId, path: string, expected: string): Wanted {
  return where(claim, path, expected, (body) => textAt(body, path) !== undefined);
}

/** What only some bodies must have. */
export function only(wanted: Wanted, isMeant: (body: unknown) => boolean): Wanted {
  const { breaches } = wanted;
  return { ...wanted, breaches: (one) => (isMeant(bodyOf(one)) ? breaches(one) : undefined) };
}

/** What the interface leaves open: a breach is a warning. */
export function asWarning(wanted: Wanted): Wanted {
  const { breaches } = wanted;
  const warn = (breach: Breach) => ({ ...breach, isWarning: true as const });
  return { ...wanted, breaches: (message) => breaches(message)?.map(warn) };
}

/** Whether a body has a text at a place. */
export function has(path: string, text: string): (body: unknown) => boolean {
  return (body) => textAt(body, path) === text;
}

/**
 * An event about the resource with an id.
 *
 * @param path Where the event has the id, as a JSON pointer.
 * @param more The end of the sentence that names the event.
 */
export function about(
  event: EventName,
  path: string,
  id: string,
  more = "",
): Pick<Owed, "event" | "what" | "is"> {
  return { event, what: `${event} of ${id}${more}`, is: has(path, id) };
}

/** The announcement of a bank transaction's match. */
export function match(claim: ClaimId, bankTransactionId: string): Owed {
  return {
    claims: [claim],
    event: "transaction.match.created",
    what: `transaction.match.created of ${bankTransactionId}`,
    is: (body) => listAt(body, "matches").some(has("/id", bankTransactionId)),
  };
}

/** The announcement that a match has ended. */
export function retraction(claim: ClaimId, matchId: string, wants: readonly Wanted[]): Owed {
  return {
    claims: [claim],
    ...about("transaction.match.deleted", "/matchId", matchId),
    wants,
  };
}
