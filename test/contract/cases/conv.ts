import { type Case, casesOf, invalid, silent } from "./case.ts";
import { change, delivery, response } from "./payload.ts";

const PENDING = delivery("transaction.created", "pending");
const CLEARED = delivery("transaction.updated", "settled-by-network");
const MESSAGE = delivery("transactionmessage.created", "bank-posting");
const SINGLE = delivery("cardsubscription.created", "cardholder-single");
const LINKED = delivery("cardsubscription.updated", "network-bulk-active-linked");
const FEED = delivery("networkbulkfeed.statechanged", "accepted");
const ACCOUNTS = delivery("banklink.completed", "credit-with-enrolled-card");
const MINTED = delivery("banklink.completed", "credit-with-minted-cards");
const STATE = delivery("bankaccount.state_changed", "consent-expiring");
const POSTING = delivery("banktransaction.created", "debit");
const REMOVED = delivery("banktransaction.deleted", "provider-removed");
const MATCH = delivery("transaction.match.created", "high");
const CARD = response("GET /cards/{id}", "card");
const REST_POSTING = response("GET /bank-transactions/{subaccountId}/{id}", "debit");

const ID = "9a761252-537f-49b1-a603-6db13f22101e";

const identifiers = casesOf("CONV-01", [
  silent("an identifier has upper-case digits", change(POSTING, { "/id": ID.toUpperCase() })),
  silent("an identifier mixes the cases", change(POSTING, { "/id": `9A76${ID.slice(4)}` })),
  silent(
    "an identifier is a UUID of version 1",
    change(POSTING, { "/id": "c232ab00-9414-11ec-b3c8-9f6bdeced846" }),
  ),
  silent(
    "an identifier is a UUID of version 7",
    change(POSTING, { "/id": "017f22e2-79b0-7cc3-98c4-dc0c0c07398f" }),
  ),
  silent(
    "an identifier is a UUID without a valid version",
    change(POSTING, { "/id": "ffffffff-ffff-ffff-ffff-ffffffffffff" }),
  ),
  silent(
    "the caller's own reference is any string",
    change(SINGLE, { "/customerReferenceId": "employee 42 / travel" }),
  ),
  silent(
    "the network's reference of a feed is any string",
    change(FEED, { "/networkReference": "7" }),
  ),
  ...Object.entries({
    "a number in a string": "42",
    "the digits without hyphens": ID.replaceAll("-", ""),
    "hyphens in other places": "9a7612525-37f-49b1-a603-6db13f22101e",
    "a UUID in braces": `{${ID}}`,
    "a UUID as a URN": `urn:uuid:${ID}`,
    "a letter that is not a hexadecimal digit": `g${ID.slice(1)}`,
    "one digit too many": `${ID}0`,
    "a space at its end": `${ID} `,
    "a line feed at its end": `${ID}\n`,
    "an empty string": "",
  }).map(([what, id]) => invalid(`an identifier is ${what}`, change(POSTING, { "/id": id }))),
  invalid("an identifier is a number", change(POSTING, { "/bankAccountId": 12 }), {
    also: ["BTX-01"],
  }),
  invalid("cardId is not a UUID", change(PENDING, { "/cardId": "card-1" }), { also: ["TXN-02"] }),
  invalid("a superseded id is not a UUID", change(CLEARED, { "/supersededMessageIds/0": "x" }), {
    also: ["TXN-06"],
  }),
  invalid(
    "the id of a projected message is not a UUID",
    change(CLEARED, { "/_embedded/messages/0/id": "message-1" }),
  ),
  invalid("accountId of a message is not a UUID", change(MESSAGE, { "/accountId": "acme" })),
  invalid(
    "bankData.bankTransactionId is not a UUID",
    change(MESSAGE, { "/bankData/bankTransactionId": "tx_123" }),
  ),
  invalid("networkBulkFeedId is not a UUID", change(LINKED, { "/networkBulkFeedId": "feed" })),
  invalid(
    "an element of cardIds is not a UUID",
    change(ACCOUNTS, { "/bankAccounts/0/cardIds/1": "1234" }),
  ),
  invalid(
    "the subscription of a minted card is not a UUID",
    change(MINTED, { "/bankAccounts/0/cards/0/subscriptionId": "sub-1" }),
  ),
  invalid(
    "the id of a matched bank transaction is not a UUID",
    change(MATCH, { "/matches/0/id": "bank_1" }),
  ),
  invalid(
    "the id of a card in a response is not a UUID",
    change(CARD, { "/id": "card-1", "/_links/self/href": "/cards/card-1" }),
  ),
]);

