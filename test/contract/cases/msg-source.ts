import type { RequirementId } from "../../../generated/requirements.ts";
import { type Case, casesOf, invalid, silent, valid } from "./case.ts";
import { at, change, delivery, response, without } from "./payload.ts";

const NETWORK_A = delivery("transactionmessage.created", "authorization");
const NETWORK_B = delivery("transactionmessage.created", "authorization-network-b");
const NETWORK_C = delivery("transactionmessage.created", "authorization-network-c");
const CLEARING_A = delivery("transactionmessage.created", "clearing");
const CLEARING_C = delivery("transactionmessage.created", "clearing-network-c");
const POSTING = delivery("transactionmessage.created", "bank-posting");
const POSTING_C = delivery("transactionmessage.created", "bank-posting-network-c");
const BANK_ONLY = delivery("transactionmessage.created", "bank-only-with-card");
const CARDLESS = delivery("transactionmessage.created", "bank-only-cardless");
const CLEARED_A = delivery("transaction.updated", "settled-by-network");
const CLEARED_C = delivery("transaction.updated", "settled-by-network-network-c");
const REST_A = response("GET /transaction-messages/{id}", "authorization");
const REST_C = response("GET /transaction-messages/{id}", "network-c");

const FIRST = "/_embedded/messages/0";
const BANK_DATA = at(POSTING, "/bankData");
/** The fields of bankData, and other requirements that restrict them. */
const BANK_DATA_FIELDS: Record<string, RequirementId[] | undefined> = {
  provider: ["MSG-10"],
  bankTransactionId: ["CONV-01"],
  personalFinanceCategory: undefined,
};

const networks = { a: "RED", b: "GREEN", c: "BLUE" };

const traceIds = casesOf("MSG-04", [
  silent("traceId is null on NETWORK_A", NETWORK_A),
  silent("traceId is populated on NETWORK_C", NETWORK_C),
  silent("traceId is null on NETWORK_C", change(NETWORK_C, { "/traceId": null })),
  valid("traceId is populated on the bank's posting of NETWORK_C", POSTING_C),
  silent(
    "traceId is populated on the network configured for C",
    change(NETWORK_C, { "/network": "BLUE" }),
    { networks },
  ),
  invalid("traceId is populated on NETWORK_A", change(NETWORK_A, { "/traceId": "000734" })),
  invalid("traceId is populated on NETWORK_B", change(NETWORK_B, { "/traceId": "0" })),
  invalid("traceId is populated on OPEN_BANKING", change(BANK_ONLY, { "/traceId": "734" })),
  invalid(
    "traceId is populated on an unknown network",
    change(NETWORK_A, { "/network": "NETWORK_D", "/traceId": "734" }),
  ),
  invalid(
    "traceId is populated on the bank's posting of NETWORK_A",
    change(POSTING, { "/traceId": "734" }),
  ),
  invalid(
    "traceId is populated on the network configured for A",
    change(NETWORK_C, { "/network": "RED" }),
    { networks },
  ),
  invalid("NETWORK_C has a traceId, but another network is configured as C", NETWORK_C, {
    networks,
  }),
  invalid(
    "traceId is populated in the projection of NETWORK_A",
    change(CLEARED_A, { [`${FIRST}/traceId`]: "000734" }),
  ),
  invalid("traceId is populated in a response of NETWORK_A", change(REST_A, { "/traceId": "1" })),
]);

const digits = casesOf("MSG-05", [
  silent("traceId has leading zeros", change(NETWORK_C, { "/traceId": "000000000001" })),
  silent("traceId is one digit", change(NETWORK_C, { "/traceId": "7" })),
  silent(
    "traceId is too long for a number",
    change(NETWORK_C, { "/traceId": "0".repeat(10) + "9".repeat(40) }),
  ),
  valid("traceId of the projection has leading zeros", CLEARED_C),
  ...Object.entries({
    "has a letter": "00A7",
    "has a hyphen": "000-734",
    "is negative": "-734",
    "is a decimal": "734.0",
    "ends in a space": "734 ",
    "ends in a line feed": "734\n",
    "has digits of another script": "٧٣٤",
    "is a hexadecimal number": "0x1F",
    "is empty": "",
  }).map(([what, text]) => invalid(`traceId ${what}`, change(NETWORK_C, { "/traceId": text }))),
  invalid("traceId is a number", change(NETWORK_C, { "/traceId": 734120056 })),
  invalid(
    "traceId is a number in the projection",
    change(CLEARED_C, { [`${FIRST}/traceId`]: 734120056 }),
  ),
  invalid("traceId is a number in a response", change(REST_C, { "/traceId": 734120056 })),
]);

