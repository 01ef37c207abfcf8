import type { EventName } from "../../../generated/events.ts";
import { variants } from "../../../src/fixtures/index.ts";
import { type Case, casesOf, invalid, silent, valid } from "./case.ts";
import { at, change, delivery, OTHER_ID, withBody } from "./payload.ts";

const PENDING = delivery("transaction.created", "pending");
const POSTING = delivery("banktransaction.created", "debit");

const events = Object.keys(variants) as EventName[];

const names = casesOf("WHK-01", [
  ...events.map((event) => valid(`the event is ${event}`, delivery(event))),
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

const bodies = casesOf("WHK-02", [
  valid("created and updated of a transaction have one shape", {
    ...PENDING,
    event: "transaction.updated",
  }),
  valid("created and updated of a subscription have one shape", {
    ...delivery("cardsubscription.created", "network-bulk"),
    event: "cardsubscription.updated",
  }),
  // A wrong header is one finding, regardless of how many fields of its event the body lacks.
  ...events
    .filter((event) => event !== "enrichment.merchant.created")
    .map((event, index) => {
      // Use a distant event, so that created and updated are not paired.
      const other = events[(index + 4) % events.length] ?? event;
      const { body } = delivery(other);
      return invalid(`${event} has the body of ${other}`, { event, body });
    }),
  invalid("the body is in an envelope", withBody(PENDING, { data: PENDING.body }), {
    also: ["TXN-01", "CONV-06"],
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
    "other fields of an envelope are present",
    change(PENDING, { "/eventId": OTHER_ID, "/eventType": 7, "/sentAt": "today" }),
  ),
  // WHK-03: metadata is an object, and resourceId a string.
  invalid("metadata is an array", change(PENDING, { "/metadata": [] })),
  invalid("metadata is a string", change(PENDING, { "/metadata": at(PENDING, "/id") })),
  invalid("metadata is null", change(POSTING, { "/metadata": null })),
  invalid("resourceId is a number", change(POSTING, { "/metadata": { resourceId: 1 } })),
  invalid("resourceId is null", change(POSTING, { "/metadata": { resourceId: null } })),
]);

/** Deliveries: event names, bodies and envelopes. */
export const whk: Case[] = [...names, ...bodies, ...envelopes];
