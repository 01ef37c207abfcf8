import type { EventName } from "../../../generated/events.ts";
import type { RequirementId } from "../../../generated/requirements.ts";
import { type Case, casesOf, invalid, silent, valid } from "./case.ts";
import { at, change, delivery, OTHER_ID, withBody } from "./payload.ts";

const PENDING = delivery("transaction.created", "pending-network-a");
const POSTING = delivery("banktransaction.created", "debit");

/** Each event with a body of it and the requirement that says what it carries. */
const EVENTS: Record<EventName, [example: string, fields: RequirementId]> = {
  "transactionmessage.created": ["authorization-network-a", "MSG-01"],
  "transaction.created": ["pending-network-a", "TXN-01"],
  "transaction.updated": ["superseded-after-clearing", "TXN-01"],
  "banklink.completed": ["credit-account-mints-cards", "BLK-01"],
  "bankaccount.state_changed": ["consent-expiring", "BAC-01"],
  "banktransaction.created": ["debit", "BTX-01"],
  "banktransaction.deleted": ["provider-removed", "BTX-04"],
  "transaction.match.created": ["high", "MAT-01"],
  "transaction.match.deleted": ["rematch-superseded", "MAT-05"],
  "cardsubscription.created": ["cardholder-single", "SUB-01"],
  "cardsubscription.updated": ["network-bulk-linked", "SUB-01"],
  "networkbulkfeed.statechanged": ["failed", "NBF-01"],
  "enrichment.merchant.created": ["enriched", "ENR-01"],
};
const events = Object.entries(EVENTS) as [EventName, [string, RequirementId]][];

const names = casesOf("WHK-01", [
  ...events.map(([event, [example]]) => valid(`the event is ${event}`, delivery(event, example))),
  ...[
    "transaction.deleted",
    "transactions.created",
    "Transaction.Created",
    "transaction_created",
    "transaction.created ",
    "transaction",
    "",
    "toString",
    "__proto__",
  ].map((event) => invalid(`the event is ${JSON.stringify(event)}`, { ...PENDING, event })),
]);

/** What else is wrong with a body under another event's name: it lacks that event's fields. */
const lacks = (event: EventName): RequirementId[] => [
  EVENTS[event][1],
  "CONV-01",
  "CONV-02",
  "CONV-03",
  "CONV-04",
  "CONV-06",
  "BTX-02",
];

const bodies = casesOf("WHK-02", [
  valid("created and updated of a transaction have one shape", {
    ...PENDING,
    event: "transaction.updated",
  }),
  valid("created and updated of a subscription have one shape", {
    ...delivery("cardsubscription.created", "network-bulk"),
    event: "cardsubscription.updated",
  }),
  ...events
    .filter(([event]) => event !== "enrichment.merchant.created")
    .map(([event], index) => {
      // A neighbour further on, so that created and updated never stand in for each other.
      const [other, [example]] = events[(index + 3) % events.length] ?? [event, [""]];
      const body = delivery(other, example).body;
      return invalid(`${event} has the body of ${other}`, { event, body }, { also: lacks(event) });
    }),
  invalid("the body is a transaction's in an envelope", withBody(PENDING, { data: PENDING.body }), {
    also: lacks("transaction.created"),
  }),
  invalid("the body is a string of JSON", withBody(POSTING, JSON.stringify(POSTING.body)), {
    also: ["BTX-01"],
  }),
]);

const envelopes = casesOf("WHK-03", [
  silent("metadata has other members", change(PENDING, { "/metadata": { eventId: 1, tags: [] } })),
  silent(
    "resourceId of another event is any string",
    change(POSTING, { "/metadata": { resourceId: "not an id" } }),
  ),
  silent(
    "resourceId of another event is another id",
    change(POSTING, { "/metadata": { resourceId: OTHER_ID } }),
  ),
  silent(
    "other fields of an envelope stand beside",
    change(PENDING, { "/eventId": OTHER_ID, "/eventType": 7, "/sentAt": "today" }),
  ),
  // Reading 18.
  invalid("metadata is an array", change(PENDING, { "/metadata": [] })),
  invalid("metadata is a string", change(PENDING, { "/metadata": at(PENDING, "/id") })),
  invalid("metadata is null", change(POSTING, { "/metadata": null })),
  invalid("resourceId is a number", change(POSTING, { "/metadata": { resourceId: 1 } })),
  invalid("resourceId is null", change(POSTING, { "/metadata": { resourceId: null } })),
]);

/** Deliveries: their names, their bodies, their envelopes. */
export const whk: Case[] = [...names, ...bodies, ...envelopes];
