import type { Mutation } from "../mutation.ts";
import { announced, type Json, rename, served, shown } from "../rewrite.ts";

/** The messages of a transaction that settle. */
export const finals = (body: Json): Json[] =>
  (body._embedded?.messages ?? []).filter((one: Json) => one.messageType === "FINL_ADVC");

export const isBankOnly = (body: Json): boolean => body.network === "OPEN_BANKING";

/** Settled amounts that sum up some messages. */
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
    description: "The worker that sends events has no naming strategy: snake case",
    deliveries: announced("transactions", (body) => {
      rename(body, "transactionCurrency", "transaction_currency");
      rename(body, "cardholderBillingCurrency", "cardholder_billing_currency");
    }),
  },
  {
    id: "txn/zero-left-out",
    requirement: "TXN-01",
    description: "omitempty: an amount of 0 is left out",
    ...shown("transactions", (body) => {
      for (const name of ["transactionSettledAmount", "transactionHoldAmount"]) {
        if (body[name] === 0) delete body[name];
      }
    }),
  },
  {
    id: "txn/type-null",
    requirement: "TXN-01",
    description: "transactionType is null until it settles",
    ...shown("transactions", (body) => {
      if (body.status === "PENDING") body.transactionType = null;
    }),
  },
  {
    id: "txn/descriptor-left-out",
    requirement: "TXN-01",
    description: "A bank-only movement has no descriptor, as no merchant sent one",
    ...shown("transactions", (body) => {
      if (isBankOnly(body)) delete body.descriptor;
    }),
  },
  {
    id: "txn/cardless-empty",
    requirement: "TXN-02",
    description: "cardId of a card-less movement is the empty string",
    ...shown("transactions", (body) => {
      body.cardId ??= "";
    }),
  },
  {
    id: "txn/cardless-left-out",
    requirement: "TXN-02",
    description: "Nulls are left out: a card-less movement has no cardId",
    ...shown("transactions", (body) => {
      if (body.cardId === null) delete body.cardId;
    }),
  },
  {
    id: "txn/link-to-no-card",
    requirement: "TXN-03",
    description: "The card link of a card-less movement leads to /cards/null",
    ...shown("transactions", (body) => {
      if (body.cardId === null) body._links.card = { href: "/cards/null" };
    }),
  },
  {
    id: "txn/card-link-null",
    requirement: "TXN-03",
    description: "The card link of a card-less movement is null instead of omitted",
    ...shown("transactions", (body) => {
      if (body.cardId === null) body._links.card = null;
    }),
  },
  {
    id: "txn/no-card-link",
    requirement: "TXN-03",
    description: "Bank-only movements have no card link, though they have a card",
    ...shown("transactions", (body) => {
      if (isBankOnly(body)) delete body._links.card;
    }),
  },
  {
    id: "txn/status-ordinal",
    requirement: "TXN-04",
    description: "An enumeration is written as its ordinal",
    ...shown("transactions", (body) => {
      body.status = body.status === "PENDING" ? 0 : 1;
    }),
  },
  {
    id: "txn/mcc-number",
    requirement: "TXN-05",
    description: "mcc is a number, and loses its leading zeros",
    ...shown("transactions", (body) => {
      body.acceptor.mcc = Number(body.acceptor.mcc);
    }),
  },
  {
    id: "txn/acceptor-state-null",
    requirement: "TXN-05",
    description: "acceptor.state is null outside of the United States",
    ...shown("transactions", (body) => {
      if (body.acceptor.country !== "US") body.acceptor.state = null;
    }),
  },
  {
    id: "txn/superseded-left-out",
    requirement: "TXN-06",
    description: "omitempty: an empty supersededMessageIds is omitted",
    ...shown("transactions", (body) => {
      if (body.supersededMessageIds.length === 0) delete body.supersededMessageIds;
    }),
  },
  {
    id: "txn/superseded-null",
    requirement: "TXN-06",
    description: "supersededMessageIds is null until there is one",
    ...shown("transactions", (body) => {
      if (body.supersededMessageIds.length === 0) body.supersededMessageIds = null;
    }),
  },
  {
    id: "txn/superseded-twice",
    requirement: "TXN-06",
    description: "A join doubles the superseded ids",
    ...shown("transactions", (body) => {
      body.supersededMessageIds.push(...body.supersededMessageIds);
    }),
  },
  {
    id: "txn/superseded-by-own-id",
    requirement: "TXN-06",
    description: "supersededMessageIds holds the transaction's id in place of the messages'",
    ...shown("transactions", (body) => {
      body.supersededMessageIds = body.supersededMessageIds.map(() => body.id);
    }),
  },
  {
    id: "txn/links-without-superseded",
    requirement: "TXN-07",
    description: "Superseded messages are linked no more",
    ...shown("transactions", (body) => {
      body._links.messages = body._links.messages.filter(
        ({ href }: Json) => !body.supersededMessageIds.some((id: string) => href.endsWith(id)),
      );
    }),
  },
  {
    id: "txn/link-collapsed",
    requirement: "TXN-07",
    description: "The HAL library writes a single link as an object",
    ...shown("transactions", (body) => {
      if (body._links.messages.length === 1) body._links.messages = body._links.messages[0];
    }),
  },
  {
    id: "txn/projection-without-superseded",
    requirement: "TXN-07",
    description: "The projection leaves superseded messages out",
    ...shown("transactions", (body) => {
      if (!body._embedded) return;
      body._embedded.messages = body._embedded.messages.filter((one: Json) => !one.superseded);
    }),
  },
  {
    id: "txn/projection-of-latest",
    requirement: "TXN-07",
    description: "The event's projection has only the new message",
    deliveries: announced("transactions", (body, { event }) => {
      if (event === "transaction.updated") {
        body._embedded.messages = body._embedded.messages.slice(-1);
      }
    }),
  },
  {
    id: "txn/never-superseded",
    requirement: "TXN-08",
    description: "superseded of the projection is a column that is never written",
    ...shown("projection", (message) => {
      message.superseded = false;
    }),
  },
  {
    id: "txn/superseded-settles",
    requirement: "TXN-08",
    description: "superseded is set on the message that supersedes",
    ...shown("transactions", (body) => {
      if (body.supersededMessageIds.length === 0) return;
      for (const message of finals(body)) message.superseded = !message.superseded;
    }),
  },
  {
    id: "txn/counts-superseded",
    requirement: "TXN-09",
    description: "The settled amounts sum up all that was settled, superseded messages too",
    ...shown("transactions", (body) => {
      if (body.supersededMessageIds.length > 0) settle(body, finals(body));
    }),
  },
  {
    id: "txn/counts-superseded-billing",
    requirement: "TXN-09",
    description: "Only one of the two settled amounts leaves superseded messages out",
    ...shown("transactions", (body) => {
      const { transactionSettledAmount } = body;
      if (body.supersededMessageIds.length > 0) settle(body, finals(body));
      body.transactionSettledAmount = transactionSettledAmount;
    }),
  },
  {
    id: "txn/single-precision",
    requirement: "TXN-09",
    description: "The settled amounts are kept as floats of 32 bits",
    ...shown("transactions", (body) => {
      body.transactionSettledAmount = Math.fround(body.transactionSettledAmount);
      body.cardholderBillingSettledAmount = Math.fround(body.cardholderBillingSettledAmount);
    }),
  },
  {
    id: "txn/settles-hold",
    requirement: "TXN-09",
    description: "Authorizations are summed up with the clearings",
    ...shown("transactions", (body) => {
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
    description: "Lists leave the projection out, to be faster",
    http: served("transactions", (body, { path }) => {
      if (path === "/transactions") delete body._embedded;
    }),
  },
  {
    id: "txn/projection-null",
    requirement: "TXN-10",
    description: "The projection of an event is null: it is not loaded in the worker",
    deliveries: announced("transactions", (body) => {
      body._embedded = { messages: null };
    }),
  },
  {
    id: "txn/bank-only-network",
    requirement: "TXN-16",
    description: "A bank-only movement takes the network of the account's card",
    ...shown(["transactions", "projection", "transaction-messages"], (body) => {
      if (isBankOnly(body)) body.network = "NETWORK_A";
    }),
  },
  {
    id: "txn/bank-only-approval",
    requirement: "TXN-16",
    description: "A column that may not be null: bank-only messages have approvalCode 000000",
    ...shown(["projection", "transaction-messages"], (body) => {
      if (isBankOnly(body)) body.approvalCode = "000000";
    }),
  },
  {
    id: "txn/bank-only-reference",
    requirement: "TXN-16",
    description: "transactionReference is the provider's own, without the prefix",
    checks: ["TXN-16: a bank-only transaction and its message bear the marks"],
    ...shown(["projection", "transaction-messages"], (body) => {
      if (isBankOnly(body)) body.transactionReference = body.transactionReference.slice(5);
    }),
  },
  {
    id: "txn/bank-only-without-data",
    requirement: "TXN-16",
    description: "bankData is loaded for matched messages only",
    ...shown(["projection", "transaction-messages"], (body) => {
      if (isBankOnly(body)) body.bankData = null;
    }),
  },
];
