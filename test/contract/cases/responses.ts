import type { Case } from "./case.ts";
import { change, emptied, type ResponsePayload, response, withBody } from "./payload.ts";

/** The requirements of a resource itself, in an event or a response. */
const OF_RESOURCES = /^(CONV|TXN|MSG|SUB)-/;

/** OPEN_BANKING is first in the lists: it is known with any configured networks. */
const TRANSACTION = response("GET /transactions/{transactionId}", "bank-only");
const TRANSACTIONS = emptied(response("GET /transactions", "last-page"));
const MESSAGE = response("GET /transaction-messages/{id}", "superseded");
const SUBSCRIPTION = response("GET /card-subscriptions/{id}", "network-bulk");

/** The responses that contain the resource of an event, each with a description. */
const RESPONSES: Record<string, Record<string, (resource: unknown) => ResponsePayload>> = {
  transaction: {
    "as a response": (resource) => withBody(TRANSACTION, resource),
    "in a response's list": (resource) =>
      change(TRANSACTIONS, { "/_embedded/transactions": [TRANSACTION.body, resource] }),
  },
  transactionmessage: { "as a response": (resource) => withBody(MESSAGE, resource) },
  cardsubscription: { "as a response": (resource) => withBody(SUBSCRIPTION, resource) },
};

/** The same case for each response that contains the event's resource. */
export function asResponses({ payload, title, ...rest }: Case): Case[] {
  const { body } = payload;
  if (!("event" in payload) || !OF_RESOURCES.test(rest.requirement)) return [];
  if (typeof body !== "object" || body === null || Array.isArray(body)) return [];
  const [resource = "", happening = ""] = payload.event.split(".");
  const responses = ["created", "updated"].includes(happening) ? RESPONSES[resource] : undefined;
  return Object.entries(responses ?? {}).map(([how, toResponse]) => {
    return { ...rest, title: `${title}, ${how}`, payload: toResponse(body) };
  });
}
