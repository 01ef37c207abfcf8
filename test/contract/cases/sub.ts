import type { RequirementId } from "../../../generated/requirements.ts";
import { type Case, casesOf, invalid, notice, silent } from "./case.ts";
import { change, delivery, OTHER_ID, response, without } from "./payload.ts";

const SINGLE = delivery("cardsubscription.created", "cardholder-single");
const BULK = delivery("cardsubscription.created", "network-bulk");
const MINTED = delivery("cardsubscription.created", "bank-feed");
const LINKED_SINGLE = delivery("cardsubscription.updated", "cardholder-single-active-linked");
const LINKED_BULK = delivery("cardsubscription.updated", "network-bulk-active-linked");
const UPGRADED = delivery("cardsubscription.updated", "upgraded-in-place");
const DEACTIVATED = delivery("cardsubscription.updated", "bank-feed-deactivated");
const REST_BULK = response("GET /card-subscriptions/{id}", "network-bulk");
const REST_MINTED = response("GET /card-subscriptions/{id}", "bank-feed");

const FEED_LINK = { href: `/network-bulk-feeds/${OTHER_ID}` };
const ACCOUNT_LINK = { href: `/bank-accounts/${OTHER_ID}` };

/** Each required non-null field, and other requirements that restrict it. */
const FIELDS: Record<string, RequirementId[] | undefined> = {
  id: ["CONV-01"],
  subaccountId: ["CONV-01"],
  cardId: ["CONV-01"],
  enrollmentType: undefined,
  state: undefined,
  effectiveDate: ["CONV-02"],
  expirationDate: ["CONV-02"],
  createdAt: ["CONV-02"],
  updatedAt: ["CONV-02"],
  _links: ["CONV-06"],
  "_links/self": ["CONV-05", "CONV-06"],
  "_links/card": ["CONV-05"],
};

const fields = casesOf("SUB-01", [
  silent("the card was enrolled by its holder", SINGLE),
  silent("the card came with a bulk feed", BULK),
  silent("the card was minted from a bank account", MINTED),
  silent("the minted card is deactivated", DEACTIVATED),
  silent("the caller's reference is null", change(SINGLE, { "/customerReferenceId": null })),
  ...Object.entries(FIELDS).map(([field, also]) =>
    invalid(`${field} is absent`, without(SINGLE, `/${field}`), { also }),
  ),
  ...Object.entries(FIELDS).map(([field, also]) =>
    invalid(`${field} is null`, change(SINGLE, { [`/${field}`]: null }), { also }),
  ),
  invalid("customerReferenceId is absent", without(SINGLE, "/customerReferenceId")),
  invalid("customerReferenceId is a number", change(SINGLE, { "/customerReferenceId": 7 })),
  invalid("enrollmentType is an unknown value", change(SINGLE, { "/enrollmentType": "bank-link" })),
  invalid(
    "enrollmentType is in upper case",
    change(SINGLE, { "/enrollmentType": "CARDHOLDER-SINGLE" }),
  ),
  invalid("enrollmentType is in snake case", change(BULK, { "/enrollmentType": "network_bulk" })),
  invalid(
    "enrollmentType of a response is an unknown value",
    change(REST_MINTED, { "/enrollmentType": "open-banking" }),
  ),
  invalid("state is a number", change(MINTED, { "/state": 1 }), { also: ["SUB-05"] }),
  notice("state is an unknown value", change(SINGLE, { "/state": "suspended" }), {
    also: ["SUB-05"],
  }),
  notice("state has another spelling", change(SINGLE, { "/state": "REQSCA" }), {
    also: ["SUB-05"],
  }),
]);

