import type { RequirementId } from "../../../generated/requirements.ts";
import { type Case, casesOf, invalid, silent, valid } from "./case.ts";
import { at, byOffset, change, emptied, response, without } from "./payload.ts";

const SUBACCOUNTS = response("GET /subaccounts", "first-page");
const LAST_SUBACCOUNTS = response("GET /subaccounts", "last-page");
const CARDS = response("GET /cards", "middle-page");
const LAST_CARDS = response("GET /cards", "last-page");
const CURSOR_ACCOUNTS = response("GET /bank-accounts", "only-page");
const ACCOUNTS = byOffset(CURSOR_ACCOUNTS, {
  self: "/bank-accounts",
  first: "/bank-accounts?offset=0",
  last: "/bank-accounts?offset=0",
});
const BY_CURSOR = response("GET /transactions", "first-page");
const BY_OFFSET = byOffset(BY_CURSOR, {
  self: "/transactions?limit=2",
  first: "/transactions?offset=0&limit=2",
  last: "/transactions?offset=2&limit=2",
  next: "/transactions?offset=2&limit=2",
});
const MATCHES = response("GET /transaction-matches", "only-page");

/** A page of each collection, with the endpoint's own requirement for its items. */
const PAGES = [
  ["EP-01", SUBACCOUNTS],
  ["EP-02", CARDS],
  ["EP-03", BY_CURSOR],
  ["EP-06", response("GET /bank-links", "only-page")],
  ["EP-08", CURSOR_ACCOUNTS],
  ["EP-09", response("GET /bank-transactions", "last-page")],
  ["EP-11", MATCHES],
] as const;

/** The collections with a specified page style. */
const ofCursor: RequirementId[] = ["EP-01"];
const ofOffset: RequirementId[] = ["EP-02"];

/** Requirements of pages that a single page can break. */
export const page: Case[] = [
  ...casesOf("PAGE-04", [
    silent("a page has self and next", SUBACCOUNTS),
    silent("the only page has only self", CURSOR_ACCOUNTS),
    ...PAGES.map(([, each]) =>
      invalid(`self is absent: ${each.operation}`, without(each, "/_links/self")),
    ),
    invalid("self is absent in offset style", without(BY_OFFSET, "/_links/self")),
    invalid("self is null", change(SUBACCOUNTS, { "/_links/self": null }), { also: ["CONV-05"] }),
  ]),
  ...casesOf("PAGE-06", [
    silent("a middle page has first and last", CARDS),
    silent("the only page has first and last", ACCOUNTS),
    invalid("first is absent", without(CARDS, "/_links/first"), { also: ofOffset }),
    invalid("last is absent", without(CARDS, "/_links/last"), { also: ofOffset }),
    invalid("first is absent on the last page", without(LAST_CARDS, "/_links/first"), {
      also: ofOffset,
    }),
    invalid("last is null", change(CARDS, { "/_links/last": null }), {
      also: ["CONV-05", ...ofOffset],
    }),
    // If both styles are allowed, totalItems identifies an offset-style page.
    invalid("totalItems is present, first is absent", without(BY_OFFSET, "/_links/first")),
    invalid("totalItems is present, last is absent", without(ACCOUNTS, "/_links/last")),
    invalid(
      "totalItems is present, first and last are absent",
      without(BY_OFFSET, "/_links/first", "/_links/last"),
    ),
  ]),
  ...casesOf("PAGE-08", [
    silent("totalItems exceeds the items of the page", CARDS),
    silent(
      "totalItems is 0",
      change(ACCOUNTS, { "/totalItems": 0, "/_embedded/bankAccounts": [] }),
    ),
    invalid("totalItems is absent", without(CARDS, "/totalItems"), { also: ofOffset }),
    invalid("totalItems is a string", change(CARDS, { "/totalItems": "7" })),
    invalid("totalItems is null", change(CARDS, { "/totalItems": null })),
    invalid("totalItems is not an integer", change(CARDS, { "/totalItems": 7.5 })),
    invalid("totalItems is negative", change(CARDS, { "/totalItems": -1 })),
    // If both styles are allowed, first and last identify an offset-style page.
    invalid("first and last are present, totalItems is absent", without(BY_OFFSET, "/totalItems"), {
      also: ["PAGE-09"],
    }),
  ]),
  ...casesOf("PAGE-09", [
    silent("a page in cursor style has no first and no last", LAST_SUBACCOUNTS),
    silent("either style is allowed, and the page has none of these links", CURSOR_ACCOUNTS),
    ...["first", "last", "prev"].map((link) =>
      invalid(
        `a collection of cursor style has ${link}`,
        change(SUBACCOUNTS, { [`/_links/${link}`]: at(SUBACCOUNTS, "/_links/self") }),
        { also: ofCursor },
      ),
    ),
    ...["first", "last", "prev"].map((link) =>
      invalid(
        `either style is allowed, and only ${link} is present`,
        change(CURSOR_ACCOUNTS, { [`/_links/${link}`]: { href: "/bank-accounts" } }),
        { also: ["PAGE-06", "PAGE-08"] },
      ),
    ),
  ]),
  ...casesOf("PAGE-10", [
    silent("there are no items", emptied(BY_CURSOR)),
    valid("other members are embedded too", change(MATCHES, { "/_embedded/more": [1] })),
    ...PAGES.map(([endpoint, each]) =>
      invalid(`_embedded is absent: ${each.operation}`, without(each, "/_embedded"), {
        also: ["CONV-06", endpoint],
      }),
    ),
    invalid("there are no items and no _embedded", without(emptied(BY_CURSOR), "/_embedded")),
    invalid("_embedded is null", change(SUBACCOUNTS, { "/_embedded": null }), {
      also: ["CONV-06"],
    }),
    invalid(
      "the items are at the top level",
      change(without(SUBACCOUNTS, "/_embedded"), {
        "/subaccounts": at(SUBACCOUNTS, "/_embedded/subaccounts"),
      }),
      { also: ["CONV-06", "EP-01"] },
    ),
    invalid("the items are under another name", change(CARDS, { "/_embedded": { items: [] } }), {
      also: ["EP-02"],
    }),
    invalid(
      "the items are under the name in kebab case",
      change(MATCHES, { "/_embedded": { "transaction-matches": [] } }),
      { also: ["EP-11"] },
    ),
    invalid(
      "the items are an object",
      change(BY_CURSOR, { "/_embedded/transactions": { items: [] } }),
      { also: ["EP-03"] },
    ),
    invalid("the items are null", change(CURSOR_ACCOUNTS, { "/_embedded/bankAccounts": null }), {
      also: ["EP-08"],
    }),
  ]),
];
