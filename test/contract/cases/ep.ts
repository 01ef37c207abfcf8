import type { RequirementId } from "../../../generated/requirements.ts";
import { type Case, casesOf, invalid, notice, silent, valid } from "./case.ts";
import {
  at,
  byOffset,
  change,
  emptied,
  OTHER_ID,
  type ResponsePayload,
  response,
  withBody,
  without,
} from "./payload.ts";

const SUBACCOUNTS = response("GET /subaccounts", "first-page");
const CARDS = response("GET /cards", "middle-page");
const TRANSACTIONS = response("GET /transactions", "first-page");
const TRANSACTION = response("GET /transactions/{transactionId}", "cleared");
const MESSAGE = response("GET /transaction-messages/{id}", "authorization");
const BANK_LINKS = response("GET /bank-links", "only-page");
const BANK_ACCOUNTS = response("GET /bank-accounts", "only-page");
const POSTINGS = response("GET /bank-transactions", "first-page");
const POSTING = response("GET /bank-transactions/{subaccountId}/{id}", "debit");
const MATCHES = response("GET /transaction-matches", "only-page");
const MATCH = response("GET /transaction-matches/{subaccountId}/{matchId}", "high");

/** Bodies that are not a collection, or not one of the expected items. */
function notACollection(page: ResponsePayload, key: string) {
  const items = `/_embedded/${key}`;
  return [
    invalid("the response is an array of the items", withBody(page, at(page, items))),
    invalid("the response is null", withBody(page, null)),
    invalid("the items are strings", change(page, { [items]: [OTHER_ID] }), {
      also: ["CONV-06", "PAGE-10", ...(ofItems[key] ?? [])],
    }),
  ];
}

/** Other requirements that need the items to be objects. */
const ofItems: Record<string, RequirementId[]> = {
  transactions: ["TXN-01"],
  bankTransactions: ["EP-10"],
  transactionMatches: ["EP-12"],
};

/** Bodies that are not a single resource. */
const notAResource = (resource: ResponsePayload, also: RequirementId[]) => [
  invalid("the resource is wrapped", withBody(resource, { data: resource.body }), { also }),
  invalid("the resource is in an array", withBody(resource, [resource.body]), { also }),
  invalid("the response is null", withBody(resource, null), { also }),
];