const feeds = casesOf("SUB-02", [
  silent("a network-bulk one has the id and the link", BULK),
  silent("a cardholder-single one has null and no link", SINGLE),
  silent("a bank-feed one has null and no link", MINTED),
  silent("a linked network-bulk one keeps both", LINKED_BULK),
  silent("the response of a network-bulk one has both", REST_BULK),
  invalid("a network-bulk one has only the id", without(BULK, "/_links/networkBulkFeed")),
  invalid("a network-bulk one has only the link", change(BULK, { "/networkBulkFeedId": null })),
  invalid(
    "a network-bulk one has null and no link",
    change(without(BULK, "/_links/networkBulkFeed"), { "/networkBulkFeedId": null }),
  ),
  invalid("a network-bulk one has a null link", change(BULK, { "/_links/networkBulkFeed": null }), {
    also: ["CONV-05"],
  }),
  ...Object.entries({ "cardholder-single": SINGLE, "bank-feed": MINTED }).flatMap(([type, one]) => [
    invalid(`a ${type} one has only the id`, change(one, { "/networkBulkFeedId": OTHER_ID })),
    invalid(
      `a ${type} one has only the link`,
      change(one, { "/_links/networkBulkFeed": FEED_LINK }),
    ),
    invalid(
      `a ${type} one has the id and the link`,
      change(one, { "/networkBulkFeedId": OTHER_ID, "/_links/networkBulkFeed": FEED_LINK }),
    ),
    invalid(`a ${type} one has no networkBulkFeedId`, without(one, "/networkBulkFeedId"), {
      also: ["SUB-01"],
    }),
  ]),
  invalid(
    "the link of a cardholder-single one is null",
    change(SINGLE, { "/_links/networkBulkFeed": null }),
    { also: ["CONV-05"] },
  ),
  invalid(
    "an upgraded one has the id and the link",
    change(UPGRADED, { "/networkBulkFeedId": OTHER_ID, "/_links/networkBulkFeed": FEED_LINK }),
  ),
  invalid(
    "the response of a network-bulk one has no link",
    without(REST_BULK, "/_links/networkBulkFeed"),
  ),
]);

const accounts = casesOf("SUB-03", [
  silent("a bank-feed one has the id and the link", MINTED),
  silent("a cardholder-single one has neither", SINGLE),
  silent("a network-bulk one has neither", BULK),
  silent("a linked cardholder-single one has both", LINKED_SINGLE),
  silent("a linked network-bulk one has both", LINKED_BULK),
  silent("one upgraded in place keeps both", UPGRADED),
  ...Object.entries({
    "cardholder-single": LINKED_SINGLE,
    "network-bulk": LINKED_BULK,
    "bank-feed": MINTED,
  }).flatMap(([type, one]) => [
    invalid(`a linked ${type} one has only the id`, without(one, "/_links/bankAccount")),
    invalid(`a linked ${type} one has only the link`, without(one, "/bankAccountId")),
    invalid(`the id of a linked ${type} one is null`, change(one, { "/bankAccountId": null }), {
      also: ["CONV-01", "SUB-01"],
    }),
  ]),
  invalid("a bank-feed one has neither", without(MINTED, "/bankAccountId", "/_links/bankAccount")),
  invalid(
    "a deactivated bank-feed one has neither",
    without(DEACTIVATED, "/bankAccountId", "/_links/bankAccount"),
  ),
  invalid(
    "a cardholder-single one gains only the id",
    change(SINGLE, { "/bankAccountId": OTHER_ID }),
  ),
  invalid(
    "a network-bulk one gains only the link",
    change(BULK, { "/_links/bankAccount": ACCOUNT_LINK }),
  ),
  invalid(
    "a cardholder-single one has the id null and no link",
    change(SINGLE, { "/bankAccountId": null }),
    { also: ["CONV-01", "SUB-01"] },
  ),
  invalid(
    "a cardholder-single one has the link null and no id",
    change(SINGLE, { "/_links/bankAccount": null }),
    { also: ["CONV-05", "SUB-01"] },
  ),
  invalid(
    "the response of a bank-feed one has neither",
    without(REST_MINTED, "/bankAccountId", "/_links/bankAccount"),
  ),
]);

/** Card subscriptions, in events and responses. */
export const sub: Case[] = [...fields, ...feeds, ...accounts];
