import type { Mutation } from "../mutation.ts";
import { changeEvents, changeResource, changeResponses, rename } from "../rewrite.ts";
import { isBankOnly } from "../transactions.ts";

/** Mutations of the fields of transactions. */
export const txn: readonly Mutation[] = [
  {
    id: "txn/snake-case",
    requirement: "TXN-01",
    description: "The worker that sends events serializes names in snake case",
    checks: ["TXN-01: every body"],
    deliveries: changeEvents("transactions", (body) => {
      rename(body, "transactionCurrency", "transaction_currency");
      rename(body, "cardholderBillingCurrency", "cardholder_billing_currency");
    }),
  },
  {
    id: "txn/zero-left-out",
    requirement: "TXN-01",
    description: "omitempty: an amount of 0 is omitted",
    checks: ["TXN-01: every body"],
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
    checks: ["TXN-01: every body"],
    ...changeResource("transactions", (body) => {
      if (body.status === "PENDING") body.transactionType = null;
    }),
  },
  {
    id: "txn/descriptor-left-out",
    requirement: "TXN-01",
    description: "A bank-only transaction has no descriptor",
    checks: ["TXN-01: every body"],
    ...changeResource("transactions", (body) => {
      if (isBankOnly(body)) delete body.descriptor;
    }),
  },
  {
    id: "txn/cardless-empty",
    requirement: "TXN-02",
    description: "cardId of a card-less transaction is an empty string",
    checks: ["TXN-02: every body"],
    ...changeResource("transactions", (body) => {
      body.cardId ??= "";
    }),
  },
  {
    id: "txn/cardless-left-out",
    requirement: "TXN-02",
    description: "Nulls are omitted: a card-less transaction has no cardId",
    checks: ["TXN-02: every body"],
    ...changeResource("transactions", (body) => {
      if (body.cardId === null) delete body.cardId;
    }),
  },
  {
    id: "txn/link-to-no-card",
    requirement: "TXN-03",
    description: "The card link of a card-less transaction is /cards/null",
    checks: ["TXN-03: every body"],
    ...changeResource("transactions", (body) => {
      if (body.cardId === null) body._links.card = { href: "/cards/null" };
    }),
  },
  {
    id: "txn/card-link-null",
    requirement: "TXN-03",
    description: "The card link of a card-less transaction is null instead of omitted",
    checks: ["TXN-03: every body"],
    ...changeResource("transactions", (body) => {
      if (body.cardId === null) body._links.card = null;
    }),
  },
  {
    id: "txn/no-card-link",
    requirement: "TXN-03",
    description: "Bank-only transactions have no card link, even if they have a card",
    checks: ["TXN-03: every body"],
    ...changeResource("transactions", (body) => {
      if (isBankOnly(body)) delete body._links.card;
    }),
  },
  {
    id: "txn/status-ordinal",
    requirement: "TXN-04",
    description: "An enum is serialized as its ordinal",
    checks: ["TXN-04"],
    ...changeResource("transactions", (body) => {
      body.status = body.status === "PENDING" ? 0 : 1;
    }),
  },
  {
    id: "txn/mcc-number",
    requirement: "TXN-05",
    description: "mcc is a number and loses its leading zeros",
    checks: ["TXN-05"],
    ...changeResource("transactions", (body) => {
      body.acceptor.mcc = Number(body.acceptor.mcc);
    }),
  },
  {
    id: "txn/acceptor-state-null",
    requirement: "TXN-05",
    description: "acceptor.state is null outside the United States",
    checks: ["TXN-05"],
    ...changeResource("transactions", (body) => {
      if (body.acceptor.country !== "US") body.acceptor.state = null;
    }),
  },
  {
    id: "txn/nested-message-links",
    requirement: "TXN-01",
    description: "Links to messages have a nested path, below the transaction",
    checks: ["TXN-01: links to the transaction and its messages have the specified path"],
    http: changeResponses("transactions", ({ id, _links: { messages } }) => {
      for (const link of messages) link.href = `/transactions/${id}${link.href}`;
    }),
  },
];
