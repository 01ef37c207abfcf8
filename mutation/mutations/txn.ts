import type { Mutation } from "../mutation.ts";
import { changeEvents, changeResource, changeResponses, type Json, rename } from "../rewrite.ts";

/** The settlement messages of a transaction. */
export const finals = (body: Json): Json[] =>
  (body._embedded?.messages ?? []).filter((one: Json) => one.messageType === "FINL_ADVC");

export const isBankOnly = (body: Json): boolean => body.network === "OPEN_BANKING";

/** Sets the settled amounts to the sums of some messages. */
export function settle(body: Json, messages: readonly Json[]): void {
  if (!body._embedded) return;
  const sum = (name: string) =>
    Number(messages.reduce((total, one) => total + one[name], 0).toFixed(4));
  body.transactionSettledAmount = sum("transactionAmount");
  body.cardholderBillingSettledAmount = sum("cardholderBillingAmount");
}

export const txn: readonly Mutation[] = [
  {
    id: "txn/snake-case",
    requirement: "TXN-01",
    description: "The worker that sends events serializes names in snake case",
    deliveries: changeEvents("transactions", (body) => {
      rename(body, "transactionCurrency", "transaction_currency");
      rename(body, "cardholderBillingCurrency", "cardholder_billing_currency");
    }),
  },
  {
    id: "txn/zero-left-out",
    requirement: "TXN-01",
    description: "omitempty: an amount of 0 is omitted",
    ...changeResource("transactions", (body) => {
      for (const name of ["transactionSettledAmount", "transactionHoldAmount"]) {
        if (body[name] === 0) delete body[name];
      }
    }),
  },
  {
    id: "txn/type-null",
    requirement: "TXN-01",
    description: "transactionType is null until it settles",
    ...changeResource("transactions", (body) => {
      if (body.status === "PENDING") body.transactionType = null;
    }),
  },
  {
    id: "txn/descriptor-left-out",
    requirement: "TXN-01",
    description: "A bank-only transaction has no descriptor",
    ...changeResource("transactions", (body) => {
      if (isBankOnly(body)) delete body.descriptor;
    }),
  },
  {
    id: "txn/cardless-empty",
    requirement: "TXN-02",
    description: "cardId of a card-less transaction is an empty string",
    ...changeResource("transactions", (body) => {
      body.cardId ??= "";
    }),
  },
  {
    id: "txn/cardless-left-out",
    requirement: "TXN-02",
    description: "Nulls are omitted: a card-less transaction has no cardId",
    ...changeResource("transactions", (body) => {
      if (body.cardId === null) delete body.cardId;
    }),
  },
  {
    id: "txn/link-to-no-card",
    requirement: "TXN-03",
    description: "The card link of a card-less transaction is /cards/null",
    ...changeResource("transactions", (body) => {
      if (body.cardId === null) body._links.card = { href: "/cards/null" };
    }),
  },
  {
    id: "txn/card-link-null",
    requirement: "TXN-03",
    description: "The card link of a card-less transaction is null instead of omitted",
    ...changeResource("transactions", (body) => {
      if (body.cardId === null) body._links.card = null;
    }),
  },
  {
    id: "txn/no-card-link",
    requirement: "TXN-03",
    description: "Bank-only transactions have no card link, even if they have a card",
    ...changeResource("transactions", (body) => {
      if (isBankOnly(body)) delete body._links.card;
    }),
  },
  {
    id: "txn/status-ordinal",
    requirement: "TXN-04",
    description: "An enum is serialized as its ordinal",
    ...changeResource("transactions", (body) => {
      body.status = body.status === "PENDING" ? 0 : 1;
    }),
  },
  {
    id: "txn/mcc-number",
    requirement: "TXN-05",
    description: "mcc is a number and loses its leading zeros",
    ...changeResource("transactions", (body) => {
      body.acceptor.mcc = Number(body.acceptor.mcc);
    }),
  },
  {
    id: "txn/acceptor-state-null",
    requirement: "TXN-05",
    description: "acceptor.state is null outside the United States",
    ...changeResource("transactions", (body) => {
      if (body.acceptor.country !== "US") body.acceptor.state = null;
    }),
  },
  {
    id: "txn/superseded-left-out",
    requirement: "TXN-06",
    description: "omitempty: an empty supersededMessageIds is omitted",
    ...changeResource("transactions", (body) => {
      if (body.supersededMessageIds.length === 0) delete body.supersededMessageIds;
    }),
  },
  {
    id: "txn/superseded-null",
    requirement: "TXN-06",
    description: "An empty supersededMessageIds is null",
    ...changeResource("transactions", (body) => {
      if (body.supersededMessageIds.length === 0) body.supersededMessageIds = null;
    }),
  },
  {
    id: "txn/superseded-twice",
    requirement: "TXN-06",
    description: "A join duplicates the superseded ids",
    ...changeResource("transactions", (body) => {
      body.supersededMessageIds.push(...body.supersededMessageIds);
    }),
  },
  {
    id: "txn/superseded-by-own-id",
    requirement: "TXN-06",
    description: "supersededMessageIds contains the transaction's id instead of the messages' ids",
    ...changeResource("transactions", (body) => {
      body.supersededMessageIds = body.supersededMessageIds.map(() => body.id);
    }),
  },
  {
    id: "txn/links-without-superseded",
    requirement: "TXN-07",
    description: "Superseded messages are not linked",
    ...changeResource("transactions", (body) => {
      body._links.messages = body._links.messages.filter(
        ({ href }: Json) => !body.supersededMessageIds.some((id: string) => href.endsWith(id)),
      );
    }),
  },
  {
    id: "txn/link-collapsed",
    requirement: "TXN-07",
    description: "The HAL library serializes a single link as an object",
    ...changeResource("transactions", (body) => {
      if (body._links.messages.length === 1) body._links.messages = body._links.messages[0];
    }),
  },
  {
    id: "txn/projection-without-superseded",
    requirement: "TXN-07",
    description: "The projection omits superseded messages",
    ...changeResource("transactions", (body) => {
      if (!body._embedded) return;
      body._embedded.messages = body._embedded.messages.filter((one: Json) => !one.superseded);
    }),
  },
  {
    id: "txn/projection-of-latest",
    requirement: "TXN-07",
    description: "The event's projection has only the new message",
    deliveries: changeEvents("transactions", (body, { event }) => {
      if (event === "transaction.updated") {
        body._embedded.messages = body._embedded.messages.slice(-1);
      }
    }),
  },
  {
    id: "txn/never-superseded",
    requirement: "TXN-08",
    description: "The projection's superseded column is never written",
    ...changeResource("projection", (message) => {
      message.superseded = false;
    }),
  },
  {
    id: "txn/superseded-settles",
    requirement: "TXN-08",
    description: "superseded is set on the superseding message",
    ...changeResource("transactions", (body) => {
      if (body.supersededMessageIds.length === 0) return;
      for (const message of finals(body)) message.superseded = !message.superseded;
    }),
  },
  {
    id: "txn/counts-superseded",
    requirement: "TXN-09",
    description: "The settled amounts include superseded messages",
    ...changeResource("transactions", (body) => {
      if (body.supersededMessageIds.length > 0) settle(body, finals(body));
    }),
  },
  {
    id: "txn/counts-superseded-billing",
    requirement: "TXN-09",
    description: "One of the two settled amounts includes superseded messages",
    ...changeResource("transactions", (body) => {
      const { transactionSettledAmount } = body;
      if (body.supersededMessageIds.length > 0) settle(body, finals(body));
      body.transactionSettledAmount = transactionSettledAmount;
    }),
  },
  {
    id: "txn/single-precision",
    requirement: "TXN-09",
    description: "The settled amounts are 32-bit floats",
    ...changeResource("transactions", (body) => {
      body.transactionSettledAmount = Math.fround(body.transactionSettledAmount);
      body.cardholderBillingSettledAmount = Math.fround(body.cardholderBillingSettledAmount);
    }),
  },
  {
    id: "txn/settles-hold",
    requirement: "TXN-09",
    description: "The settled amounts include authorized amounts",
    ...changeResource("transactions", (body) => {
      if (body.status === "SETTLED" && !isBankOnly(body) && body._embedded) {
        settle(
          body,
          body._embedded.messages.filter((one: Json) => !one.superseded),
        );
      }
    }),
  },
  {
    id: "txn/projection-on-single",
    requirement: "TXN-10",
    description: "Lists omit the projection for speed",
    http: changeResponses("transactions", (body, { path }) => {
      if (path === "/transactions") delete body._embedded;
    }),
  },
  {
    id: "txn/projection-null",
    requirement: "TXN-10",
    description: "The projection of an event is null, because the worker does not load it",
    deliveries: changeEvents("transactions", (body) => {
      body._embedded = { messages: null };
    }),
  },
  {
    id: "txn/bank-only-network",
    requirement: "TXN-16",
    description: "A bank-only transaction has the network of the account's card",
    ...changeResource(["transactions", "projection", "transaction-messages"], (body) => {
      if (isBankOnly(body)) body.network = "NETWORK_A";
    }),
  },
  {
    id: "txn/bank-only-approval",
    requirement: "TXN-16",
    description: "A NOT NULL column gives bank-only messages the approvalCode 000000",
    ...changeResource(["projection", "transaction-messages"], (body) => {
      if (isBankOnly(body)) body.approvalCode = "000000";
    }),
  },
  {
    id: "txn/bank-only-reference",
    requirement: "TXN-16",
    description: "transactionReference is the provider's own, without the prefix",
    checks: ["TXN-16: a bank-only transaction and its message have bank-only field values"],
    ...changeResource(["projection", "transaction-messages"], (body) => {
      if (isBankOnly(body)) body.transactionReference = body.transactionReference.slice(5);
    }),
  },
  {
    id: "txn/bank-only-without-data",
    requirement: "TXN-16",
    description: "bankData is loaded for matched messages only",
    ...changeResource(["projection", "transaction-messages"], (body) => {
      if (isBankOnly(body)) body.bankData = null;
    }),
  },
  {
    id: "txn/nested-message-links",
    requirement: "TXN-01",
    description: "Links to messages have a nested path, below the transaction",
    checks: ["TXN-01: its links to itself and its messages have their shown path"],
    http: changeResponses("transactions", ({ id, _links: { messages } }) => {
      for (const link of messages) link.href = `/transactions/${id}${link.href}`;
    }),
  },
  {
    id: "txn/linked-twice",
    requirement: "TXN-07",
    description: "If the projection is off, a join duplicates the links to messages",
    checks: ["TXN-07: each message is linked once, without projection"],
    http: changeResponses("transactions", (body) => {
      delete body._embedded;
      body._links.messages.push(body._links.messages[0]);
    }),
  },
];
