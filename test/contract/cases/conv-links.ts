import { type Case, casesOf, derived, invalid, notice, silent, valid } from "./case.ts";
import { at, change, delivery, OTHER_ID, response, without } from "./payload.ts";

const PENDING = delivery("transaction.created", "pending");
const CLEARED = delivery("transaction.updated", "settled-by-network");
const MESSAGE = delivery("transactionmessage.created", "bank-posting");
const SINGLE = delivery("cardsubscription.created", "cardholder-single");
const LINKED = delivery("cardsubscription.updated", "network-bulk-active-linked");
const FEED = delivery("networkbulkfeed.statechanged", "accepted");
const POSTING = delivery("banktransaction.created", "debit");
const ENRICHED = delivery("enrichment.merchant.created", "enriched");
const CARD = response("GET /cards/{id}", "card");
const CARDS = response("GET /cards", "first-page");
const SUBACCOUNTS = response("GET /subaccounts", "first-page");
const BANK_LINKS = response("GET /bank-links", "only-page");
const REST_POSTING = response("GET /bank-transactions/{subaccountId}/{id}", "debit");
const REST_MATCH = response("GET /transaction-matches/{subaccountId}/{matchId}", "high");

const SELF = at(PENDING, "/_links/self/href");
const [FIRST, SECOND, THIRD] = at(CLEARED, "/_links/messages") as object[];

const links = casesOf("CONV-05", [
  silent(
    "a link has more members than href",
    change(PENDING, { "/_links/self": { href: SELF, title: "Corner Cafe", templated: false } }),
  ),
  silent("the links of an enrichment's merchant lead to other hosts", ENRICHED),
  ...Object.entries({
    "a string": SELF,
    "an object without href": {},
    "an object with href null": { href: null },
    "an object with a number for href": { href: 1 },
    "an absolute URL": { href: `https://feed.example${SELF}` },
    "an address without a scheme": { href: `//feed.example${SELF}` },
    "a path without a leading slash": { href: String(SELF).slice(1) },
    empty: { href: "" },
  }).map(([what, link]) => invalid(`a link is ${what}`, change(PENDING, { "/_links/self": link }))),
  invalid("a link is an array", change(PENDING, { "/_links/self": [{ href: SELF }] }), {
    also: ["TXN-01"],
  }),
  invalid("a link is null", change(PENDING, { "/_links/subaccount": null }), { also: ["TXN-01"] }),
  invalid(
    "the links to the messages are strings",
    change(PENDING, { "/_links/messages/0": at(PENDING, "/_links/messages/0/href") }),
  ),
  invalid(
    "the self link of a projected message is absolute",
    change(CLEARED, { "/_embedded/messages/1/_links/self/href": "https://feed.example/x" }),
  ),
  invalid(
    "the next link of a page is absolute",
    change(CARDS, { "/_links/next/href": "https://feed.example/cards?offset=3" }),
  ),
  notice(
    "the message link of an enrichment is absolute",
    change(ENRICHED, { "/_links/message/href": "https://feed.example/transaction-messages/1" }),
    { also: ["ENR-01", "ENR-02"] },
  ),
]);

const hal = casesOf("CONV-06", [
  silent(
    "a resource has more links, and embeds another",
    change(CARD, {
      "/_links/subaccount": { href: "/subaccounts/f678bb6e-060c-4f39-9c5b-d68c290fb2d6" },
      "/_embedded": { subaccount: {} },
    }),
  ),
  valid("a bank transaction of a response has no _links", without(REST_POSTING, "/_links")),
  valid("a match of a response has no _links", without(REST_MATCH, "/_links")),
  invalid("a card has no _links", without(CARD, "/_links")),
  invalid(
    "the _links of a card are an array",
    change(CARD, { "/_links": [{ rel: "self", href: "/cards/1" }] }),
  ),
  invalid("the _links of a card are null", change(CARD, { "/_links": null })),
  invalid("a card has no self link", without(CARD, "/_links/self"), {
    also: ["CONV-05", "CONV-07"],
  }),
  invalid(
    "a bank link in a list has no _links",
    without(BANK_LINKS, "/_embedded/bankLinks/0/_links"),
    { also: ["EP-06"] },
  ),
  invalid("a page has no _links", without(SUBACCOUNTS, "/_links"), { also: ["EP-01", "PAGE-04"] }),
  invalid(
    "_embedded of a page is an array",
    change(SUBACCOUNTS, { "/_embedded": at(SUBACCOUNTS, "/_embedded/subaccounts") }),
    { also: ["EP-01", "PAGE-10"] },
  ),
  invalid("a transaction has no _links", without(PENDING, "/_links"), { also: ["TXN-01"] }),
]);

