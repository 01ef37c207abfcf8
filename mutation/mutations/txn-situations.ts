import { replaceVerb } from "../internals.ts";
import type { Mutation } from "../mutation.ts";
import { changeResource, delayEvents, dropEvents, type Json } from "../rewrite.ts";
import { finals, isBankOnly, settle } from "../transactions.ts";

const both = ["transaction-messages", "projection"] as const;

const isOn = (network: string) => (body: Json) => body.network === network;

/** Mutations of transactions that show in one situation only. */
export const txnSituations: readonly Mutation[] = [
  {
    id: "txn/silent-on-network-c",
    requirement: "TXN-13",
    description: "The clearing of a settled purchase on NETWORK_C is not announced",
    checks: [
      "TXN-13: a clearing supersedes the bank's message on each network",
      "WHK-05: each change of a driven transaction is announced as it is",
    ],
    deliveries: dropEvents(
      "transaction.updated",
      (body) => isOn("NETWORK_C")(body) && body.supersededMessageIds.length > 0,
    ),
  },
  {
    id: "txn/bank-message-of-default-network",
    requirement: "TXN-12",
    description: "The bank's message has the default network instead of the authorization's",
    checks: ["TXN-12: the bank's message inherits its fields on each network"],
    ...changeResource(both, (body) => {
      if (body.bankData && isOn("NETWORK_B")(body)) body.network = "NETWORK_A";
    }),
  },
  {
    id: "txn/billing-at-rounded-rate",
    requirement: "TXN-09",
    description: "After a second clearing, the billed amount is computed with a rounded rate",
    checks: ["TXN-09: a driven purchase's settled amounts are the sum of its messages"],
    ...changeResource("transactions", (body) => {
      const [first, ...more] = finals(body);
      if (!first || more.length === 0) return;
      if (body.transactionCurrency === body.cardholderBillingCurrency) return;
      const rate = Number((first.cardholderBillingAmount / first.transactionAmount).toFixed(2));
      body.cardholderBillingSettledAmount = Number(
        (body.transactionSettledAmount * rate).toFixed(2),
      );
    }),
  },
  {
    id: "txn/one-of-two-postings-superseded",
    requirement: "TXN-13",
    description: "A clearing supersedes one message of the bank, though it clears two postings",
    checks: ["TXN-13: the clearing of all parts supersedes the posting of each part"],
    ...changeResource("transactions", (body) => {
      const ofBank = finals(body).filter(({ bankData }) => bankData);
      const [clearing, ...more] = finals(body).filter(({ bankData }) => !bankData);
      const [kept] = ofBank;
      if (!kept || ofBank.length < 2 || !clearing || more.length > 0 || isBankOnly(body)) return;
      const ids = body.supersededMessageIds;
      body.supersededMessageIds = ids.filter((id: string) => id !== kept.id);
      kept.superseded = false;
      settle(body, [kept, clearing]);
    }),
  },
  {
    id: "txn/synced-later-without-card",
    requirement: "TXN-17",
    description: "A movement that is synced after a recovery is of the account alone, without card",
    checks: ["TXN-17: a bank-only transaction has its account's oldest linked card"],
    inside: replaceVerb("recover", (original, work, params, fire) => {
      const account = work.store.find("bank-accounts", params.bankAccountId);
      const { cardIds, unsynced } = account.internal;
      if (cardIds.length > 0 && unsynced.length > 0) fire();
      account.internal.cardIds = [];
      work.store.update(account);
      const result = original(work, params as never);
      const recovered = work.store.find("bank-accounts", params.bankAccountId);
      recovered.internal.cardIds = cardIds;
      work.store.update(recovered);
      return result;
    }),
  },
  {
    id: "txn/credit-before-its-message",
    requirement: "TXN-15",
    description: "A refund to a card is announced before its message",
    checks: ["TXN-15: a bank-only message is announced before its transaction"],
    deliveries: delayEvents(
      "transactionmessage.created",
      "transaction.created",
      async ({ bankData, cardId, network }, { sandbox }) => {
        if (network !== "OPEN_BANKING" || cardId === null) return false;
        const all = await sandbox.resources("bank-transactions", { limit: 10_000 });
        const own = all.find(({ id }) => id === bankData.bankTransactionId);
        return (own?.body as Json)?.transactionType === "credit";
      },
    ),
  },
  {
    id: "txn/cards-turned-round",
    requirement: "TXN-17",
    description: "A recovery reads the cards of the account again, newest first",
    checks: ["TXN-17: a bank-only transaction has its account's oldest linked card"],
    inside: replaceVerb("recover", (original, work, params, fire) => {
      const account = work.store.find("bank-accounts", params.bankAccountId);
      if (account.internal.cardIds.length > 1) fire();
      account.internal.cardIds = account.internal.cardIds.toReversed();
      work.store.update(account);
      return original(work, params as never);
    }),
  },
  {
    id: "txn/seven-digits",
    requirement: "TXN-09",
    description: "Settled amounts are kept in single precision",
    checks: ["TXN-09: a driven purchase's settled amounts are the sum of its messages"],
    ...changeResource("transactions", (body) => {
      body.transactionSettledAmount = Number(body.transactionSettledAmount.toPrecision(7));
    }),
  },
];
