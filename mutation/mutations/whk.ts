import { type EventName, eventNames } from "../../generated/events.ts";
import { LocalControl } from "../../src/sandbox/control/local-control.ts";
import type { DeliveryHook, Mutation, SentDelivery } from "../mutation.ts";
import { parseJson } from "../mutation.ts";
import {
  changeEventsNamed,
  dropEvents,
  type Json,
  mutationState,
  onEvents,
  patch,
  renameEvents,
  replaceEvent,
} from "../rewrite.ts";

const ENRICHED = "enrichment.merchant.created" as const;

/** Rewrites deliveries. */
const rewriteDeliveries = (
  names: EventName | readonly EventName[] | "*",
  write: (delivery: SentDelivery) => SentDelivery,
): DeliveryHook => onEvents(names, (delivery, { send }) => send(write(delivery)));

/** Registers endpoints with other events than requested. */
function changeSubscribedEvents(
  change: (events: readonly EventName[]) => readonly EventName[] | undefined,
) {
  const inside: NonNullable<Mutation["inside"]> = ({ fire }) =>
    patch(LocalControl.prototype as Json, "addEndpoint", (original: Json) => {
      return function addOtherwise(this: LocalControl, params: Json) {
        if (!params.events) return original.call(this, params);
        fire();
        return original.call(this, { ...params, events: change(params.events) });
      };
    });
  return inside;
}

