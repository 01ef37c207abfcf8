import * as is from "../bugs.ts";
import { bug, field, fields } from "../bugs.ts";
import { event } from "../events.ts";
import { keepListed, verb } from "../internals.ts";
import type { Mutation } from "../mutation.ts";
import {
  type Json,
  nth,
  otherId,
  resource,
  resourcesOf,
  response,
  responses,
  toPrevious,
} from "../rewrite.ts";

const STATE = "bankaccount.state_changed" as const;
const POSTED = "banktransaction.created" as const;
const DELETED = "banktransaction.deleted" as const;
const MATCHED = "transaction.match.created" as const;
const RETRACTED = "transaction.match.deleted" as const;

const posting = resource("bank-transactions");
const posted = event(POSTED);
const removed = event(DELETED);
const retracted = event(RETRACTED);
const isRetired = (body: Json) => body.reason === "bank_transaction_retired";

const debit = posting.when({ transactionType: "debit" });
const credit = posted.when({ transactionType: "credit" });
const ofAccount = is.copyOf("bankAccountId");

/** Does not announce the deletion of bank transactions without a match. */
const unmatchedSilent = (isMeant: (body: Json) => boolean) =>
  event(DELETED, MATCHED).silent(({ matches, ...body }, { memory, event: name }) => {
    if (name === MATCHED) memory.set(matches[0].id, "matched");
    return name === DELETED && isMeant(body) && !memory.has(body.id);
  });

