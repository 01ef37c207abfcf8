import { event } from "../events.ts";
import { announced, inserted, transition, verb } from "../internals.ts";
import { bug, type Mutation } from "../mutation.ts";
import { type Json, nth, resource, resourcesOf, response } from "../rewrite.ts";
import {
  announcement,
  CREATED,
  clearedPostingIn,
  clearings,
  created,
  finals,
  hasSuperseded,
  isBankOnly,
  isCardless,
  isLastOfBank,
  isNetted,
  isOfBank,
  MESSAGE,
  message,
  messagesOf,
  restore,
  setCard,
  settle,
  settleAll,
  shown,
  supersede,
  transaction,
  UPDATED,
  updated,
} from "../transactions.ts";

/** Mutations of the steps of a transaction, and of transactions without a card purchase. */
export const txnSteps: readonly Mutation[] = [
  bug("txn/superseded-as-delta", "TXN-11.full-set").is(
    "The event has only the ids that this update superseded",
    announcement.change((body, { memory }) => {
      const known = memory.get(body.id) ?? [];
      memory.set(body.id, [...known, ...body.supersededMessageIds]);
      supersede(
        body,
        body.supersededMessageIds.filter((id: string) => !known.includes(id)),
      );
    }),
  ),
  bug("txn/un-superseded", "TXN-11.never-shrinks").is(
    "A nightly rebuild announces superseded messages as valid again",
    updated.twice((body, run) => {
      if (!hasSuperseded(body, run) || !body._embedded) return undefined;
      supersede(body);
      settle(body);
      return body;
    }),
  ),
  bug("txn/superseded-from-replica", "TXN-11.same-as-get").is(
    "GET reads a stale cache without superseded ids",
    shown.change((body) => supersede(body)),
  ),
  bug("txn/created-at-of-update", "TXN-18.created-at").is(
    "An upsert overwrites createdAt",
    transaction.set("/createdAt", (_, { updatedAt }) => updatedAt),
  ),
  bug("txn/updated-at-of-other-node", "TXN-18.updated-at", "TXN-18.not-before-created").is(
    "Clock skew between two nodes moves updatedAt back",
    transaction
      .when((body) => body.status === "SETTLED" && !isBankOnly(body))
      .set("/updatedAt", (time) => new Date(Date.parse(time) - 86_400_000).toISOString()),
  ),
  bug("txn/pending-again", "TXN-20.no-return").is(
    "A delayed duplicate of the authorization handler sets PENDING again",
    updated.twice((body, run) => {
      const isSettledByBank = finals(body).length > 0 && finals(body).every(isOfBank);
      if (!isSettledByBank || hasSuperseded(body, run)) return undefined;
      return { ...body, status: "PENDING" };
    }),
  ),
  bug("txn/created-for-update", "WHK-05.once").is(
    "An upsert announces each change as transaction.created",
    updated.as(CREATED),
  ),
  bug("txn/created-twice", "WHK-05.once").is(
    "An import announces existing transactions again",
    updated.twice((body) => body, CREATED),
  ),
  bug("txn/created-never", "WHK-05.owed").is(
    "A purchase is announced only when it settles, without transaction.created",
    transition("authorization", { sends: [MESSAGE] }),
  ),
  bug("txn/updated-first", "WHK-05.before-updated").is(
    "A database trigger sends updated on insert, before created",
    created.handle(async (body, { send }) => {
      await send(body, UPDATED);
      await send();
    }),
  ),
  bug("txn/update-as-patch", "WHK-05.same-shape").is(
    "transaction.updated has only the changed fields",
    updated.change(({ id, status, updatedAt, _links, transactionSettledAmount }) => {
      return { id, status, updatedAt, _links, transactionSettledAmount };
    }),
  ),
  bug("txn/pending-when-superseded", "TXN-13.stays-settled").is(
    "GET derives PENDING from a superseded settlement",
    shown.when(hasSuperseded).set("/status", "PENDING"),
  ),
  bug("txn/superseded-not-in-single", "TXN-11.same-as-get").is(
    "The single resource is cached without superseded ids",
    response("/transactions/{}").change((body) => supersede(body)),
  ),
  // What shows after one step of a transaction.
  bug("txn/second-clearing-silent", "TXN-13.updated").is(
    "The update of a second partial clearing is deduplicated away",
    updated.silent(
      (body) => !isBankOnly(body) && clearings(body).length > 1 && !isLastOfBank(body),
    ),
  ),
  bug("txn/authorization-silent-on-b", "WHK-05.owed").is(
    "The consumer of NETWORK_B stores an authorization without transaction.created",
    created.silent(({ network }) => network === "NETWORK_B"),
  ),
  bug("txn/late-purchase-silent", "WHK-05.owed").is(
    "A purchase from late card data is imported without transaction.created",
    verb("late-card-data").silent(CREATED),
  ),
  bug("txn/second-debit-message-silent", "WHK-05.message-owed").is(
    "Only the first bank debit of a purchase announces its message",
    announced((body, run) => {
      const isDebit = run.name === MESSAGE && isOfBank(body);
      return isDebit && nth(run, run.resource) > 1 ? undefined : body;
    }),
  ),
  bug("txn/posting-after-clearing-silent", "WHK-05.every-change").is(
    "A bank debit of a cleared purchase is stored without transaction.updated",
    updated.silent((body) => clearings(body).length > 0 && isLastOfBank(body)),
  ),
  bug("txn/update-of-second-clearing-stale", "WHK-05.every-change").is(
    "The update of a second clearing has the settled amounts of the first one",
    updated
      .when((body) => !isLastOfBank(body))
      .change((body) => {
        const [first, second] = clearings(body);
        if (second) settle(body, [first]);
      }),
  ),
  bug("txn/amounts-of-bank-kept", "TXN-09.excludes-superseded").is(
    "A clearing supersedes the bank's message, but its amounts are kept",
    transaction.when(clearedPostingIn).change((body) => settle(body, [clearedPostingIn(body)])),
  ),
  bug("txn/billing-not-revised", "TXN-09.billing").is(
    "A clearing revises the settled amount, but not the one in billing currency",
    transaction.when(clearedPostingIn).change((body) => {
      body.cardholderBillingSettledAmount = clearedPostingIn(body).cardholderBillingAmount;
    }),
  ),
  bug("txn/second-superseded-unmarked", "TXN-08.marked").is(
    "The projection marks only the first superseded message",
    transaction.change((body) => {
      const [, ...others] = messagesOf(body).filter((one) => one.superseded);
      for (const one of others) one.superseded = false;
    }),
  ),
  bug("txn/second-clearing-unlinked", "TXN-07.links-all").is(
    "A join on the first clearing hides the message of the second one",
    transaction.change((body) => {
      const [, second] = isBankOnly(body) ? [] : clearings(body);
      if (!second) return;
      const { _links, _embedded } = body;
      _links.messages = _links.messages.filter(({ href }: Json) => !href.endsWith(second.id));
      _embedded.messages = _embedded.messages.filter((one: Json) => one !== second);
    }),
  ),
  bug("txn/late-posting-counts", "TXN-13.supersedes").is(
    "A bank debit after the clearing of its part is not superseded, so both count",
    transaction.change((body) => {
      const last = messagesOf(body).at(-1);
      if (last?.superseded && isOfBank(last)) restore(body, last);
    }),
  ),
  bug("txn/second-clearing-reopens", "TXN-13.stays-settled").is(
    "The API shows a purchase as PENDING once its second part is cleared",
    shown.when((body) => !isBankOnly(body) && clearings(body).length > 1).set("/status", "PENDING"),
  ),
  bug("txn/netted-in-one-currency", "TXN-14.netted").is(
    "The netting revises transactionSettledAmount only",
    transaction.when(isNetted).set("/cardholderBillingSettledAmount", (_, body) => {
      return finals(body)[0]?.cardholderBillingAmount ?? 0;
    }),
  ),
  bug("txn/cardless-message-silent", "TXN-15.message-event").is(
    "An inner join with cards drops the message event of a card-less movement",
    event(MESSAGE).silent(isCardless),
  ),
  bug("txn/own-approval-on-b", "TXN-12.inherits-approval-code").is(
    "The bank's message on NETWORK_B has no approvalCode",
    message
      .when((body) => isOfBank(body) && body.network === "NETWORK_B")
      .set("/approvalCode", null),
  ),
  bug("txn/bulk-not-settled", "TXN-12.settles").is(
    "A posting never settles the purchase of a network-bulk card",
    transaction
      .when((body) => clearings(body).length === 0 && !isBankOnly(body))
      .change(async (body, run) => {
        const all = await resourcesOf(run, "card-subscriptions");
        const own = all.map((one) => one.body).find(({ cardId }) => cardId === body.cardId);
        if (own?.enrollmentType === "network-bulk") body.status = "PENDING";
      }),
  ),
  bug("txn/null-when-deactivated", "TXN-17.oldest-card").is(
    "A bank-only transaction has no card if the oldest one is deactivated",
    inserted("transactions", ({ body, accountId }, { store }) => {
      if (!isBankOnly(body) || body.cardId === null) return false;
      const all = store.latest("card-subscriptions", accountId, 1_000);
      const own = all.find((one) => one.body.cardId === body.cardId);
      return own?.body.state === "deactivated" && setCard(body, null);
    }),
  ),
  bug("txn/updated-at-midnight", "TXN-18.not-before-created").is(
    "updatedAt of a bank-only transaction is the start of its day",
    transaction.when(isBankOnly).set("/updatedAt", (_, { createdAt }) => {
      return `${createdAt.slice(0, 10)}T00:00:00.000Z`;
    }),
  ),
  bug("txn/projection-undelivered", "TXN-10.consistent").is(
    "Events have no projection, to be smaller",
    announcement.drop("/_embedded"),
  ),
  bug("txn/delivered-links-nested", "TXN-01.links").is(
    "Links to messages in events have a nested path, below the transaction",
    announcement.set("/_links/messages/*/href", (href, { id }) => `/transactions/${id}${href}`),
  ),
  // Transactions without a card purchase.
  bug("txn/bank-only-network", "TXN-16.network").is(
    "A bank-only transaction has the network of the account's card",
    resource("transactions", "projection", "transaction-messages")
      .when(isBankOnly)
      .set("/network", "NETWORK_A"),
  ),
  bug("txn/bank-only-approval", "TXN-16.no-approval-code").is(
    "A NOT NULL column gives bank-only messages the approvalCode 000000",
    message.when(isBankOnly).set("/approvalCode", "000000"),
  ),
  bug("txn/bank-only-reference", "TXN-16.reference").is(
    "transactionReference is the provider's own, without the prefix",
    message.when(isBankOnly).set("/transactionReference", (text) => text.slice(5)),
  ),
  bug("txn/bank-only-without-data", "TXN-16.bank-data").is(
    "bankData is loaded for matched messages only",
    message.when(isBankOnly).set("/bankData", null),
  ),
  bug("txn/not-netted", "TXN-14.netted").is(
    "A standalone transaction still counts after its bank transaction is matched",
    transaction.when(isNetted).change(settleAll),
  ),
  bug("txn/netting-unannounced", "TXN-14.updated").is(
    "The netting is written by SQL, bypassing the code that sends events",
    transition("netting", { sends: [] }),
  ),
  bug("txn/netted-when-sure", "TXN-14.netted").is(
    "Only a match of HIGH confidence nets the standalone transaction",
    transaction.when(isNetted).change(async (body, run) => {
      const id = finals(body)[0]?.bankData?.bankTransactionId;
      const all = await resourcesOf(run, "transaction-matches");
      const match = all.map((one) => one.body).find((one) => one.matches[0].id === id);
      if (match && match.confidence !== "HIGH") settleAll(body);
    }),
  ),
  bug("txn/netting-reopens", "TXN-14.stays-settled").is(
    "A netted standalone transaction becomes PENDING",
    transition("netting", { to: "PENDING" }),
  ),
  bug("txn/bank-only-pending", "TXN-15.transaction-event").is(
    "Every transaction starts as PENDING, even a bank-only one",
    transition("movement", { to: "PENDING" }),
  ),
  bug("txn/bank-only-without-message", "TXN-15.message-event").is(
    "The synthetic message is stored but not announced",
    event(MESSAGE).silent(isBankOnly),
  ),
  bug("txn/bank-only-without-transaction", "TXN-15.transaction-event").is(
    "A bank-only transaction announces its message, but not transaction.created",
    transition("movement", { sends: [MESSAGE] }),
  ),
  bug("txn/bank-only-reversed", "TXN-15.message-first").is(
    "Events are sent in insertion order: the transaction before its message",
    event(MESSAGE).late(CREATED, isBankOnly),
  ),
  bug("txn/newest-card", "TXN-17.oldest-card").is(
    "A bank-only transaction gets the card that was linked last",
    inserted("transactions", ({ body, parent }, { store }) => {
      const { cardIds = [] } = store.get("bank-accounts", parent)?.internal ?? {};
      const newest = cardIds.at(-1);
      return (
        isBankOnly(body) && newest !== undefined && cardIds.length > 1 && setCard(body, newest)
      );
    }),
  ),
  bug("txn/card-for-cardless", "TXN-17.null-cardless", "TXN-17.oldest-card").is(
    "A transaction of a card-less link gets any card of the subaccount",
    inserted("transactions", ({ body, subaccountId, accountId }, { store }) => {
      const cards = store.latest("cards", accountId);
      const card = cards.find((one) => one.subaccountId === subaccountId);
      return isBankOnly(body) && body.cardId === null && !!card && setCard(body, card.id);
    }),
  ),
  bug("txn/cardless-with-cards", "TXN-17.oldest-card").is(
    "A bank-only transaction never has a card, even if the account has some",
    inserted("transactions", ({ body }) => {
      return isBankOnly(body) && body.cardId !== null && setCard(body, null);
    }),
  ),
  bug("txn/bank-only-shown-pending", "TXN-15.transaction-event").is(
    "The API shows a bank-only transaction as PENDING until a card matches it",
    shown.when((body) => isBankOnly(body) && !isNetted(body)).set("/status", "PENDING"),
  ),
  bug("txn/cardless-reversed", "TXN-15.message-first").is(
    "A card-less movement sends its transaction before its message",
    event(MESSAGE).late(CREATED, isCardless),
  ),
];