const timestamps = casesOf("CONV-02", [
  silent(
    "a timestamp has a leap day",
    change(REMOVED, { "/deletedAt": "2024-02-29T00:00:00.000Z" }),
  ),
  silent(
    "a timestamp is the last millisecond of a year",
    change(REMOVED, { "/deletedAt": "2025-12-31T23:59:59.999Z" }),
  ),
  ...Object.entries({
    "has no milliseconds": "2025-03-13T06:00:00Z",
    "has two digits of fraction": "2025-03-13T06:00:00.80Z",
    "has microseconds": "2025-03-13T06:00:00.803000Z",
    "has an offset instead of Z": "2025-03-13T06:00:00.803+00:00",
    "is in another zone": "2025-03-13T07:00:00.803+01:00",
    "has no zone": "2025-03-13T06:00:00.803",
    "has a lower-case z": "2025-03-13T06:00:00.803z",
    "has a lower-case t": "2025-03-13t06:00:00.803Z",
    "has a space instead of T": "2025-03-13 06:00:00.803Z",
    "has a comma before the fraction": "2025-03-13T06:00:00,803Z",
    "is a date": "2025-03-13",
    "is in the basic format": "20250313T060000.803Z",
    "has month 13": "2025-13-13T06:00:00.803Z",
    "lies on 30 February": "2025-02-30T06:00:00.803Z",
    "has a leap day of a common year": "2025-02-29T06:00:00.803Z",
    "has hour 25": "2025-03-13T25:00:00.803Z",
    "has minute 60": "2025-03-13T06:60:00.803Z",
    "is empty": "",
  }).map(([what, text]) => invalid(`a timestamp ${what}`, change(REMOVED, { "/deletedAt": text }))),
  invalid("a timestamp is a number", change(PENDING, { "/updatedAt": 1741091416120 }), {
    also: ["TXN-01"],
  }),
  invalid(
    "createdAt of a transaction has no milliseconds",
    change(PENDING, { "/createdAt": "2025-03-04T12:30:16Z" }),
  ),
  invalid(
    "effectiveDate of a subscription is a date",
    change(SINGLE, { "/effectiveDate": "2025-02-25" }),
  ),
  invalid("expiresAt of an account is a date", change(STATE, { "/expiresAt": "2025-05-26" }), {
    also: ["BAC-02"],
  }),
]);

const dates = casesOf("CONV-03", [
  silent("a date is a leap day", change(POSTING, { "/date": "2024-02-29" })),
  silent("a date is a leap day of a century", change(POSTING, { "/date": "2000-02-29" })),
  ...Object.entries({
    "is not padded": "2025-3-4",
    "has no hyphens": "20250304",
    "has slashes": "2025/03/04",
    "begins with the day": "04-03-2025",
    "is a timestamp": "2025-03-04T00:00:00.000Z",
    "has month 13": "2025-13-01",
    "has month 0": "2025-00-10",
    "is 30 February": "2025-02-30",
    "is 31 April": "2025-04-31",
    "is 29 February of a common year": "2025-02-29",
    "is 29 February of 1900": "1900-02-29",
    "is day 0": "2025-03-00",
    "is empty": "",
  }).map(([what, text]) => invalid(`a date ${what}`, change(POSTING, { "/date": text }))),
  invalid("a date is a number", change(POSTING, { "/date": 20250304 }), { also: ["BTX-01"] }),
  invalid(
    "the card side of a match has a timestamp for its date",
    change(MATCH, { "/cardTransaction/date": "2025-03-04T12:30:15" }),
  ),
  invalid(
    "the bank side of a match has a date that does not exist",
    change(MATCH, { "/matches/0/date": "2025-06-31" }),
  ),
  invalid(
    "a bank transaction of a response has an unpadded date",
    change(REST_POSTING, { "/date": "2025-3-4" }),
  ),
]);

const amounts = casesOf("CONV-04", [
  silent("amounts are integers", change(POSTING, { "/amount": 42 })),
  silent("an amount has many decimals", change(POSTING, { "/amount": 0.0125 })),
  silent(
    "the card side of a refund is negative: signs are not specified",
    change(MATCH, { "/cardTransaction/amount": -42.5 }),
  ),
  silent("a hold is 0", change(PENDING, { "/transactionHoldAmount": 0 })),
  ...[
    "/transactionHoldAmount",
    "/transactionSettledAmount",
    "/cardholderBillingHoldAmount",
    "/cardholderBillingSettledAmount",
    "/_embedded/messages/0/transactionAmount",
    "/_embedded/messages/0/cardholderBillingAmount",
  ].map((path) => invalid(`${path} is a string`, change(PENDING, { [path]: "42.50" }))),
  invalid("the amount of a message is a string", change(MESSAGE, { "/transactionAmount": "42.5" })),
  invalid("the amount of a bank transaction is a string", change(POSTING, { "/amount": "42.50" }), {
    also: ["BTX-02"],
  }),
  invalid(
    "the amount of a bank transaction of a response is a string",
    change(REST_POSTING, { "/amount": "42.50" }),
  ),
  invalid(
    "an amount is an object",
    change(MATCH, { "/matches/0/amount": { value: 42.5, currency: "EUR" } }),
  ),
  invalid("an amount is a boolean", change(MATCH, { "/cardTransaction/amount": true })),
  invalid("an amount is null", change(PENDING, { "/transactionSettledAmount": null }), {
    also: ["TXN-01"],
  }),
]);

/** Formats of identifiers, timestamps, dates and amounts, in several fields each. */
export const conv: Case[] = [...identifiers, ...timestamps, ...dates, ...amounts];