const selfLinks = casesOf("CONV-07", [
  silent("the self link of a transaction ends in its id", PENDING),
  silent("the self link of a bank transaction names the subaccount before it", REST_POSTING),
  silent("a payload has no self link", POSTING),
  derived(
    "the self link of a transaction leads to another",
    change(PENDING, { "/_links/self/href": `/transactions/${OTHER_ID}` }),
  ),
  derived(
    "the self link of a transaction leads to the collection",
    change(PENDING, { "/_links/self/href": "/transactions" }),
  ),
  derived(
    "the self link of a transaction has a segment after its id",
    change(PENDING, { "/_links/self/href": `${SELF}/messages` }),
  ),
  derived(
    "the self links and links of two projected messages are swapped",
    change(CLEARED, {
      "/_links/messages": [SECOND, FIRST, THIRD],
      "/_embedded/messages/0/_links/self": SECOND,
      "/_embedded/messages/1/_links/self": FIRST,
    }),
  ),
  derived(
    "the self link of a message leads to another",
    change(MESSAGE, { "/_links/self/href": `/transaction-messages/${OTHER_ID}` }),
  ),
  derived(
    "the self link of a projected message leads to another",
    change(CLEARED, {
      "/_embedded/messages/2/_links/self/href": `/transaction-messages/${OTHER_ID}`,
    }),
  ),
  derived(
    "the self link of a subscription leads to another",
    change(LINKED, { "/_links/self/href": `/card-subscriptions/${OTHER_ID}` }),
  ),
  derived(
    "the self link of a feed leads to another",
    change(FEED, { "/_links/self/href": `/network-bulk-feeds/${OTHER_ID}` }),
  ),
  derived(
    "the self link of a card leads to another",
    change(CARD, { "/_links/self/href": `/cards/${OTHER_ID}` }),
  ),
  derived(
    "the self link of a card in a list leads to another",
    change(CARDS, { "/_embedded/cards/1/_links/self/href": `/cards/${OTHER_ID}` }),
  ),
  derived(
    "the self link of a bank transaction ends in its subaccount",
    change(REST_POSTING, { "/_links/self/href": `/bank-transactions/${OTHER_ID}` }),
  ),
  derived(
    "the self link of a match leads to another",
    change(REST_MATCH, { "/_links/self/href": `/transaction-matches/${OTHER_ID}/${OTHER_ID}` }),
  ),
]);

const related = casesOf("CONV-08", [
  silent("the links of a transaction carry its ids", PENDING),
  silent("the links of a subscription carry its ids", LINKED),
  derived(
    "the subaccount link of a transaction leads to another",
    change(PENDING, { "/_links/subaccount/href": `/subaccounts/${OTHER_ID}` }),
  ),
  derived(
    "subaccountId of a transaction differs from its link's",
    change(PENDING, { "/subaccountId": OTHER_ID }),
  ),
  derived(
    "the card link of a transaction leads to another",
    change(PENDING, { "/_links/card/href": `/cards/${OTHER_ID}` }),
  ),
  derived(
    "the card link of a subscription leads to another",
    change(SINGLE, { "/_links/card/href": `/cards/${OTHER_ID}` }),
  ),
  derived(
    "the bank account link of a subscription leads to another",
    change(LINKED, { "/_links/bankAccount/href": `/bank-accounts/${OTHER_ID}` }),
  ),
  derived(
    "the feed link of a subscription leads to another",
    change(LINKED, { "/_links/networkBulkFeed/href": `/network-bulk-feeds/${OTHER_ID}` }),
  ),
  derived(
    "the card link of a transaction in a list leads to another",
    change(response("GET /transactions", "first-page"), {
      "/_embedded/transactions/0/_links/card/href": `/cards/${OTHER_ID}`,
    }),
  ),
]);

/** The form and target of links, in several places each. */
export const convLinks: Case[] = [...links, ...hal, ...selfLinks, ...related];
