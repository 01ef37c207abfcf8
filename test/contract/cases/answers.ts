import type { Case } from "./case.ts";
import { type AnsweredPayload, answer, change, withBody } from "./payload.ts";

/** The requirements that speak of a resource itself, whether an event or an answer carries it. */
const OF_RESOURCES = /^(CONV|TXN|MSG|SUB)-/;

/** It stands first in the lists: OPEN_BANKING is known whatever networks are configured. */
const TRANSACTION = answer("GET /transactions/{transactionId}", "netted-to-zero");
const TRANSACTIONS = answer("GET /transactions", "empty");
const MESSAGE = answer("GET /transaction-messages/{id}", "superseded");
const SUBSCRIPTION = answer("GET /card-subscriptions/{id}", "network-bulk");

/** The answers that carry the resource of an event, with words for how they do. */
const ANSWERS: Record<string, Record<string, (resource: unknown) => AnsweredPayload>> = {
  transaction: {
    "as an answer": (resource) => withBody(TRANSACTION, resource),
    "in an answer's list": (resource) =>
      change(TRANSACTIONS, { "/_embedded/transactions": [TRANSACTION.body, resource] }),
  },
  transactionmessage: { "as an answer": (resource) => withBody(MESSAGE, resource) },
  cardsubscription: { "as an answer": (resource) => withBody(SUBSCRIPTION, resource) },
};

/** The same said of the answers that carry the same resource: what events show, they show. */
export function asAnswers({ payload, title, ...rest }: Case): Case[] {
  const { body } = payload;
  if (!("event" in payload) || !OF_RESOURCES.test(rest.requirement)) return [];
  if (typeof body !== "object" || body === null || Array.isArray(body)) return [];
  const [resource = "", happening = ""] = payload.event.split(".");
  const answers = ["created", "updated"].includes(happening) ? ANSWERS[resource] : undefined;
  return Object.entries(answers ?? {}).map(([how, answered]) => {
    return { ...rest, title: `${title}, ${how}`, payload: answered(body) };
  });
}
