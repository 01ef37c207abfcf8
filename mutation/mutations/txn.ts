import { event } from "../events.ts";
import { announced, transition, verb } from "../internals.ts";
import { bug, type Mutation } from "../mutation.ts";
import { type Json, resource, resourcesOf, response } from "../rewrite.ts";
import {
  announcement,
  CREATED,
  clearings,
  finals,
  hasNoneSuperseded,
  hasSuperseded,
  isBankOnly,
  isLastOfBank,
  isOfBank,
  MESSAGE,
  message,
  messagesOf,
  restore,
  settle,
  settleAll,
  shown,
  supersede,
  transaction,
  updated,
} from "../transactions.ts";

const SETTLED = ["/transactionSettledAmount", "/cardholderBillingSettledAmount"];

/** Mutations of transactions: their fields, messages and settlements. */
export const txn: readonly Mutation[] = [
  bug("txn/snake-case", "TXN-01.fields").is(
    "The worker that sends events serializes names in snake case",
    announcement
      .rename("/transactionCurrency", "transaction_currency")
      .rename("/cardholderBillingCurrency", "cardholder_billing_currency"),
  ),
  bug("txn/zero-left-out", "TXN-01.fields").is(
    "omitempty: an amount of 0 is omitted",
    transaction.change((body) => {
      for (const name of ["transactionSettledAmount", "transactionHoldAmount"]) {
        if (body[name] === 0) delete body[name];
      }
    }),
  ),
  bug("txn/type-null", "TXN-01.fields").is(
    "transactionType is null until it settles",
    transaction.when(({ status }) => status === "PENDING").set("/transactionType", null),
  ),
  bug("txn/descriptor-left-out", "TXN-01.fields").is(
    "A bank-only transaction has no descriptor",
    transaction.when(isBankOnly).drop("/descriptor"),
  ),
  bug("txn/cardless-empty", "TXN-17.null-cardless").is(
    "cardId of a card-less transaction is an empty string",
    transaction.fill("/cardId", ""),
  ),
  bug("txn/cardless-left-out", "TXN-02.card-id").is(
    "Nulls are omitted: a card-less transaction has no cardId",
    transaction.when(({ cardId }) => cardId === null).drop("/cardId"),
  ),
  bug("txn/link-to-no-card", "TXN-03.omitted").is(
    "The card link of a card-less transaction is /cards/null",
    transaction.when(({ cardId }) => cardId === null).set("/_links/card", { href: "/cards/null" }),
  ),
  bug("txn/card-link-null", "TXN-03.present").is(
    "The card link of a card-less transaction is null instead of omitted",
    transaction.when(({ cardId }) => cardId === null).set("/_links/card", null),
  ),
  bug("txn/no-card-link", "TXN-03.present").is(
    "Bank-only transactions have no card link, even if they have a card",
    transaction.when(isBankOnly).drop("/_links/card"),
  ),
  bug("txn/status-ordinal", "TXN-04.status").is(
    "An enum is serialized as its ordinal",
    transaction.set("/status", (status) => (status === "PENDING" ? 0 : 1)),
  ),
  bug("txn/mcc-number", "TXN-05.acceptor").is(
    "mcc is a number and loses its leading zeros",
    transaction.number("/acceptor/mcc"),
  ),
  bug("txn/acceptor-state-null", "TXN-05.acceptor").is(
    "acceptor.state is null outside the United States",
    transaction.when(({ acceptor }) => acceptor.country !== "US").set("/acceptor/state", null),
  ),
  bug("txn/nested-message-links", "TXN-01.links").is(
    "Links to messages have a nested path, below the transaction",
    shown.set("/_links/messages/*/href", (href, { id }) => `/transactions/${id}${href}`),
  ),
  bug("txn/yen-in-hundredths", "TXN-09.sums").is(
    "The settled amount has two decimals in every currency: 42.18 instead of 4218 yen",
    transaction
      .when(({ transactionCurrency }) => transactionCurrency === "JPY")
      .set("/transactionSettledAmount", (amount) => amount / 100),
  ),
  bug("txn/superseded-left-out", "TXN-06.present").is(
    "omitempty: an empty supersededMessageIds is omitted",
    transaction.when(hasNoneSuperseded).drop("/supersededMessageIds"),
  ),
  bug("txn/superseded-null", "TXN-06.present").is(
    "An empty supersededMessageIds is null",
    transaction.when(hasNoneSuperseded).set("/supersededMessageIds", null),
  ),
  bug("txn/superseded-twice", "TXN-06.unique").is(
    "A join duplicates the superseded ids",
    transaction.set("/supersededMessageIds", (ids) => [...ids, ...ids]),
  ),
  bug("txn/superseded-by-own-id", "TXN-06.subset").is(
    "supersededMessageIds contains the transaction's id instead of the messages' ids",
    transaction.set("/supersededMessageIds/*", (_, { id }) => id),
  ),
  bug("txn/links-without-superseded", "TXN-07.links-superseded").is(
    "Superseded messages are not linked",
    transaction.set("/_links/messages", (all: Json[], body) =>
      all.filter(({ href }) => !body.supersededMessageIds.some((id: string) => href.endsWith(id))),
    ),
  ),
  bug("txn/link-collapsed", "TXN-07.links-all").is(
    "The HAL library serializes a single link as an object",
    transaction.set("/_links/messages", (all) => (all.length === 1 ? all[0] : all)),
  ),
  bug("txn/projection-without-superseded", "TXN-07.projects-same").is(
    "The projection omits superseded messages",
    transaction.set("/_embedded/messages", (all: Json[]) => all.filter((one) => !one.superseded)),
  ),
  bug("txn/projection-of-latest", "TXN-07.projects-same").is(
    "The event's projection has only the new message",
    updated.set("/_embedded/messages", (all) => all.slice(-1)),
  ),
  bug("txn/never-superseded", "TXN-08.marked").is(
    "The projection's superseded column is never written",
    resource("projection").set("/superseded", false),
  ),
  bug("txn/superseded-settles", "TXN-08.marked").is(
    "superseded is set on the superseding message",
    transaction.when(hasSuperseded).change((body) => {
      for (const one of finals(body)) one.superseded = !one.superseded;
    }),
  ),
  bug("txn/counts-superseded", "TXN-09.excludes-superseded").is(
    "The settled amounts include superseded messages",
    transaction.when(hasSuperseded).change(settleAll),
  ),
  bug("txn/counts-superseded-billing", "TXN-09.billing").is(
    "One of the two settled amounts includes superseded messages",
    transaction.when(hasSuperseded).change((body) => {
      const { transactionSettledAmount } = body;
      settleAll(body);
      body.transactionSettledAmount = transactionSettledAmount;
    }),
  ),
  bug("txn/single-precision", "TXN-09.sums").is(
    "The settled amounts are 32-bit floats",
    transaction.set(SETTLED, Math.fround),
  ),
  bug("txn/settles-hold", "TXN-09.sums").is(
    "The settled amounts include authorized amounts",
    transaction
      .when((body) => body.status === "SETTLED" && !isBankOnly(body))
      .change((body) =>
        settle(
          body,
          messagesOf(body).filter((one) => !one.superseded),
        ),
      ),
  ),
  bug("txn/projection-on-single", "TXN-10.consistent").is(
    "Lists omit the projection for speed",
    response("/transactions").drop("/_embedded/transactions/*/_embedded"),
  ),
  bug("txn/projection-null", "TXN-10.array").is(
    "The projection of an event is null, because the worker does not load it",
    announcement.set("/_embedded", { messages: null }),
  ),
  bug("txn/linked-twice", "TXN-07.links-all").is(
    "If the projection is off, a join duplicates the links to messages",
    shown.drop("/_embedded").set("/_links/messages", (all) => [...all, all[0]]),
  ),
  bug("txn/settled-off-by-one", "TXN-09.sums").is(
    "An issuer fee is added to the settled amount",
    shown
      .when(({ status }) => status === "SETTLED")
      .set("/transactionSettledAmount", (amount) => amount + 1),
  ),
  bug("txn/authorization-superseded", "TXN-08.unmarked").is(
    "A settlement marks its authorization as superseded in the projection",
    transaction.when(hasNoneSuperseded).change((body) => {
      const [first, ...others] = messagesOf(body);
      if (others.length > 0) first.superseded = true;
    }),
  ),
  bug("txn/projection-as-object", "TXN-10.array").is(
    "The projection is an object with numeric keys, as PHP serializes it",
    transaction.set("/_embedded/messages", (all) => ({ ...all })),
  ),
  // Settlements by the bank and by the network.
  bug("txn/high-match-does-not-settle", "TXN-12.settles").is(
    "A bank settlement adds the message but does not change the status",
    transition("bank-settlement", { to: "PENDING" }),
  ),
  bug("txn/settlement-unannounced", "TXN-12.updated").is(
    "A bank settlement announces its message, but not transaction.updated",
    transition("bank-settlement", { sends: [MESSAGE] }),
  ),
  bug("txn/settlement-own-approval", "TXN-12.inherits-approval-code").is(
    "The bank's message does not inherit the approvalCode",
    message.when(isOfBank).set("/approvalCode", null),
  ),
  bug("txn/settlement-own-reference", "TXN-12.inherits-reference").is(
    "The bank's message has its own reference: bank_ and an id",
    message.when(isOfBank).set("/transactionReference", (_, { bankData }) => {
      return `bank_${bankData.bankTransactionId.slice(0, 8)}`;
    }),
  ),
  bug("txn/settlement-own-network", "TXN-12.inherits-network").is(
    "Every bank message has network OPEN_BANKING",
    message.when(isOfBank).set("/network", "OPEN_BANKING"),
  ),
  bug("txn/clearing-supersedes-nothing", "TXN-13.supersedes", "TXN-13.marks-in-same-event").is(
    "The network's clearing does not supersede the bank's message, so both count",
    transaction.when(hasSuperseded).change((body) => {
      supersede(body);
      settle(body);
    }),
  ),
  bug("txn/clearing-marked-later", "TXN-13.marks-in-same-event").is(
    "The clearing's update is built before the superseded message is marked",
    updated.change((body, { memory }) => {
      const ids = memory.get(body.id);
      memory.set(body.id, body.supersededMessageIds);
      supersede(body, ids);
    }),
  ),
  bug("txn/clearing-supersedes-itself", "TXN-13.supersedes").is(
    "The first settlement wins: the network's clearing is marked as superseded",
    transaction.change((body) => {
      const [own, ...others] = clearings(body);
      const [bank, ...banks] = finals(body).filter(isOfBank);
      if (!own || !bank?.superseded || others.length + banks.length > 0) return;
      supersede(body, [own.id]);
      settle(body);
    }),
  ),
  bug("txn/part-supersedes-all", "TXN-13.supersedes").is(
    "The clearing of one part also supersedes the bank's messages of other parts",
    transaction.change((body) => {
      const [left, ...more] = finals(body).filter((one) => isOfBank(one) && !one.superseded);
      const isPart = clearings(body).length === 1 && finals(body).length === 3;
      if (!isPart || !left || more.length > 0) return;
      supersede(body, [...body.supersededMessageIds, left.id]);
      settleAll(body);
    }),
  ),
  bug("txn/clearing-reopens", "TXN-13.stays-settled").is(
    "Superseding the bank's settlement sets the purchase to PENDING again",
    transition("network-clearing", { to: "PENDING" }),
  ),
  bug("txn/later-debit-silent", "MAT-08.leg-by-leg").is(
    "Only the first bank debit of a purchase sends transaction.updated",
    updated.silent((body) => isLastOfBank(body) && finals(body).filter(isOfBank).length > 1),
  ),
  bug("txn/debit-of-cleared-part-silent", "WHK-05.message-owed").is(
    "A bank message that is superseded from the start is stored, but not announced",
    announced((body, { name, resource: id, memory }) => {
      if (name !== MESSAGE || body.messageType !== "FINL_ADVC") return body;
      if (!body.bankData) memory.set(id, "cleared");
      return isOfBank(body) && memory.has(id) ? undefined : body;
    }),
  ),
  bug("txn/second-partial-clearing-counts-twice", "TXN-13.supersedes").is(
    "Unless it is the last, a second clearing supersedes no bank message",
    transaction.change((body) => {
      const [authorization] = messagesOf(body);
      const cleared = clearings(body).reduce((sum, one) => sum + one.transactionAmount, 0);
      const kept = finals(body).findLast((one) => one.superseded && isOfBank(one));
      const isPartial = authorization && cleared < authorization.transactionAmount - 0.01;
      if (isPartial && clearings(body).length > 1 && kept) restore(body, kept);
    }),
  ),
  // What shows in one situation only.
  bug("txn/silent-on-network-c", "TXN-13.updated").is(
    "The clearing of a settled purchase on NETWORK_C is not announced",
    updated.silent((body, run) => body.network === "NETWORK_C" && hasSuperseded(body, run)),
  ),
  bug("txn/bank-message-of-default-network", "TXN-12.inherits-network").is(
    "The bank's message has the default network instead of the authorization's",
    message
      .when(({ bankData, network }) => bankData && network === "NETWORK_B")
      .set("/network", "NETWORK_A"),
  ),
  bug("txn/billing-at-rounded-rate", "TXN-09.billing").is(
    "After a second clearing, the billed amount is computed with a rounded rate",
    transaction.change((body) => {
      const [first, ...more] = finals(body);
      if (!first || more.length === 0) return;
      if (body.transactionCurrency === body.cardholderBillingCurrency) return;
      const rate = Number((first.cardholderBillingAmount / first.transactionAmount).toFixed(2));
      const billed = body.transactionSettledAmount * rate;
      body.cardholderBillingSettledAmount = Number(billed.toFixed(2));
    }),
  ),
  bug("txn/one-of-two-postings-superseded", "TXN-13.supersedes").is(
    "A clearing supersedes one message of the bank, though it clears two postings",
    transaction.change((body) => {
      const [kept, ...ofBank] = finals(body).filter(({ bankData }) => bankData);
      const [clearing, ...more] = clearings(body);
      if (!kept || ofBank.length === 0 || !clearing || more.length > 0) return;
      restore(body, kept);
      settle(body, [kept, clearing]);
    }),
  ),
  bug("txn/synced-later-without-card", "TXN-17.oldest-card").is(
    "A movement that is synced after a recovery is of the account alone, without card",
    verb("recover").otherwise((original, { store }, { bankAccountId }, fire) => {
      const account = store.find("bank-accounts", bankAccountId);
      const { cardIds, unsynced } = account.internal;
      if (cardIds.length > 0 && unsynced.length > 0) fire();
      account.internal.cardIds = [];
      store.update(account);
      const result = original();
      const recovered = store.find("bank-accounts", bankAccountId);
      recovered.internal.cardIds = cardIds;
      store.update(recovered);
      return result;
    }),
  ),
  bug("txn/credit-before-its-message", "TXN-15.message-first").is(
    "A refund to a card is announced before its message",
    event(MESSAGE).late(CREATED, async ({ bankData, cardId, network }, run) => {
      if (network !== "OPEN_BANKING" || cardId === null) return false;
      const all = await resourcesOf(run, "bank-transactions");
      const own = all.find(({ id }) => id === bankData.bankTransactionId);
      return own?.body.transactionType === "credit";
    }),
  ),
  bug("txn/cards-turned-round", "TXN-17.oldest-card").is(
    "A recovery reads the cards of the account again, newest first",
    verb("recover").otherwise((original, { store }, { bankAccountId }, fire) => {
      const account = store.find("bank-accounts", bankAccountId);
      if (account.internal.cardIds.length > 1) fire();
      account.internal.cardIds = account.internal.cardIds.toReversed();
      store.update(account);
      return original();
    }),
  ),
  bug("txn/seven-digits", "TXN-09.sums").is(
    "Settled amounts are kept in single precision",
    transaction.set("/transactionSettledAmount", (amount) => Number(amount.toPrecision(7))),
  ),
];
