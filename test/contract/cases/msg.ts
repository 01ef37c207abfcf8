import type { RequirementId } from "../../../generated/requirements.ts";
import { type Case, casesOf, invalid, notice, silent, valid } from "./case.ts";
import { change, delivery, OTHER_ID, response, without } from "./payload.ts";

const AUTHORIZATION = delivery("transactionmessage.created", "authorization");
const ABRIDGED = delivery("transactionmessage.created", "abridged");
const POSTING = delivery("transactionmessage.created", "bank-posting");
const CARDLESS = delivery("transactionmessage.created", "bank-only-cardless");
const CLEARED = delivery("transaction.updated", "settled-by-network");
const REST = response("GET /transaction-messages/{id}", "superseded");

/** Each field of the abridged message, and other requirements that restrict it. */
const FIELDS: Record<string, RequirementId[] | undefined> = {
  id: ["CONV-01"],
  accountId: ["CONV-01"],
  subaccountId: ["CONV-01"],
  messageType: ["MSG-10"],
  network: undefined,
  result: ["MSG-10"],
  transactionAmount: ["CONV-04"],
  transactionCurrency: undefined,
  _links: ["CONV-06"],
  "_links/self": ["CONV-05", "CONV-06"],
};

/** Each field that a projected message has on every network. */
const PROJECTED: Record<string, RequirementId[] | undefined> = {
  id: ["CONV-01", "TXN-07"],
  messageType: ["MSG-10"],
  network: undefined,
  result: ["MSG-10"],
  transactionReference: undefined,
  transactionAmount: ["CONV-04"],
  transactionCurrency: undefined,
  cardholderBillingAmount: ["CONV-04"],
  cardholderBillingCurrency: undefined,
  dateTime: ["MSG-07"],
  bankData: ["MSG-08"],
  superseded: ["MSG-02", "TXN-08"],
  "_links/self": ["CONV-05", "CONV-06"],
};

const CLEARING = "/_embedded/messages/2";

const fields = casesOf("MSG-01", [
  silent("all fields of the table are present", AUTHORIZATION),
  silent("the fields of the abridged sample are present", ABRIDGED),
  silent("cardId is absent on the standalone message", without(ABRIDGED, "/cardId")),
  valid("cardId is null on the standalone message", CARDLESS),
  valid("the message of a response is the bank's", REST),
  valid(
    "the projection has the ids of the standalone message too",
    change(CLEARED, { [`${CLEARING}/accountId`]: OTHER_ID, [`${CLEARING}/cardId`]: OTHER_ID }),
  ),
  valid("approvalCode is absent in the projection", without(CLEARED, `${CLEARING}/approvalCode`)),
  silent(
    "approvalCode and cardId are null",
    change(ABRIDGED, { "/approvalCode": null, "/cardId": null }),
  ),
  ...[
    invalid("traceId is absent", without(ABRIDGED, "/traceId"), { also: ["MSG-04", "MSG-05"] }),
    invalid("traceId of a response is absent", without(REST, "/traceId"), {
      also: ["MSG-04", "MSG-05"],
    }),
    invalid("traceId is absent in the projection", without(CLEARED, `${CLEARING}/traceId`), {
      also: ["MSG-04", "MSG-05"],
    }),
  ],
  ...Object.entries(FIELDS).map(([field, also]) =>
    invalid(`${field} is absent`, without(ABRIDGED, `/${field}`), { also }),
  ),
  ...Object.entries(FIELDS).map(([field, also]) =>
    invalid(`${field} is null`, change(ABRIDGED, { [`/${field}`]: null }), { also }),
  ),
  ...Object.entries(PROJECTED).map(([field, also]) =>
    invalid(`${field} is absent in the projection`, without(CLEARED, `${CLEARING}/${field}`), {
      also,
    }),
  ),
  // A field that the abridged message may omit keeps its type if present.
  ...["transactionReference", "cardholderBillingCurrency"].map((field) =>
    invalid(`${field} is null`, change(AUTHORIZATION, { [`/${field}`]: null })),
  ),
  invalid(
    "cardholderBillingAmount is null",
    change(AUTHORIZATION, { "/cardholderBillingAmount": null }),
    { also: ["CONV-04"] },
  ),
  ...["transactionReference", "transactionCurrency", "cardholderBillingCurrency", "network"].map(
    (field) => invalid(`${field} is a number`, change(AUTHORIZATION, { [`/${field}`]: 978 })),
  ),
  invalid(
    "superseded is a string in the projection",
    change(CLEARED, { [`${CLEARING}/superseded`]: "false" }),
    { also: ["MSG-02", "TXN-08"] },
  ),
  invalid("the network is in lower case", change(ABRIDGED, { "/network": "network_a" })),
  notice("the network is not configured", change(ABRIDGED, { "/network": "OTHER" })),
  notice("the network has a digit", change(ABRIDGED, { "/network": "NET-2" })),
]);