/** Mutations of bank transactions. */
export const btx: readonly Mutation[] = [
  bug("btx/snake-case", "BTX-01.fields").is(
    "The provider's field names are passed through: merchant_name",
    posted.rename("/merchantName", "merchant_name").rename("/transactionType", "transaction_type"),
  ),
  bug("btx/no-merchant", "BTX-01.fields").is(
    "merchantName is omitted if it equals the description",
    posted
      .when(({ merchantName, description }) => [null, description].includes(merchantName))
      .drop("/merchantName"),
  ),
  field("btx/pending-text", "BTX-01.fields", posted, "/pending", is.text),
  field("btx/type-upper-case", "BTX-01.debit-credit", posted, "/transactionType", is.upper),
  bug("btx/debits-negative", "BTX-02.positive")
    .is("Debits have a negative sign")
    .by(is.negative(debit, "/amount")),
  bug("btx/amount-zero", "BTX-02.positive")
    .is("Amounts are divided by a million, as if in micros, and rounded to 0")
    .by(posted.set("/amount", (amount) => Math.floor(amount / 1_000_000))),
  bug("btx/event-categories", "BTX-03.event")
    .is("The event uses the resource's format: category is an array")
    .by(posted.set("/category", (category) => (category === null ? [] : [category]))),
  bug("btx/resource-category-null", "BTX-03.rest").is(
    "The resource's category is null if the provider has none",
    responses("bank-transactions")
      .when(({ category }) => category.length < 3)
      .set("/category", null),
  ),
  bug("btx/deletes-other-id", "BTX-04.names-announced", "BTX-04.owed")
    .is("The deletion has the provider's id")
    .by(removed.set("/id", otherId).set("/metadata/resourceId", (_, { id }) => id)),
  ...fields(removed, [
    ["btx/duplicate-as-removed", "BTX-04.reason", "/reason", is.always("provider_removed")],
    ["btx/deleted-without-account", "BTX-04.account", "/bankAccountId", is.omitted],
    ["btx/deleted-at-unknown-time", "BTX-04.deleted-at", "/deletedAt", is.nulled],
    ["btx/deleted-for-other-reason", "BTX-04.reason", "/reason", is.always("removed")],
    ["btx/deleted-of-other-account", "BTX-04.account", "/bankAccountId", is.foreign],
  ]),
  bug("btx/deletion-unannounced", "BTX-04.owed")
    .is("Bank transactions that the provider removes are deleted without an event")
    .by(removed.silent({ reason: "provider_removed" })),
  bug("btx/match-stays", "BTX-05.retracted")
    .is("A deletion cascades in the database, so the match's event is not sent")
    .by(retracted.silent(isRetired)),
  bug("btx/match-deleted-for-other-reason", "BTX-05.reason")
    .is("Every retraction has the reason rematch_superseded")
    .by(retracted.when(isRetired).set("/reason", "rematch_superseded")),
  bug("btx/match-deleted-first", "BTX-05.follows")
    .is("Children first: the match's deletion is announced before the bank transaction's")
    .by(removed.late(RETRACTED)),
  field(
    "btx/resource-of-account",
    "BTX-06.resource-id",
    removed,
    "/metadata/resourceId",
    ofAccount,
  ),
  bug("btx/deleted-still-listed", "BTX-07.unlisted")
    .is("The list's query ignores the soft-delete flag")
    .by(keepListed("bank-transactions")),
  bug("btx/category-of-rest-in-get", "BTX-03.rest")
    .is("The single resource uses the event's format: category is a string")
    .by(is.first(response("/bank-transactions/{}/{}"), "/category")),
  bug("btx/deletes-previous-id", "BTX-04.owed")
    .is("A deletion has the id of the previously deleted bank transaction")
    .by(removed, toPrevious("id")),
  bug("btx/created-unannounced", "BTX-01.owed")
    .is("Bank transactions are synced without an event")
    .by(posted.silent()),
  bug("btx/matched-not-listed", "BTX-07.of-listed-match", "BTX-07.listed")
    .is("The list has only bank transactions without a match")
    .by(response("/bank-transactions"), async ({ _embedded }, run) => {
      const matches = await resourcesOf(run, "transaction-matches");
      const matched = matches.map(({ body }) => body.matches[0].id);
      _embedded.bankTransactions = _embedded.bankTransactions.filter(
        ({ id }: Json) => !matched.includes(id),
      );
    }),
  bug("btx/created-twice", "BTX-01.owed").is(
    "A bank transaction is announced again when it is matched",
    event(POSTED, MATCHED).handle(async ({ id, matches }, { event: name, memory, send }) => {
      await send();
      if (name === POSTED) memory.set(id, send);
      await memory.get(matches?.[0].id)?.();
    }),
  ),
  bug("btx/unmatched-deleted-silently", "BTX-04.owed")
    .is("The deletion is announced only together with the retraction of a match")
    .by(unmatchedSilent(() => true)),
  bug("btx/detailed-category", "BTX-03.event")
    .is("The event has the last of the provider's categories, the detailed one")
    .by(posted, async (body, run) => {
      const all = await resourcesOf(run, "bank-transactions");
      body.category = all.find(({ id }) => id === body.id)?.body.category.at(-1) ?? null;
    }),
  bug("btx/pending-unannounced", "BTX-01.owed")
    .is("A pending posting is synced, but announced only once it is booked")
    .by(posted.silent(({ pending }) => pending)),
  field("btx/credit-as-debit", "BTX-01.values", posted, "/transactionType", is.always("debit")),
  bug("btx/credits-negative", "BTX-02.positive")
    .is("The event of a refund has the sign of the bank's statement")
    .by(is.negative(credit, "/amount")),
  bug("btx/second-of-twins-deleted-silently", "BTX-04.owed")
    .is("A duplicate is announced as retired only if it has a match")
    .by(unmatchedSilent(({ reason }) => reason === "duplicate_retired")),
  bug("btx/deleted-while-lost-silently", "BTX-04.owed").is(
    "A removal is announced only while the account is active",
    event(STATE, DELETED).silent(({ bankAccountId, state }, { event: name, memory }) => {
      if (name === STATE) memory.set(bankAccountId, state);
      return name === DELETED && (memory.get(bankAccountId) ?? "active") !== "active";
    }),
  ),
  bug("btx/backlog-unannounced", "BTX-01.owed")
    .is("What the bank posted on a disconnected account is synced without an event")
    .by(verb("recover").silent(POSTED)),
  bug("btx/backlog-with-signs", "BTX-02.positive").is(
    "What the bank posted on a disconnected account has the sign of its statement",
    verb("recover").announcing((body, { name }) => {
      const isNegative = name === POSTED && body.transactionType === "credit";
      return isNegative ? { ...body, amount: -body.amount } : body;
    }),
  ),
  bug("btx/deleted-twice", "BTX-04.owed").is(
    "The retraction's job announces the deletion again, with its own time",
    event(DELETED, RETRACTED).handle(async (body, { event: name, memory, send }) => {
      await send();
      if (name === DELETED) memory.set(body.id, body);
      const deletion = memory.get(body.bankTransactionId);
      if (name === RETRACTED && deletion) await send(deletion, DELETED);
    }),
  ),
  bug("btx/same-text-silent", "BTX-01.owed")
    .is("A posting with the text of an earlier one is taken for its repetition")
    .by(posted.silent(({ description }, run) => nth(run, description) > 1)),
];