const collections = [
  ...casesOf("EP-01", [
    silent("a page has next", SUBACCOUNTS),
    silent("the last page has none", response("GET /subaccounts", "last-page")),
    silent(
      "a subaccount has fields other than id",
      change(SUBACCOUNTS, { "/_embedded/subaccounts/0/anything": [{ at: "all" }] }),
    ),
    ...notACollection(SUBACCOUNTS, "subaccounts"),
    invalid("a subaccount has no id", without(SUBACCOUNTS, "/_embedded/subaccounts/0/id"), {
      also: ["CONV-01", "CONV-06"],
    }),
  ]),
  ...casesOf("EP-02", [
    silent("a page has all links of offset style", CARDS),
    ...notACollection(CARDS, "cards"),
    invalid(
      "the page is in cursor style",
      without(CARDS, "/totalItems", "/_links/first", "/_links/last", "/_links/prev"),
      { also: ["PAGE-06", "PAGE-08"] },
    ),
    invalid("a card has no id", without(CARDS, "/_embedded/cards/0/id"), {
      also: ["CONV-01", "CONV-06"],
    }),
  ]),
  ...casesOf("EP-03", [
    valid("a page is in cursor style", TRANSACTIONS),
    valid(
      "a page is in offset style",
      byOffset(TRANSACTIONS, {
        self: "/transactions",
        first: "/transactions?offset=0",
        last: "/transactions?offset=2",
      }),
    ),
    silent("a page has no transactions", emptied(TRANSACTIONS)),
    ...notACollection(TRANSACTIONS, "transactions"),
    invalid(
      "an item has no descriptor",
      without(TRANSACTIONS, "/_embedded/transactions/1/descriptor"),
      { also: ["TXN-01"] },
    ),
  ]),
  ...casesOf("EP-06", [
    silent("a page has all bank links", BANK_LINKS),
    ...notACollection(BANK_LINKS, "bankLinks"),
    invalid("a bank link has no id", without(BANK_LINKS, "/_embedded/bankLinks/0/id"), {
      also: ["CONV-01", "CONV-06"],
    }),
  ]),
  ...casesOf("EP-08", [
    silent("a page is in cursor style", BANK_ACCOUNTS),
    silent(
      "a page is in offset style",
      byOffset(BANK_ACCOUNTS, {
        self: "/bank-accounts",
        first: "/bank-accounts?offset=0",
        last: "/bank-accounts?offset=0",
      }),
    ),
    ...notACollection(BANK_ACCOUNTS, "bankAccounts"),
    invalid("a bank account has no id", without(BANK_ACCOUNTS, "/_embedded/bankAccounts/0/id"), {
      also: ["CONV-01", "CONV-06"],
    }),
  ]),
  ...casesOf("EP-09", [
    valid("categories are arrays", POSTINGS),
    valid(
      "a bank transaction has only an id and categories",
      change(POSTINGS, { "/_embedded/bankTransactions": [{ id: OTHER_ID, category: [] }] }),
    ),
    ...notACollection(POSTINGS, "bankTransactions"),
    invalid(
      "the category of an item is a string",
      change(POSTINGS, { "/_embedded/bankTransactions/0/category": "FOOD_AND_DRINK" }),
      { also: ["BTX-03"] },
    ),
    invalid(
      "an item has no category",
      without(POSTINGS, "/_embedded/bankTransactions/0/category"),
      {
        also: ["BTX-03"],
      },
    ),
  ]),
  ...casesOf("EP-11", [
    valid("a page has all matches", MATCHES),
    valid(
      "a match has only an id",
      change(MATCHES, { "/_embedded/transactionMatches": [{ id: OTHER_ID }] }),
    ),
    ...notACollection(MATCHES, "transactionMatches"),
    notice(
      "an item has an unknown confidence",
      change(MATCHES, { "/_embedded/transactionMatches/0/confidence": "SURE" }),
      { also: ["EP-12", "MAT-02"] },
    ),
  ]),
];

const resources = [
  ...casesOf("EP-04", [
    valid("a transaction has its superseded messages", TRANSACTION),
    silent("a transaction is pending", response("GET /transactions/{transactionId}", "pending")),
    ...notAResource(TRANSACTION, ["TXN-01", "CONV-06"]),
    invalid("supersededMessageIds is absent", without(TRANSACTION, "/supersededMessageIds"), {
      also: ["TXN-01", "TXN-06"],
    }),
  ]),
  ...casesOf("EP-05", [
    silent("the message is an authorization", MESSAGE),
    valid("the message is superseded", response("GET /transaction-messages/{id}", "superseded")),
    ...notAResource(MESSAGE, ["MSG-01", "CONV-06"]),
  ]),
  ...casesOf("EP-10", [
    valid("a bank transaction has all fields", POSTING),
    valid(
      "a bank transaction has only an id and categories",
      withBody(POSTING, { id: at(POSTING, "/id"), category: ["FOOD_AND_DRINK"] }),
    ),
    invalid("id is absent", without(POSTING, "/id")),
    invalid("id is null", change(POSTING, { "/id": null }), { also: ["CONV-01"] }),
    ...notAResource(POSTING, ["CONV-06", "BTX-03"]),
  ]),
  ...casesOf("EP-12", [
    valid("a match has all fields", MATCH),
    valid("a match has only an id", withBody(MATCH, { id: at(MATCH, "/id") })),
    invalid("id is absent", without(MATCH, "/id")),
    invalid(
      "the id is under matchId, as in the event",
      change(without(MATCH, "/id"), { "/matchId": at(MATCH, "/id") }),
    ),
    invalid("id is null", change(MATCH, { "/id": null }), { also: ["CONV-01"] }),
    ...notAResource(MATCH, ["CONV-06"]),
  ]),
];

/** Response bodies of the endpoints. Their HTTP behavior is tested elsewhere. */
export const ep: Case[] = [...collections, ...resources];