const approvalCodes = casesOf("MSG-06", [
  silent("approvalCode is a string on NETWORK_A", NETWORK_A),
  silent("approvalCode is null on NETWORK_A", change(NETWORK_A, { "/approvalCode": null })),
  silent("approvalCode is absent on NETWORK_A", without(NETWORK_A, "/approvalCode")),
  silent("approvalCode is null on an authorization of NETWORK_C", NETWORK_C),
  silent(
    "approvalCode is absent on an authorization of NETWORK_C",
    without(NETWORK_C, "/approvalCode"),
  ),
  // Only real-time authorizations of NETWORK_C have no approvalCode.
  silent(
    "approvalCode is a string on a clearing of NETWORK_C",
    change(CLEARING_C, { "/approvalCode": "921053" }),
  ),
  valid("approvalCode is null on a bank-only message", BANK_ONLY),
  valid("approvalCode is absent on a bank-only message", CARDLESS),
  silent(
    "approvalCode is a string on NETWORK_C, but C is another network",
    change(NETWORK_A, { "/network": "RED" }),
    { networks },
  ),
  invalid("approvalCode is a number", change(NETWORK_A, { "/approvalCode": 921053 }), {
    also: ["MSG-01"],
  }),
  invalid(
    "approvalCode is a boolean in the projection",
    change(CLEARED_A, { [`${FIRST}/approvalCode`]: true }),
    { also: ["MSG-01"] },
  ),
  invalid(
    "approvalCode is a string on a bank-only message",
    change(BANK_ONLY, { "/approvalCode": "921053" }),
    { also: ["TXN-16"] },
  ),
  invalid(
    "approvalCode is a string on an authorization of NETWORK_C",
    change(NETWORK_C, { "/approvalCode": "921053" }),
  ),
  invalid(
    "approvalCode is an empty string on an authorization of NETWORK_C",
    change(NETWORK_C, { "/approvalCode": "" }),
  ),
  invalid(
    "approvalCode is a string on an authorization of the network C",
    change(NETWORK_A, { "/network": "BLUE" }),
    { networks },
  ),
  invalid(
    "approvalCode is a string in the projection of NETWORK_C",
    change(CLEARED_C, { [`${FIRST}/approvalCode`]: "921053" }),
  ),
  invalid(
    "approvalCode is a string in a response of NETWORK_C",
    change(REST_C, { "/approvalCode": "921053" }),
  ),
]);

const sources = casesOf("MSG-08", [
  silent("bankData is null on an authorization", NETWORK_A),
  silent("bankData is absent on an authorization", without(NETWORK_A, "/bankData")),
  silent("bankData is null on a clearing by the network", CLEARING_A),
  valid("bankData is present on a posting of the bank", POSTING),
  valid("bankData is present on a bank-only message", BANK_ONLY),
  valid("bankData is absent from an abridged bank-only message", without(BANK_ONLY, "/bankData")),
  valid(
    "bankData is present on a message of another type",
    change(POSTING, { "/messageType": "FINL_REVERSAL" }),
  ),
  invalid("bankData is present on an authorization", change(NETWORK_A, { "/bankData": BANK_DATA })),
  invalid(
    "bankData is present on an authorization in the projection",
    change(CLEARED_A, { [`${FIRST}/bankData`]: BANK_DATA }),
  ),
  invalid(
    "bankData is present on an authorization of a response",
    change(REST_A, { "/bankData": BANK_DATA }),
  ),
  invalid("bankData is null on a bank-only message", change(BANK_ONLY, { "/bankData": null }), {
    also: ["TXN-16"],
  }),
  ...Object.entries(BANK_DATA_FIELDS).flatMap(([field, also]) => [
    invalid(`${field} is absent`, without(POSTING, `/bankData/${field}`), { also }),
    invalid(`${field} is null`, change(POSTING, { [`/bankData/${field}`]: null }), { also }),
  ]),
  ...["primary", "detailed"].flatMap((field) => [
    invalid(
      `the ${field} category is absent`,
      without(POSTING, `/bankData/personalFinanceCategory/${field}`),
    ),
    invalid(
      `the ${field} category is null`,
      change(POSTING, { [`/bankData/personalFinanceCategory/${field}`]: null }),
    ),
  ]),
  invalid(
    "the category is a string",
    change(POSTING, { "/bankData/personalFinanceCategory": "FOOD_AND_DRINK" }),
  ),
  invalid(
    "bankData is empty in the projection",
    change(CLEARED_A, { "/_embedded/messages/1/bankData": {} }),
    { also: ["CONV-01"] },
  ),
  invalid("bankData is a string", change(POSTING, { "/bankData": "PROVIDER_A" }), {
    also: ["MSG-01"],
  }),
]);

/** Fields of a message that depend on its network or on whether a bank sent it. */
export const msgSource: Case[] = [...traceIds, ...digits, ...approvalCodes, ...sources];
