import type { EventName } from "../../generated/events.ts";
import type { ClaimId, Situation } from "../../generated/requirements.ts";
import { bodyOf, breachAt, differences } from "../assert.ts";
import type { Breach } from "../check.ts";
import { textAt } from "../observe/deliveries/find.ts";
import { listAt } from "../observe/feed.ts";
import type { Delivery } from "../wire/exchange.ts";
import type { Forbidden, Owed, Wanted } from "./row.ts";
import { type Ids, namesIn, type Step } from "./step.ts";
import type { Later, World } from "./world.ts";

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

/**
 * How to recognise the effect of a step that may come later: by its event.
 *
 * @param ids The ids that the event gives to the name of the step.
 */
export function laterBy(
  { event, is }: Pick<Owed, "event" | "is">,
  ids: (body: unknown) => Ids = () => ({}),
  ...situations: readonly Situation[]
): Later {
  const shownBy = ({ name, json }: Delivery) =>
    name === event && is(json) ? ids(json) : undefined;
  return { shownBy, in: situations };
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

/** What a retraction says about its match (MAT-05). */
export function retractionIn(before: World, { json }: Delivery): Owed[] {
  const matchId = textAt(json, "/matchId") ?? "";
  const match = before.matches.get(matchId);
  if (!match) return [];
  const { bankTransactionIds, cardTransactionId } = match;
  const [bankTransactionId] = bankTransactionIds;
  const card = values("MAT-05.card-transaction", { "/cardTransactionId": cardTransactionId });
  return [
    retraction("MAT-05.names-announced", matchId, [
      values("MAT-05.bank-transaction", { "/bankTransactionId": bankTransactionId }),
      // The interface does not say whether a match and its retraction name a leg by one id.
      before.isTransaction(cardTransactionId) ? card : asWarning(card),
    ]),
  ];
}

/** MAT-05: a bank transaction without a match has none to retract. */
export function noRetraction(bankTransactionId: string): Forbidden {
  const event = "transaction.match.deleted";
  const undue = about(event, "/bankTransactionId", bankTransactionId, ", which has no match");
  return { claim: UNOWED[event], ...undue };
}

/** The claim that an event breaks which announces a change that did not happen. */
export const UNOWED = {
  "cardsubscription.created": "SUB-09.one-created",
  "cardsubscription.updated": "SUB-09.no-empty-update",
  "networkbulkfeed.statechanged": "NBF-04.no-other-move",
  "bankaccount.state_changed": "BAC-01.not-without-change",
  "banklink.completed": "BLK-02.two-ways",
  "banktransaction.deleted": "BTX-04.owed",
  "transaction.match.deleted": "MAT-05.only-matched",
  "transaction.created": "WHK-05.once",
} as const satisfies Partial<Record<EventName, ClaimId>>;

/**
 * The events that may not follow a step that asked for nothing new, or that the target refused:
 * those of its resources.
 */
export function unowedEvents(world: World, step: Step): Forbidden[] {
  const own = new Set(namesIn(step).uses.flatMap((name) => Object.values(world.idsOf(name))));
  const places = ["/id", "/bankAccountId", "/bankLinkId", "/bankTransactionId"];
  return Object.entries(UNOWED).map(([event, claim]) => ({
    ...{ claim, event: event as EventName },
    what: `${event} after ${step.verb}: nothing changed`,
    is: (body) => places.some((place) => own.has(textAt(body, place) ?? "")),
  }));
}
