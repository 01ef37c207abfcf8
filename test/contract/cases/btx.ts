import type { RequirementId } from "../../../generated/requirements.ts";
import { type Case, casesOf, invalid, notice, silent, valid } from "./case.ts";
import { at, change, delivery, OTHER_ID, response, without } from "./payload.ts";

const DEBIT = delivery("banktransaction.created", "debit");
const CREDIT = delivery("banktransaction.created", "credit");
const PENDING = change(delivery("banktransaction.created", "uncategorized"), { "/pending": true });
const REMOVED = delivery("banktransaction.deleted", "provider-removed");
const RETIRED = delivery("banktransaction.deleted", "duplicate-retired");
const REST = response("GET /bank-transactions/{subaccountId}/{id}", "debit");
const REST_UNCATEGORIZED = change(REST, { "/category": [] });
const LIST = response("GET /bank-transactions", "first-page");

/** Each required non-null field, and other requirements that restrict it. */
const FIELDS: Record<string, RequirementId[] | undefined> = {
  id: ["CONV-01"],
  bankAccountId: ["CONV-01"],
  bankAccountName: undefined,
  date: ["CONV-03"],
  amount: ["BTX-02", "CONV-04"],
  currency: undefined,
  description: undefined,
  pending: undefined,
  transactionType: undefined,
};

const fields = casesOf("BTX-01", [
  silent("money went out", DEBIT),
  silent("money came in", CREDIT),
  silent("pending is true", PENDING),
  silent("merchantName is null", change(DEBIT, { "/merchantName": null })),
  ...Object.entries(FIELDS).map(([field, also]) =>
    invalid(`${field} is absent`, without(DEBIT, `/${field}`), { also }),
  ),
  ...Object.entries(FIELDS).map(([field, also]) =>
    invalid(`${field} is null`, change(DEBIT, { [`/${field}`]: null }), { also }),
  ),
  invalid("merchantName is absent", without(DEBIT, "/merchantName")),
  invalid("merchantName is an object", change(DEBIT, { "/merchantName": { name: "Cafe" } })),
  invalid("pending is a string", change(DEBIT, { "/pending": "false" })),
  invalid("pending is a number", change(DEBIT, { "/pending": 0 })),
  invalid("currency is a number", change(DEBIT, { "/currency": 978 })),
  invalid("transactionType is in upper case", change(DEBIT, { "/transactionType": "DEBIT" })),
  invalid("transactionType is an unknown value", change(DEBIT, { "/transactionType": "transfer" })),
  invalid(
    "transactionType is that of a card transaction",
    change(DEBIT, { "/transactionType": "DEBIT_01" }),
  ),
]);

const amounts = casesOf("BTX-02", [
  silent("the amount of a debit is positive", DEBIT),
  silent("the amount of a credit is positive", CREDIT),
  silent("the amount is a cent", change(DEBIT, { "/amount": 0.01 })),
  invalid("the amount of a debit is negative", change(DEBIT, { "/amount": -42.5 })),
  invalid("the amount of a credit is negative", change(CREDIT, { "/amount": -15 })),
  invalid("the amount is a negative cent", change(DEBIT, { "/amount": -0.01 })),
  invalid("the amount is 0", change(DEBIT, { "/amount": 0 })),
  invalid("the amount is -0", change(DEBIT, { "/amount": -0 })),
  notice("the amount of a response is negative", change(REST, { "/amount": -42.5 })),
  notice(
    "the amount of a listed transaction is 0",
    change(LIST, { "/_embedded/bankTransactions/0/amount": 0 }),
  ),
]);

const categories = casesOf("BTX-03", [
  silent("the event has a category", DEBIT),
  silent("the event's category is null", PENDING),
  valid("the response's category is an array", REST),
  valid("the response's category is an empty array", REST_UNCATEGORIZED),
  // The form of a provider's category is not specified.
  valid(
    "the response's category is an array of objects",
    change(REST, { "/category": [{ primary: "FOOD_AND_DRINK", confidence: "HIGH" }] }),
  ),
  invalid("the event's category is an array", change(DEBIT, { "/category": ["FOOD_AND_DRINK"] })),
  invalid("the event's category is an empty array", change(PENDING, { "/category": [] })),
  invalid("the event's category is a number", change(DEBIT, { "/category": 5812 })),
  invalid("the event's category is an object", change(DEBIT, { "/category": { primary: "FOOD" } })),
  invalid("the event has no category", without(DEBIT, "/category"), { also: ["BTX-01"] }),
  invalid("the response's category is a string", change(REST, { "/category": "FOOD_AND_DRINK" })),
  invalid("the response's category is null", change(REST_UNCATEGORIZED, { "/category": null })),
  invalid("the response has no category", without(REST, "/category"), { also: ["EP-10"] }),
  invalid(
    "a listed transaction's category is a string",
    change(LIST, { "/_embedded/bankTransactions/0/category": "FOOD_AND_DRINK" }),
    { also: ["EP-09"] },
  ),
]);

const deletions = casesOf("BTX-04", [
  silent("the reason is provider_removed", REMOVED),
  silent("the reason is duplicate_retired", RETIRED),
  ...Object.entries<RequirementId[] | undefined>({
    id: ["BTX-06", "CONV-01"],
    bankAccountId: ["CONV-01"],
    deletedAt: ["CONV-02"],
    reason: undefined,
  }).flatMap(([field, also]) => [
    invalid(`${field} is absent`, without(REMOVED, `/${field}`), { also }),
    invalid(`${field} is null`, change(REMOVED, { [`/${field}`]: null }), { also }),
  ]),
  invalid("the reason is an unknown value", change(REMOVED, { "/reason": "user_removed" })),
  invalid("the reason is that of a match", change(REMOVED, { "/reason": "rematch_superseded" })),
  invalid("the reason is in upper case", change(REMOVED, { "/reason": "PROVIDER_REMOVED" })),
]);

const envelopes = casesOf("BTX-06", [
  silent("resourceId is the id", REMOVED),
  silent("resourceId is the id, with other members", change(RETIRED, { "/metadata/sequence": 12 })),
  invalid("there is no metadata", without(REMOVED, "/metadata")),
  invalid("metadata has no resourceId", without(REMOVED, "/metadata/resourceId")),
  invalid("metadata is null", change(REMOVED, { "/metadata": null })),
  invalid("metadata is empty", change(RETIRED, { "/metadata": {} })),
  invalid("resourceId is another id", change(REMOVED, { "/metadata/resourceId": OTHER_ID })),
  invalid(
    "resourceId is the bank account's",
    change(RETIRED, { "/metadata/resourceId": at(RETIRED, "/bankAccountId") }),
  ),
  invalid("resourceId is empty", change(REMOVED, { "/metadata/resourceId": "" })),
  invalid("id differs from resourceId", change(REMOVED, { "/id": OTHER_ID })),
  invalid("resourceId is null", change(REMOVED, { "/metadata/resourceId": null }), {
    also: ["WHK-03"],
  }),
  invalid("metadata is the id", change(REMOVED, { "/metadata": at(REMOVED, "/id") }), {
    also: ["WHK-03"],
  }),
]);

/** Bank transactions, in events and responses. */
export const btx: Case[] = [...fields, ...amounts, ...categories, ...deletions, ...envelopes];
