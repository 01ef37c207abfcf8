import { changeInserted, changeTransactionTransition } from "../internals.ts";
import type { Mutation } from "../mutation.ts";
import { changeResource, changeResponses, delayEvents, dropEvents, type Json } from "../rewrite.ts";
import { finals, isBankOnly, settle } from "../transactions.ts";

const MESSAGE = "transactionmessage.created" as const;
const CREATED = "transaction.created" as const;

/** Whether a bank-only transaction is netted: its movement was matched. */
const isNetted = (body: Json) => isBankOnly(body) && body.transactionSettledAmount === 0;

async function matchOf(body: Json, run: Parameters<NonNullable<Mutation["inside"]>>[0]) {
  const id = finals(body)[0]?.bankData?.bankTransactionId;
  const all = await run.sandbox.resources("transaction-matches", { limit: 10_000 });
  return all.map((one) => one.body as Json).find((one) => one.matches[0].id === id);
}

/** Mutations of transactions without a card purchase. */
export const txnBankOnly: readonly Mutation[] = [
  {
    id: "txn/bank-only-network",
    requirement: "TXN-16",
    description: "A bank-only transaction has the network of the account's card",
    checks: [
      "TXN-16",
      "TXN-02: every body",
      "TXN-17: a bank-only transaction with a cardId has network OPEN_BANKING",
    ],
    ...changeResource(["transactions", "projection", "transaction-messages"], (body) => {
      if (isBankOnly(body)) body.network = "NETWORK_A";
    }),
  },
  {
    id: "txn/bank-only-approval",
    requirement: "TXN-16",
    description: "A NOT NULL column gives bank-only messages the approvalCode 000000",
    checks: [
      "TXN-16: every body",
      "TXN-16: a bank-only transaction and its message have bank-only field values",
      "MSG-06: every body",
    ],
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
    checks: [
      "TXN-16: every body",
      "TXN-16: a bank-only transaction and its message have bank-only field values",
    ],
    ...changeResource(["projection", "transaction-messages"], (body) => {
      if (isBankOnly(body)) body.bankData = null;
    }),
  },
  {
    id: "txn/not-netted",
    requirement: "TXN-14",
    description: "A standalone transaction still counts after its bank transaction is matched",
    checks: [
      "TXN-14: a matched bank-only transaction has settled amounts of 0",
      "TXN-14: a later card match revises a bank-only transaction to 0",
      "TXN-14: a later match of any confidence revises a bank-only transaction to 0",
      "TXN-14: no delivery contradicts another",
    ],
    ...changeResource("transactions", (body) => {
      if (isNetted(body)) settle(body, finals(body));
    }),
  },
  {
    id: "txn/netting-unannounced",
    requirement: "TXN-14",
    description: "The netting is written by SQL, bypassing the code that sends events",
    checks: [
      "TXN-14: a later card match revises a bank-only transaction to 0",
      "TXN-14: a later match of any confidence revises a bank-only transaction to 0",
    ],
    inside: changeTransactionTransition("netting", { sends: [] }),
  },
  {
    id: "txn/netted-when-sure",
    requirement: "TXN-14",
    description: "Only a match of HIGH confidence nets the standalone transaction",
    checks: [
      "TXN-14: a later match of any confidence revises a bank-only transaction to 0",
      "TXN-14: no delivery contradicts another",
    ],
    ...changeResource("transactions", async (body, { run }) => {
      if (!isNetted(body)) return;
      const match = await matchOf(body, run);
      if (match && match.confidence !== "HIGH") settle(body, finals(body));
    }),
  },
  {
    id: "txn/netting-reopens",
    requirement: "TXN-14",
    description: "A netted standalone transaction becomes PENDING",
    checks: [
      "TXN-14: a later card match revises a bank-only transaction to 0",
      "TXN-14: a later match of any confidence revises a bank-only transaction to 0",
    ],
    inside: changeTransactionTransition("netting", { to: "PENDING" }),
  },
  {
    id: "txn/bank-only-pending",
    requirement: "TXN-15",
    description: "Every transaction starts as PENDING, even a bank-only one",
    checks: [
      "TXN-15: a bank-only movement creates a message and a SETTLED transaction",
      "TXN-15: no delivery contradicts another",
    ],
    inside: changeTransactionTransition("movement", { to: "PENDING" }),
  },
  {
    id: "txn/bank-only-without-message",
    requirement: "TXN-15",
    description: "The synthetic message is stored but not announced",
    checks: ["TXN-15: a bank-only movement creates a message and a SETTLED transaction"],
    deliveries: dropEvents(MESSAGE, isBankOnly),
  },
  {
    id: "txn/bank-only-without-transaction",
    requirement: "TXN-15",
    description: "A bank-only transaction announces its message, but not transaction.created",
    checks: [
      "TXN-15: a bank-only movement creates a message and a SETTLED transaction",
      "TXN-15: no delivery contradicts another",
    ],
    inside: changeTransactionTransition("movement", { sends: [MESSAGE] }),
  },
  {
    id: "txn/bank-only-reversed",
    requirement: "TXN-15",
    description: "Events are sent in insertion order: the transaction before its message",
    checks: ["TXN-15: a bank-only message is announced before its transaction"],
    deliveries: delayEvents(MESSAGE, CREATED, isBankOnly),
  },
  {
    id: "txn/newest-card",
    requirement: "TXN-17",
    description: "A bank-only transaction gets the card that was linked last",
    checks: ["TXN-17: a bank-only transaction has its account's oldest linked card"],
    inside: changeInserted("transactions", ({ body, parent }, { store }) => {
      const { cardIds = [] } = store.get("bank-accounts", parent)?.internal ?? {};
      const newest = cardIds.at(-1);
      if (!isBankOnly(body) || newest === undefined || cardIds.length < 2) return false;
      body.cardId = newest;
      body._links.card = { href: `/cards/${newest}` };
      return true;
    }),
  },
  {
    id: "txn/card-for-cardless",
    requirement: "TXN-17",
    description: "A transaction of a card-less link gets any card of the subaccount",
    checks: [
      "TXN-17: a bank-only transaction on a link without cards has no card",
      "TXN-17: a bank-only transaction has a card of its account",
    ],
    inside: changeInserted("transactions", ({ body, subaccountId, accountId }, { store }) => {
      const card = store
        .latest("cards", accountId)
        .find((one) => one.subaccountId === subaccountId);
      if (!isBankOnly(body) || body.cardId !== null || !card) return false;
      body.cardId = card.id;
      body._links.card = { href: `/cards/${card.id}` };
      return true;
    }),
  },
  {
    id: "txn/cardless-with-cards",
    requirement: "TXN-17",
    description: "A bank-only transaction never has a card, even if the account has some",
    checks: ["TXN-17: a bank-only transaction has its account's oldest linked card"],
    inside: changeInserted("transactions", ({ body }) => {
      if (!isBankOnly(body) || body.cardId === null) return false;
      Object.assign(body, { cardId: null });
      delete body._links.card;
      return true;
    }),
  },
  {
    id: "txn/bank-only-shown-pending",
    requirement: "TXN-15",
    description: "The API shows a bank-only transaction as PENDING until a card matches it",
    checks: [
      "TXN-15: a bank-only transaction is not PENDING",
      "TXN-15: a bank-only movement creates a message and a SETTLED transaction",
    ],
    http: changeResponses("transactions", (body) => {
      if (isBankOnly(body) && !isNetted(body)) body.status = "PENDING";
    }),
  },
  {
    id: "txn/cardless-reversed",
    requirement: "TXN-15",
    description: "A card-less movement sends its transaction before its message",
    checks: ["TXN-15: a bank-only message is announced before its transaction"],
    deliveries: delayEvents(MESSAGE, CREATED, (body) => isBankOnly(body) && !body.cardId),
  },
];
