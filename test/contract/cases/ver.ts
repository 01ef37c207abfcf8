import { type Case, casesOf, silent, valid } from "./case.ts";
import { change, delivery, response } from "./payload.ts";

const PENDING = delivery("transaction.created", "pending");
const CLEARED = delivery("transaction.updated", "settled-by-network");
const MINTED = delivery("banklink.completed", "credit-with-minted-cards");
const MATCH = delivery("transaction.match.created", "high");
const CARDS = response("GET /cards", "middle-page");

const anything = { of: ["any", { kind: null }] };

const PLACES = {
  "a transaction": [PENDING, ""],
  "an acceptor": [PENDING, "/acceptor"],
  "the links of a transaction": [PENDING, "/_links"],
  "a link": [PENDING, "/_links/card"],
  "_embedded of a transaction": [PENDING, "/_embedded"],
  "a projected message": [PENDING, "/_embedded/messages/0"],
  bankData: [CLEARED, "/_embedded/messages/1/bankData"],
  "a category": [CLEARED, "/_embedded/messages/1/bankData/personalFinanceCategory"],
  "a message": [delivery("transactionmessage.created", "abridged"), ""],
  "a completed bank link": [MINTED, ""],
  "a linked account": [MINTED, "/bankAccounts/0"],
  "a minted card": [MINTED, "/bankAccounts/0/cards/0"],
  "a change of state": [delivery("bankaccount.state_changed", "sign-in-needed"), ""],
  "a bank transaction": [delivery("banktransaction.created", "debit"), ""],
  "a deletion": [delivery("banktransaction.deleted", "provider-removed"), ""],
  metadata: [delivery("banktransaction.deleted", "provider-removed"), "/metadata"],
  "a match": [MATCH, ""],
  "the card side of a match": [MATCH, "/cardTransaction"],
  "the bank side of a match": [MATCH, "/matches/0"],
  "a reason": [MATCH, "/reasons/0"],
  "a subscription": [delivery("cardsubscription.created", "bank-feed"), ""],
  "the links of a subscription": [delivery("cardsubscription.created", "bank-feed"), "/_links"],
  "a bulk feed": [delivery("networkbulkfeed.statechanged", "accepted"), ""],
  "a page": [CARDS, ""],
  "the links of a page": [CARDS, "/_links"],
  "_embedded of a page": [CARDS, "/_embedded"],
  "an item of a page": [CARDS, "/_embedded/cards/0"],
} as const;

/** Additions that later versions may make. */
export const ver: Case[] = casesOf("VER-01", [
  ...Object.entries(PLACES).map(([where, [payload, path]]) =>
    // Only a bank posting has bankData; its provider is an open set.
    (path.includes("bankData") ? valid : silent)(
      `${where} has an unknown field`,
      change(payload, { [`${path}/newField`]: anything }),
    ),
  ),
  silent("an unknown field is null", change(PENDING, { "/newField": null })),
  silent(
    "an unknown field is named like one of another resource",
    change(PENDING, { "/bankAccountId": 7, "/matchId": [] }),
  ),
]);
