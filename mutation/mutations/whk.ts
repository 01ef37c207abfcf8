import { type EventName, eventNames } from "../../generated/events.ts";
import { operations } from "../../src/sandbox/control/operations.ts";
import { bug } from "../bugs.ts";
import { event } from "../events.ts";
import type { Mutation, Operation } from "../mutation.ts";
import { type Json, nth, patch } from "../rewrite.ts";
import { isBankOnly } from "../transactions.ts";

const ENRICHED = "enrichment.merchant.created" as const;
const FORM = "application/x-www-form-urlencoded";

const matched = event("transaction.match.created");
const feedChanged = event("networkbulkfeed.statechanged");
const posted = event("banktransaction.created");
const removed = event("banktransaction.deleted");

/** Registers endpoints with other events than requested. */
const subscribed = (
  change: (events: readonly EventName[]) => readonly EventName[] | undefined,
): Operation => ({
  inside: ({ fire }) =>
    patch(
      operations.addEndpoint as Json,
      "run",
      (original: Json) => (parts: Json, params: Json) => {
        if (!params.events) return original(parts, params);
        fire();
        return original(parts, { ...params, events: change(params.events) });
      },
    ),
});

/** Mutations of deliveries, whatever their event, and of enrichments. */
export const whk: readonly Mutation[] = [
  bug("whk/no-header", "WHK-01.event-type").is(
    "The event name is only in the body",
    event().raw(({ headers: { "webhook-event-type": _, ...headers }, ...delivery }) => {
      return { ...delivery, headers };
    }),
  ),
  bug("whk/x-header", "WHK-01.event-type").is(
    "The header is named X-Webhook-Event-Type",
    event("bankaccount.state_changed").raw((delivery) => {
      const { "webhook-event-type": name = "", ...headers } = delivery.headers;
      return { ...delivery, headers: { ...headers, "x-webhook-event-type": name } };
    }),
  ),
  bug("whk/name-with-underscore", "WHK-01.event-type")
    .is("One event has a legacy name: transaction.match_created")
    .by(matched.named("transaction.match_created")),
  bug("whk/name-in-upper-case", "WHK-01.event-type")
    .is("The header has the name of a constant: BANKLINK_COMPLETED")
    .by(event("banklink.completed").named("BANKLINK_COMPLETED")),
  bug("whk/no-json", "WHK-01.json-body").is(
    "The payload is sent as a form field",
    feedChanged.raw((delivery) => ({
      ...delivery,
      headers: { ...delivery.headers, "content-type": FORM },
      body: new URLSearchParams({ payload: delivery.body }).toString(),
    })),
  ),
  bug("whk/encoded-twice", "WHK-02.shape")
    .is("The body is JSON-encoded twice")
    .by(event("transaction.updated"), (body) => JSON.stringify(body)),
  bug("whk/batched", "WHK-02.shape")
    .is("The queue's consumer sends batches: an array with one event")
    .by(posted, (body) => [body]),
  bug("whk/empty-body", "WHK-01.json-body")
    .is("The signature consumes the body, so an empty one is sent")
    .by(removed.raw((delivery) => ({ ...delivery, body: "" }))),
  bug("whk/in-data", "SUB-09.every-change")
    .is("The payload is wrapped in an envelope with data")
    .by(event("cardsubscription.updated"), (data, { event: type }) => ({ type, data })),
  bug("whk/match-under-transaction", "WHK-02.shape")
    .is("A match is announced as transaction.updated")
    .by(matched.named("transaction.updated")),
  bug("whk/message-under-transaction", "TXN-01.fields")
    .is("transaction.created uses the wrong template and contains a message")
    .by(event("transaction.created"), (body) => body._embedded.messages[0]),
  bug("whk/deletion-under-creation", "WHK-02.shape")
    .is("Deletions use the wrong template and are sent as banktransaction.created")
    .by(removed.named("banktransaction.created")),
  bug("whk/metadata-text", "WHK-03.envelope").is(
    "metadata is a JSON-encoded string",
    event("banktransaction.deleted", "transaction.match.deleted").set("/metadata", (metadata) =>
      JSON.stringify(metadata),
    ),
  ),
  bug("whk/resource-id-number", "WHK-03.envelope").is(
    "metadata.resourceId is a row number",
    event(...eventNames.filter((name) => !name.endsWith(".deleted"))).set("/metadata", {
      resourceId: 4711,
    }),
  ),
  bug("whk/all-events", "WHK-06.not-subscribed")
    .is("The selected events are stored but ignored: every event is sent")
    .by(subscribed(() => undefined)),
  bug("whk/by-first-word", "WHK-06.not-subscribed").is(
    "Events are filtered by prefix: selecting created also selects updated",
    subscribed((events) => {
      const first = (name: string) => name.split(".")[0];
      return eventNames.filter((name) => events.some((one) => first(one) === first(name)));
    }),
  ),
  bug("whk/one-event-alone", "WHK-06.subscribed")
    .is("Each selected event overwrites the previous one, so only the last is sent")
    .by(subscribed((events) => events.slice(-1))),
  bug("whk/ended-goes-on", "WHK-06.ended").is("The end of a subscription is stored but ignored", {
    inside: ({ fire }) => patch(operations.removeEndpoint as Json, "run", () => () => fire()),
  }),
  bug("whk/bank-only-created-silently", "TXN-15.transaction-event")
    .is("Bank-only transactions are created without an event")
    .by(event("transaction.created").silent(isBankOnly)),
  bug("whk/late-created-silently", "WHK-05.owed").is(
    "A purchase that the bank posted before is created without an event",
    event("banktransaction.created", "transaction.created").silent((body, { memory }) => {
      if (body.amount !== undefined) memory.set(body.amount, true);
      return body.amount === undefined && memory.has(body.cardholderBillingHoldAmount);
    }),
  ),
  bug("whk/match-events-together", "WHK-06.not-subscribed").is(
    "A subscription to one event of matches is stored as one to their creation",
    subscribed((events) => {
      const isAlone = events.length === 1 && events[0] === "transaction.match.deleted";
      return isAlone ? ["transaction.match.created"] : events;
    }),
  ),
  bug("enr/first-message", "ENR-01.message-link")
    .is("The enrichment links to the first message of the transaction")
    .by(event(), (body, { event: name, memory }) => {
      const [first, ...others] = (body._links?.messages ?? []).map(({ href }: Json) => href);
      for (const href of others) memory.set(href, first);
      const { message: link } = body._links ?? {};
      if (name === ENRICHED && memory.has(link?.href)) link.href = memory.get(link.href);
    }),
  bug("whk/third-change-silent", "WHK-05.every-change")
    .is("Only two updates of a transaction are announced")
    .by(event("transaction.updated").silent(({ id }, run) => nth(run, id) > 2)),
  bug("enr/unannounced", "ENR-01.announced")
    .is("A disabled feature flag prevents the enrichment event")
    .by(event(ENRICHED).silent()),
  bug("whk/by-get", "WHK-01.json-body")
    .is("One event is sent by GET, without a body")
    .by(feedChanged.raw((delivery) => ({ ...delivery, method: "GET", body: "" }))),
  bug("whk/form-content-type", "WHK-01.json-body").is(
    "The HTTP client sends JSON with the content type of a form",
    posted.raw((delivery) => {
      return { ...delivery, headers: { ...delivery.headers, "content-type": FORM } };
    }),
  ),
  bug("enr/second-unannounced", "ENR-01.announced")
    .is("Only the first enrichment of a merchant is announced")
    .by(event(ENRICHED).silent((_, run) => nth(run, ENRICHED) > 1)),
];
