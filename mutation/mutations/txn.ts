import * as is from "../bugs.ts";
import { bug, field, fields } from "../bugs.ts";
import { event } from "../events.ts";
import { announced, inserted, transition, verb } from "../internals.ts";
import type { Mutation } from "../mutation.ts";
import { type Json, nth, resource, resourcesOf, response } from "../rewrite.ts";
import {
  announcement,
  CREATED,
  clearedPostingIn,
  clearings,
  created,
  finals,
  hasNoneSuperseded,
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

const cardless = transaction.when({ cardId: null }, "card-less transactions");
const bankOnly = transaction.when(isBankOnly, "bank-only transactions");
const bankOnlyMessages = message.when(isBankOnly, "bank-only messages");
const unsuperseded = transaction.when(
  hasNoneSuperseded,
  "transactions without superseded messages",
);

const SETTLED = ["/transactionSettledAmount", "/cardholderBillingSettledAmount"];

const MESSAGES = "/_embedded/messages";

const ordinal = is.changed((status) => (status === "PENDING" ? 0 : 1));
const doubled = is.changed((ids) => [...ids, ...ids]);
const collapsed = is.changed((all) => (all.length === 1 ? all[0] : all));
const inForce = is.changed((all) => all.filter(isInForce));
const isInForce = (one: Json) => !one.superseded;
const latest = is.changed((all) => all.slice(-1));
const asObject = is.changed((all) => ({ ...all }));
const sevenDigits = is.changed((amount) => Number(amount.toPrecision(7)));
const singlePrecision = is.changed(Math.fround);
const withoutPrefix = is.changed((reference) => reference.slice(5));

/** Mutations of transactions: their fields, messages, settlements and steps. */
export const txn: readonly Mutation[] = [
  bug("txn/snake-case", "TXN-01.fields").is(
    "The worker that sends events serializes names in snake case",
    announcement
      .rename("/transactionCurrency", "transaction_currency")
      .rename("/cardholderBillingCurrency", "cardholder_billing_currency"),
  ),
  bug("txn/zero-left-out", "TXN-01.fields")
    .is("omitempty: an amount of 0 is omitted")
    .by(transaction, (body) => {
      for (const name of ["transactionSettledAmount", "transactionHoldAmount"]) {
        if (body[name] === 0) delete body[name];
      }
    }),
  bug("txn/type-null", "TXN-01.fields")
    .is("transactionType is null until it settles")
    .by(transaction.when({ status: "PENDING" }).set("/transactionType", null)),
  field("txn/descriptor-left-out", "TXN-01.fields", bankOnly, "/descriptor", is.omitted),
  ...fields(cardless, [
    ["txn/cardless-left-out", ["TXN-02.card-id", "TXN-02.null-cardless"], "/cardId", is.omitted],
    ["txn/link-to-no-card", "TXN-03.omitted", "/_links/card", is.always({ href: "/cards/null" })],
    ["txn/card-link-null", "TXN-03.omitted", "/_links/card", is.nulled],
  ]),
  field("txn/no-card-link", "TXN-03.present", bankOnly, "/_links/card", is.omitted),
  bug("txn/acceptor-state-null", "TXN-05.acceptor")
    .is("acceptor.state is null outside the United States")
    .by(transaction.when(({ acceptor }) => acceptor.country !== "US").set("/acceptor/state", null)),
  bug("txn/nested-message-links", "TXN-01.links")
    .is("Links to messages have a nested path, below the transaction")
    .by(shown.set("/_links/messages/*/href", (href, { id }) => `/transactions/${id}${href}`)),
  bug("txn/yen-in-hundredths", "TXN-09.sums").is(
    "The settled amount has two decimals in every currency: 42.18 instead of 4218 yen",
    transaction
      .when({ transactionCurrency: "JPY" })
      .set("/transactionSettledAmount", (amount) => amount / 100),
  ),
  ...fields(unsuperseded, [
    ["txn/superseded-left-out", "TXN-06.present", "/supersededMessageIds", is.omitted],
    ["txn/superseded-null", "TXN-06.present", "/supersededMessageIds", is.nulled],
  ]),
  bug("txn/status-ordinal", "TXN-04.status")
    .is("An enum is serialized as its ordinal")
    .by(ordinal(transaction, "/status")),
  bug("txn/superseded-twice", "TXN-06.unique")
    .is("A join duplicates the superseded ids")
    .by(doubled(transaction, "/supersededMessageIds")),
  bug("txn/link-collapsed", "TXN-07.links-all")
    .is("The HAL library serializes a single link as an object")
    .by(collapsed(transaction, "/_links/messages")),
  bug("txn/projection-without-superseded", "TXN-07.projects-same")
    .is("The projection omits superseded messages")
    .by(inForce(transaction, MESSAGES)),
  bug("txn/projection-as-object", "TXN-10.array")
    .is("The projection is an object with numeric keys, as PHP serializes it")
    .by(asObject(transaction, MESSAGES)),
  bug("txn/seven-digits", "TXN-09.sums")
    .is("Settled amounts are kept in single precision")
    .by(sevenDigits(transaction, "/transactionSettledAmount")),
  bug("txn/single-precision", "TXN-09.sums")
    .is("The settled amounts are 32-bit floats")
    .by(singlePrecision(transaction, SETTLED)),
  bug("txn/links-without-superseded", "TXN-07.links-superseded").is(
    "Superseded messages are not linked",
    transaction.set("/_links/messages", (all: Json[], body) =>
      all.filter(({ href }) => !body.supersededMessageIds.some((id: string) => href.endsWith(id))),
    ),
  ),
  bug("txn/projection-of-latest", "TXN-07.projects-same")
    .is("The event's projection has only the new message")
    .by(latest(updated, MESSAGES)),
  bug("txn/never-superseded", "TXN-08.marked")
    .is("The projection's superseded column is never written")
    .by(resource("projection").set("/superseded", false)),
  bug("txn/superseded-settles", "TXN-08.marked")
    .is("superseded is set on the superseding message")
    .by(transaction.when(hasSuperseded), (body) => {
      for (const one of finals(body)) one.superseded = !one.superseded;
    }),
  bug("txn/counts-superseded", "TXN-09.excludes-superseded")
    .is("The settled amounts include superseded messages")
    .by(transaction.when(hasSuperseded), settleAll),
  bug("txn/counts-superseded-billing", "TXN-09.billing")
    .is("One of the two settled amounts includes superseded messages")
    .by(transaction.when(hasSuperseded), (body) => {
      const { transactionSettledAmount } = body;
      settleAll(body);
      body.transactionSettledAmount = transactionSettledAmount;
    }),
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
  bug("txn/projection-on-single", "TXN-10.consistent")
    .is("Lists omit the projection for speed")
    .by(response("/transactions").drop("/_embedded/transactions/*/_embedded")),
  bug("txn/projection-null", "TXN-10.array")
    .is("The projection of an event is null, because the worker does not load it")
    .by(announcement.set("/_embedded", { messages: null })),
  bug("txn/linked-twice", "TXN-07.links-all")
    .is("If the projection is off, a join duplicates the links to messages")
    .by(shown.drop("/_embedded").set("/_links/messages", (all) => [...all, all[0]])),
  bug("txn/settled-off-by-one", "TXN-09.sums")
    .is("An issuer fee is added to the settled amount")
    .by(shown.when({ status: "SETTLED" }).set("/transactionSettledAmount", (amount) => amount + 1)),
  bug("txn/authorization-superseded", "TXN-08.unmarked")
    .is("A settlement marks its authorization as superseded in the projection")
    .by(transaction.when(hasNoneSuperseded), (body) => {
      const [first, ...others] = messagesOf(body);
      if (others.length > 0) first.superseded = true;
    }),
  // Settlements by the bank and by the network.
  transition("txn/high-match-does-not-settle", "TXN-12.settles", "bank-settlement", {
    to: "PENDING",
  }),
  transition("txn/settlement-unannounced", "TXN-12.updated", "bank-settlement", {
    sends: [MESSAGE],
  }),
  bug("txn/settlement-own-approval", "TXN-12.inherits-approval-code")
    .is("The bank's message does not inherit the approvalCode")
    .by(message.when(isOfBank).set("/approvalCode", null)),
  bug("txn/settlement-own-network", "TXN-12.inherits-network")
    .is("Every bank message has network OPEN_BANKING")
    .by(message.when(isOfBank).set("/network", "OPEN_BANKING")),
  bug("txn/settlement-own-reference", "TXN-12.inherits-reference").is(
    "The bank's message has its own reference: bank_ and an id",
    message.when(isOfBank).set("/transactionReference", (_, { bankData }) => {
      return `bank_${bankData.bankTransactionId.slice(0, 8)}`;
    }),
  ),
  bug("txn/clearing-supersedes-nothing", "TXN-13.supersedes", "TXN-13.marks-in-same-event")
    .is("The network's clearing does not supersede the bank's message, so both count")
    .by(transaction.when(hasSuperseded), (body) => {
      supersede(body);
      settle(body);
    }),
  bug("txn/clearing-marked-later", "TXN-13.marks-in-same-event")
    .is("The clearing's update is built before the superseded message is marked")
    .by(updated, (body, { memory }) => {
      const ids = memory.get(body.id);
      memory.set(body.id, body.supersededMessageIds);
      supersede(body, ids);
    }),
  bug("txn/clearing-supersedes-itself", "TXN-13.supersedes")
    .is("The first settlement wins: the network's clearing is marked as superseded")
    .by(transaction, (body) => {
      const [own, ...others] = clearings(body);
      const [bank, ...banks] = finals(body).filter(isOfBank);
      if (!own || !bank?.superseded || others.length + banks.length > 0) return;
      supersede(body, [own.id]);
      settle(body);
    }),
  bug("txn/part-supersedes-all", "TXN-13.supersedes")
    .is("The clearing of one part also supersedes the bank's messages of other parts")
    .by(transaction, (body) => {
      const [left, ...more] = finals(body).filter((one) => isOfBank(one) && !one.superseded);
      const isPart = clearings(body).length === 1 && finals(body).length === 3;
      if (!isPart || !left || more.length > 0) return;
      supersede(body, [...body.supersededMessageIds, left.id]);
      settleAll(body);
    }),
  transition("txn/clearing-reopens", "TXN-13.stays-settled", "network-clearing", { to: "PENDING" }),
  bug("txn/later-debit-silent", "MAT-08.leg-by-leg")
    .is("Only the first bank debit of a purchase sends transaction.updated")
    .by(updated.silent((body) => isLastOfBank(body) && finals(body).filter(isOfBank).length > 1)),
  bug("txn/debit-of-cleared-part-silent", "WHK-05.message-owed").is(
    "A bank message that is superseded from the start is stored, but not announced",
    announced((body, { name, resource: id, memory }) => {
      if (name !== MESSAGE || body.messageType !== "FINL_ADVC") return body;
      if (!body.bankData) memory.set(id, "cleared");
      return isOfBank(body) && memory.has(id) ? undefined : body;
    }),
  ),
  bug("txn/second-partial-clearing-counts-twice", "TXN-13.supersedes")
    .is("Unless it is the last, a second clearing supersedes no bank message")
    .by(transaction, (body) => {
      const [authorization] = messagesOf(body);
      const cleared = clearings(body).reduce((sum, one) => sum + one.transactionAmount, 0);
      const kept = finals(body).findLast((one) => one.superseded && isOfBank(one));
      const isPartial = authorization && cleared < authorization.transactionAmount - 0.01;
      if (isPartial && clearings(body).length > 1 && kept) restore(body, kept);
    }),
  // What shows in one situation only.
  bug("txn/silent-on-network-c", "TXN-13.updated")
    .is("The clearing of a settled purchase on NETWORK_C is not announced")
    .by(updated.silent((body, run) => body.network === "NETWORK_C" && hasSuperseded(body, run))),
  bug("txn/bank-message-of-default-network", "TXN-12.inherits-network").is(
    "The bank's message has the default network instead of the authorization's",
    message
      .when(({ bankData, network }) => bankData && network === "NETWORK_B")
      .set("/network", "NETWORK_A"),
  ),
  bug("txn/billing-at-rounded-rate", "TXN-09.billing")
    .is("After a second clearing, the billed amount is computed with a rounded rate")
    .by(transaction, (body) => {
      const [first, ...more] = finals(body);
      if (!first || more.length === 0) return;
      if (body.transactionCurrency === body.cardholderBillingCurrency) return;
      const rate = Number((first.cardholderBillingAmount / first.transactionAmount).toFixed(2));
      const billed = body.transactionSettledAmount * rate;
      body.cardholderBillingSettledAmount = Number(billed.toFixed(2));
    }),
  bug("txn/one-of-two-postings-superseded", "TXN-13.supersedes")
    .is("A clearing supersedes one message of the bank, though it clears two postings")
    .by(transaction, (body) => {
      const [kept, ...ofBank] = finals(body).filter(({ bankData }) => bankData);
      const [clearing, ...more] = clearings(body);
      if (!kept || ofBank.length === 0 || !clearing || more.length > 0) return;
      restore(body, kept);
      settle(body, [kept, clearing]);
    }),
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
  // Steps of a transaction, and transactions without a card purchase.
  bug("txn/superseded-as-delta", "TXN-11.full-set")
    .is("The event has only the ids that this update superseded")
    .by(announcement, (body, { memory }) => {
      const known = memory.get(body.id) ?? [];
      memory.set(body.id, [...known, ...body.supersededMessageIds]);
      supersede(
        body,
        body.supersededMessageIds.filter((id: string) => !known.includes(id)),
      );
    }),
  bug("txn/un-superseded", "TXN-11.never-shrinks").is(
    "A nightly rebuild announces superseded messages as valid again",
    updated.twice((body, run) => {
      if (!hasSuperseded(body, run) || !body._embedded) return undefined;
      supersede(body);
      settle(body);
      return body;
    }),
  ),
  bug("txn/superseded-from-replica", "TXN-11.same-as-get")
    .is("GET reads a stale cache without superseded ids")
    .by(shown, (body) => supersede(body)),
  ...fields(transaction, [
    ["txn/created-at-of-update", "TXN-18.created-at", "/createdAt", is.copyOf("updatedAt")],
    ["txn/cardless-empty", "TXN-17.null-cardless", "/cardId", is.filled("")],
    ["txn/mcc-number", "TXN-05.acceptor", "/acceptor/mcc", is.number],
    ["txn/superseded-by-own-id", "TXN-06.subset", "/supersededMessageIds/*", is.copyOf("id")],
  ]),
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
  bug("txn/created-for-update", "WHK-05.once")
    .is("An upsert announces each change as transaction.created")
    .by(updated.as(CREATED)),
  bug("txn/created-twice", "WHK-05.once")
    .is("An import announces existing transactions again")
    .by(updated.twice((body) => body, CREATED)),
  transition("txn/created-never", "WHK-05.owed", "authorization", { sends: [MESSAGE] }),
  bug("txn/updated-first", "WHK-05.before-updated").is(
    "A database trigger sends updated on insert, before created",
    created.handle(async (body, { send }) => {
      await send(body, UPDATED);
      await send();
    }),
  ),
  bug("txn/update-as-patch", "WHK-05.same-shape")
    .is("transaction.updated has only the changed fields")
    .by(updated, ({ id, status, updatedAt, _links, transactionSettledAmount }) => {
      return { id, status, updatedAt, _links, transactionSettledAmount };
    }),
  bug("txn/pending-when-superseded", "TXN-13.stays-settled")
    .is("GET derives PENDING from a superseded settlement")
    .by(shown.when(hasSuperseded).set("/status", "PENDING")),
  bug("txn/superseded-not-in-single", "TXN-11.same-as-get")
    .is("The single resource is cached without superseded ids")
    .by(response("/transactions/{}"), (body) => supersede(body)),
  // What shows after one step of a transaction.
  bug("txn/second-clearing-silent", "TXN-13.updated").is(
    "The update of a second partial clearing is deduplicated away",
    updated.silent(
      (body) => !isBankOnly(body) && clearings(body).length > 1 && !isLastOfBank(body),
    ),
  ),
  bug("txn/authorization-silent-on-b", "WHK-05.owed")
    .is("The consumer of NETWORK_B stores an authorization without transaction.created")
    .by(created.silent({ network: "NETWORK_B" })),
  bug("txn/late-purchase-silent", "WHK-05.owed")
    .is("A purchase from late card data is imported without transaction.created")
    .by(verb("late-card-data").silent(CREATED)),
  bug("txn/second-debit-message-silent", "WHK-05.message-owed").is(
    "Only the first bank debit of a purchase announces its message",
    announced((body, run) => {
      const isDebit = run.name === MESSAGE && isOfBank(body);
      return isDebit && nth(run, run.resource) > 1 ? undefined : body;
    }),
  ),
  bug("txn/posting-after-clearing-silent", "WHK-05.every-change")
    .is("A bank debit of a cleared purchase is stored without transaction.updated")
    .by(updated.silent((body) => clearings(body).length > 0 && isLastOfBank(body))),
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
  bug("txn/billing-not-revised", "TXN-09.billing")
    .is("A clearing revises the settled amount, but not the one in billing currency")
    .by(transaction.when(clearedPostingIn), (body) => {
      body.cardholderBillingSettledAmount = clearedPostingIn(body).cardholderBillingAmount;
    }),
  bug("txn/second-superseded-unmarked", "TXN-08.marked")
    .is("The projection marks only the first superseded message")
    .by(transaction, (body) => {
      const [, ...others] = messagesOf(body).filter((one) => one.superseded);
      for (const one of others) one.superseded = false;
    }),
  bug("txn/second-clearing-unlinked", "TXN-07.links-all")
    .is("A join on the first clearing hides the message of the second one")
    .by(transaction, (body) => {
      const [, second] = isBankOnly(body) ? [] : clearings(body);
      if (!second) return;
      const { _links, _embedded } = body;
      _links.messages = _links.messages.filter(({ href }: Json) => !href.endsWith(second.id));
      _embedded.messages = _embedded.messages.filter((one: Json) => one !== second);
    }),
  bug("txn/late-posting-counts", "TXN-13.supersedes")
    .is("A bank debit after the clearing of its part is not superseded, so both count")
    .by(transaction, (body) => {
      const last = messagesOf(body).at(-1);
      if (last?.superseded && isOfBank(last)) restore(body, last);
    }),
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
  bug("txn/cardless-message-silent", "TXN-15.message-event")
    .is("An inner join with cards drops the message event of a card-less movement")
    .by(event(MESSAGE).silent(isCardless)),
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
  field("txn/projection-undelivered", "TXN-10.consistent", announcement, "/_embedded", is.omitted),
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
  ...fields(bankOnlyMessages, [
    ["txn/bank-only-approval", "TXN-16.no-approval-code", "/approvalCode", is.always("000000")],
    ["txn/bank-only-without-data", "TXN-16.bank-data", "/bankData", is.nulled],
  ]),
  bug("txn/bank-only-reference", "TXN-16.reference")
    .is("transactionReference is the provider's own, without the prefix")
    .by(withoutPrefix(bankOnlyMessages, "/transactionReference")),
  bug("txn/not-netted", "TXN-14.netted")
    .is("A standalone transaction still counts after its bank transaction is matched")
    .by(transaction.when(isNetted), settleAll),
  transition("txn/netting-unannounced", "TXN-14.updated", "netting", { sends: [] }),
  bug("txn/netted-when-sure", "TXN-14.netted")
    .is("Only a match of HIGH confidence nets the standalone transaction")
    .by(transaction.when(isNetted), async (body, run) => {
      const id = finals(body)[0]?.bankData?.bankTransactionId;
      const all = await resourcesOf(run, "transaction-matches");
      const match = all.map((one) => one.body).find((one) => one.matches[0].id === id);
      if (match && match.confidence !== "HIGH") settleAll(body);
    }),
  transition("txn/netting-reopens", "TXN-14.stays-settled", "netting", { to: "PENDING" }),
  transition("txn/bank-only-pending", "TXN-15.transaction-event", "movement", { to: "PENDING" }),
  bug("txn/bank-only-without-message", "TXN-15.message-event")
    .is("The synthetic message is stored but not announced")
    .by(event(MESSAGE).silent(isBankOnly)),
  transition("txn/bank-only-without-transaction", "TXN-15.transaction-event", "movement", {
    sends: [MESSAGE],
  }),
  bug("txn/bank-only-reversed", "TXN-15.message-first")
    .is("Events are sent in insertion order: the transaction before its message")
    .by(event(MESSAGE).late(CREATED, isBankOnly)),
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
  bug("txn/bank-only-shown-pending", "TXN-15.transaction-event")
    .is("The API shows a bank-only transaction as PENDING until a card matches it")
    .by(shown.when((body) => isBankOnly(body) && !isNetted(body)).set("/status", "PENDING")),
  bug("txn/cardless-reversed", "TXN-15.message-first")
    .is("A card-less movement sends its transaction before its message")
    .by(event(MESSAGE).late(CREATED, isCardless)),
];