const standalone = casesOf("MSG-02", [
  silent("the event has no superseded and no supersededMessageIds", AUTHORIZATION),
  valid("a superseded message's response has neither", REST),
  valid("the projection has superseded", CLEARED),
  invalid("the event has superseded false", change(AUTHORIZATION, { "/superseded": false })),
  invalid("the event has superseded true", change(POSTING, { "/superseded": true })),
  invalid("the event has superseded null", change(ABRIDGED, { "/superseded": null })),
  invalid(
    "the event has supersededMessageIds",
    change(AUTHORIZATION, { "/supersededMessageIds": [] }),
  ),
  invalid(
    "a superseded message's response has superseded true",
    change(REST, { "/superseded": true }),
  ),
  invalid(
    "the response has supersededMessageIds",
    change(REST, { "/supersededMessageIds": [OTHER_ID] }),
  ),
]);

const dateTimes = casesOf("MSG-07", [
  silent("dateTime has no fraction", change(AUTHORIZATION, { "/dateTime": "2025-03-04T12:30:16" })),
  silent(
    "dateTime has one digit of fraction",
    change(AUTHORIZATION, { "/dateTime": "2025-03-04T12:30:15.5" }),
  ),
  silent(
    "dateTime has microseconds",
    change(AUTHORIZATION, { "/dateTime": "2025-03-04T12:30:15.123456" }),
  ),
  silent("dateTime is absent from the abridged message", ABRIDGED),
  ...Object.entries({
    "is in UTC": "2025-03-04T12:30:15Z",
    "is in UTC, with milliseconds": "2025-03-04T12:30:15.000Z",
    "has an offset": "2025-03-04T12:30:15+01:00",
    "is a date": "2025-03-04",
    "has no seconds": "2025-03-04T12:30",
    "has a space instead of T": "2025-03-04 12:30:15",
    "has a decimal point without a fraction": "2025-03-04T12:30:15.",
    "is 29 February of a common year": "2025-02-29T12:30:15",
    "has hour 25": "2025-03-04T25:30:15",
    "is empty": "",
  }).map(([what, text]) =>
    invalid(`dateTime ${what}`, change(AUTHORIZATION, { "/dateTime": text })),
  ),
  invalid("dateTime is a number", change(AUTHORIZATION, { "/dateTime": 1741091415 }), {
    also: ["MSG-01"],
  }),
  invalid(
    "dateTime in the projection has a zone",
    change(CLEARED, { [`${CLEARING}/dateTime`]: "2025-03-04T12:30:15Z" }),
  ),
  invalid(
    "dateTime of a response has a zone",
    change(REST, { "/dateTime": "2025-03-04T12:30:15Z" }),
  ),
]);

const openSets = casesOf("MSG-10", [
  silent("an authorization is approved", AUTHORIZATION),
  valid("a clearing advice is approved", POSTING),
  notice(
    "messageType is an unknown value",
    change(AUTHORIZATION, { "/messageType": "AUTH_REVERSAL" }),
  ),
  notice("messageType is in lower case", change(ABRIDGED, { "/messageType": "auth_requ" })),
  notice("result is an unknown value", change(AUTHORIZATION, { "/result": "DECLINED" })),
  notice("provider is an unknown value", change(POSTING, { "/bankData/provider": "PROVIDER_Z" })),
  notice(
    "messageType of a response is an unknown value",
    change(REST, { "/messageType": "FINL_REVERSAL" }),
  ),
  notice(
    "result in the projection is an unknown value",
    change(CLEARED, { "/_embedded/messages/0/result": "PARTIALLY_APPROVED" }),
  ),
  notice(
    "provider in the projection is an unknown value",
    change(CLEARED, { "/_embedded/messages/1/bankData/provider": "open-bank" }),
  ),
  invalid("messageType is a number", change(ABRIDGED, { "/messageType": 100 }), {
    also: ["MSG-01"],
  }),
  invalid("result is a boolean", change(ABRIDGED, { "/result": true }), { also: ["MSG-01"] }),
]);

/** The message's own fields. Those that depend on network or source are in msg-source.ts. */
export const msg: Case[] = [...fields, ...standalone, ...dateTimes, ...openSets];