export const whk: readonly Mutation[] = [
  {
    id: "whk/no-header",
    requirement: "WHK-01",
    description: "The event name is only in the body",
    checks: ["WHK-01: webhook-event-type is one of the 13 event names"],
    deliveries: rewriteDeliveries("*", (delivery) => {
      const { "webhook-event-type": name, ...headers } = delivery.headers;
      return { ...delivery, headers };
    }),
  },
  {
    id: "whk/x-header",
    requirement: "WHK-01",
    description: "The header is named X-Webhook-Event-Type",
    checks: ["WHK-01: webhook-event-type is one of the 13 event names"],
    deliveries: rewriteDeliveries("bankaccount.state_changed", (delivery) => {
      const { "webhook-event-type": name = "", ...headers } = delivery.headers;
      return { ...delivery, headers: { ...headers, "x-webhook-event-type": name } };
    }),
  },
  {
    id: "whk/name-with-underscore",
    requirement: "WHK-01",
    description: "One event has a legacy name: transaction.match_created",
    checks: ["WHK-01: webhook-event-type is one of the 13 event names"],
    deliveries: renameEvents("transaction.match.created", "transaction.match_created"),
  },
  {
    id: "whk/name-in-upper-case",
    requirement: "WHK-01",
    description: "The header has the name of a constant: BANKLINK_COMPLETED",
    checks: ["WHK-01: webhook-event-type is one of the 13 event names"],
    deliveries: renameEvents("banklink.completed", "BANKLINK_COMPLETED"),
  },
  {
    id: "whk/no-json",
    requirement: "WHK-01",
    description: "The payload is sent as a form field",
    checks: ["WHK-01: a delivery has a JSON body and no other content type"],
    deliveries: rewriteDeliveries("networkbulkfeed.statechanged", (delivery) => ({
      ...delivery,
      headers: { ...delivery.headers, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ payload: delivery.body }).toString(),
    })),
  },
  {
    id: "whk/encoded-twice",
    requirement: "WHK-02",
    description: "The body is JSON-encoded twice",
    checks: ["WHK-02"],
    deliveries: rewriteDeliveries("transaction.updated", (delivery) => ({
      ...delivery,
      body: JSON.stringify(delivery.body),
    })),
  },
  {
    id: "whk/batched",
    requirement: "WHK-02",
    description: "The queue's consumer sends batches: an array with one event",
    checks: ["WHK-02"],
    deliveries: rewriteDeliveries("banktransaction.created", (delivery) => ({
      ...delivery,
      body: `[${delivery.body}]`,
    })),
  },
  {
    id: "whk/empty-body",
    requirement: "WHK-01",
    description: "The signature consumes the body, so an empty one is sent",
    checks: ["WHK-01: a delivery has a JSON body and no other content type"],
    deliveries: rewriteDeliveries("banktransaction.deleted", (delivery) => ({
      ...delivery,
      body: "",
    })),
  },
  {
    id: "whk/in-data",
    requirement: "WHK-02",
    description: "The payload is wrapped in an envelope with data",
    checks: ["SUB-01: every body"],
    deliveries: rewriteDeliveries("cardsubscription.updated", (delivery) =>
      replaceEvent(delivery, delivery.name, {
        type: delivery.name,
        data: parseJson(delivery.body),
      }),
    ),
  },
  {
    id: "whk/match-under-transaction",
    requirement: "WHK-02",
    description: "A match is announced as transaction.updated",
    checks: ["WHK-02"],
    deliveries: renameEvents("transaction.match.created", "transaction.updated"),
  },
  {
    id: "whk/message-under-transaction",
    requirement: "WHK-02",
    description: "transaction.created uses the wrong template and contains a message",
    checks: ["TXN-01: every body"],
    deliveries: changeEventsNamed("transaction.created", (body) => body._embedded.messages[0]),
  },
  {
    id: "whk/deletion-under-creation",
    requirement: "WHK-02",
    description: "Deletions use the wrong template and are sent as banktransaction.created",
    checks: ["WHK-02"],
    deliveries: renameEvents("banktransaction.deleted", "banktransaction.created"),
  },
  {
    id: "whk/metadata-text",
    requirement: "WHK-03",
    description: "metadata is a JSON-encoded string",
    checks: ["WHK-03"],
    deliveries: changeEventsNamed(
      ["banktransaction.deleted", "transaction.match.deleted"],
      (body) => {
        body.metadata = JSON.stringify(body.metadata);
      },
    ),
  },
  {
    id: "whk/resource-id-number",
    requirement: "WHK-03",
    description: "metadata.resourceId is a row number",
    checks: ["WHK-03"],
    deliveries: changeEventsNamed("*", (body, { event }) => {
      if (!event?.endsWith(".deleted")) body.metadata = { resourceId: 4711 };
    }),
  },
  {
    id: "whk/all-events",
    requirement: "WHK-06",
    description: "The selected events are stored but ignored: every event is sent",
    checks: ["WHK-06: a URL subscribed to some events receives exactly those events"],
    inside: changeSubscribedEvents(() => undefined),
  },
  {
    id: "whk/by-first-word",
    requirement: "WHK-06",
    description: "Events are filtered by prefix: selecting created also selects updated",
    checks: [
      "WHK-06: a URL subscribed to some events receives exactly those events",
      "WHK-06: a URL subscribed to one event receives exactly that event",
    ],
    inside: changeSubscribedEvents((events) => {
      const first = (name: string) => name.split(".")[0] ?? "";
      return eventNames.filter((name) => events.some((one) => first(one) === first(name)));
    }),
  },
  {
    id: "whk/one-event-alone",
    requirement: "WHK-06",
    description: "Each selected event overwrites the previous one, so only the last is sent",
    checks: ["WHK-06: a URL subscribed to some events receives exactly those events"],
    inside: changeSubscribedEvents((events) => events.slice(-1)),
  },
  {
    id: "whk/ended-goes-on",
    requirement: "WHK-06",
    description: "The end of a subscription is stored but ignored",
    checks: ["WHK-06: a URL whose subscription ended receives nothing"],
    inside: ({ fire }) =>
      patch(LocalControl.prototype as Json, "removeEndpoint", () => async () => {
        fire();
      }),
  },
  {
    id: "whk/bank-only-created-silently",
    requirement: "TXN-15",
    description: "Bank-only transactions are created without an event",
    checks: [
      "TXN-15: a bank-only movement creates a message and a SETTLED transaction",
      "WHK-05: a bank-only transaction and its message are announced",
      "WHK-05: each new resource of GET /transactions is announced",
    ],
    deliveries: dropEvents("transaction.created", ({ network }) => network === "OPEN_BANKING"),
  },
  {
    id: "whk/late-created-silently",
    requirement: "WHK-05",
    description: "A purchase that the bank posted before is created without an event",
    checks: ["WHK-05: the transaction of late card data is announced"],
    deliveries: onEvents(
      ["banktransaction.created", "transaction.created"],
      async (delivery, { send }, run) => {
        const posted = mutationState(run, "posted", () => new Set<number>());
        const { amount, cardholderBillingHoldAmount: hold } = parseJson(delivery.body);
        if (amount !== undefined) posted.add(amount);
        if (amount !== undefined || !posted.has(hold)) await send(delivery);
      },
    ),
  },
  {
    id: "whk/match-events-together",
    requirement: "WHK-06",
    description: "A subscription to one event of matches is stored as one to their creation",
    checks: ["WHK-06: a URL subscribed to one event receives exactly that event"],
    inside: changeSubscribedEvents((events) => {
      const isAlone = events.length === 1 && events[0] === "transaction.match.deleted";
      return isAlone ? ["transaction.match.created"] : events;
    }),
  },
  {
    id: "enr/first-message",
    requirement: "ENR-01",
    description: "The enrichment links to the first message of the transaction",
    checks: ["ENR-01: the enrichment of a message is announced"],
    deliveries: onEvents("*", async (delivery, { send }, run) => {
      const firsts = mutationState(run, "firsts", () => new Map<string, string>());
      const body = parseJson(delivery.body);
      const hrefs: string[] = (body._links?.messages ?? []).map(({ href }: Json) => href);
      for (const href of hrefs) firsts.set(href, hrefs[0] ?? href);
      const link = body._links?.message;
      const first = firsts.get(link?.href);
      if (delivery.name !== ENRICHED || first === undefined) return await send(delivery);
      link.href = first;
      await send(replaceEvent(delivery, ENRICHED, body));
    }),
  },
  {
    id: "whk/third-change-silent",
    requirement: "WHK-05",
    description: "Only two updates of a transaction are announced",
    checks: ["WHK-05: each change of a purchase in parts is announced"],
    deliveries: dropEvents("transaction.updated", ({ id }, run) => {
      const seen = mutationState(run, "seen", () => new Map<string, number>());
      seen.set(id, (seen.get(id) ?? 0) + 1);
      return (seen.get(id) ?? 0) > 2;
    }),
  },
  {
    id: "enr/unannounced",
    requirement: "ENR-01",
    description: "A disabled feature flag prevents the enrichment event",
    checks: ["ENR-01: the enrichment of a message is announced"],
    deliveries: dropEvents(ENRICHED),
  },
  {
    id: "whk/by-get",
    requirement: "WHK-01",
    description: "One event is sent by GET, without a body",
    checks: ["WHK-01: a delivery is sent by POST, PUT or PATCH"],
    deliveries: rewriteDeliveries("networkbulkfeed.statechanged", (delivery) => ({
      ...delivery,
      method: "GET",
      body: "",
    })),
  },
  {
    id: "whk/form-content-type",
    requirement: "WHK-01",
    description: "The HTTP client sends JSON with the content type of a form",
    checks: ["WHK-01: a delivery has a JSON body and no other content type"],
    deliveries: rewriteDeliveries("banktransaction.created", (delivery) => ({
      ...delivery,
      headers: { ...delivery.headers, "content-type": "application/x-www-form-urlencoded" },
    })),
  },
];
