import type { RequirementId } from "../../../generated/requirements.ts";
import { type Case, casesOf, invalid, notice, silent, valid } from "./case.ts";
import { change, delivery, OTHER_ID, response, withBody, without } from "./payload.ts";

const PENDING = delivery("transaction.created", "pending");
const FOREIGN = delivery("transaction.created", "pending-abroad");
const UNPROJECTED = delivery("transaction.created", "pending-without-projection");
const CARDLESS = delivery("transaction.created", "bank-only-cardless");
const GROUPED = delivery("transaction.created", "bank-only-with-card");
const CLEARED = delivery("transaction.updated", "settled-by-network");
const REST = response("GET /transactions/{transactionId}", "cleared");
const LIST = response("GET /transactions", "first-page");

const CARD_LINK = { href: `/cards/${OTHER_ID}` };

/** Fields without a separate requirement, and other requirements that restrict them. */
const FIELDS: Record<string, RequirementId[] | undefined> = {
  id: ["CONV-01"],
  subaccountId: ["CONV-01"],
  network: undefined,
  status: ["TXN-04"],
  descriptor: undefined,
  acceptor: ["TXN-05"],
  transactionCurrency: undefined,
  cardholderBillingCurrency: undefined,
  transactionHoldAmount: ["CONV-04"],
  transactionSettledAmount: ["CONV-04"],
  cardholderBillingHoldAmount: ["CONV-04"],
  cardholderBillingSettledAmount: ["CONV-04"],
  transactionType: undefined,
  createdAt: ["CONV-02"],
  updatedAt: ["CONV-02"],
  _links: ["CONV-06"],
  "_links/self": ["CONV-06", "CONV-05"],
  "_links/subaccount": ["CONV-05"],
  "_links/messages": ["CONV-05", "TXN-07"],
};

const fields = casesOf("TXN-01", [
  silent("a purchase is pending", PENDING),
  silent("a purchase in a foreign currency is pending", FOREIGN),
  valid("a bank-only movement", CARDLESS),
  valid("a response of the REST resource", REST),
  silent("a descriptor is empty", change(PENDING, { "/descriptor": "" })),
  ...Object.entries(FIELDS).map(([field, also]) =>
    invalid(`${field} is absent`, without(PENDING, `/${field}`), { also }),
  ),
  ...Object.entries(FIELDS).map(([field, also]) =>
    invalid(`${field} is null`, change(PENDING, { [`/${field}`]: null }), { also }),
  ),
  ...["network", "descriptor", "transactionCurrency", "transactionType"].map((field) =>
    invalid(`${field} is a number`, change(PENDING, { [`/${field}`]: 978 })),
  ),
  invalid("a network is in lower case", change(PENDING, { "/network": "network_a" })),
  invalid("a network has a lower-case letter", change(PENDING, { "/network": "NETWORK_a" })),
  invalid(
    "a transaction of a list has no descriptor",
    without(LIST, "/_embedded/transactions/1/descriptor"),
  ),
  // An unlisted value of an open set is a notice.
  notice("the network is not configured", change(UNPROJECTED, { "/network": "NETWORK_D" })),
  notice("other networks are configured", UNPROJECTED, {
    networks: { a: "RED", b: "GREEN", c: "BLUE" },
  }),
  silent("the network is one of the configured ones", change(UNPROJECTED, { "/network": "RED" }), {
    networks: { a: "RED", b: "GREEN", c: "BLUE" },
  }),
  notice(
    "the transaction type is of another form",
    change(PENDING, { "/transactionType": "CREDIT_20" }),
  ),
  silent(
    "the transaction type is another DEBIT",
    change(PENDING, { "/transactionType": "DEBIT_99" }),
  ),
]);

const card = casesOf("TXN-02", [
  silent("cardId is a card's", PENDING),
  valid("cardId is null on a card-less link", CARDLESS),
  valid("cardId is a linked card's on network OPEN_BANKING", GROUPED),
  invalid("cardId and the link are absent", without(CARDLESS, "/cardId"), {
    also: ["TXN-01", "TXN-03"],
  }),
  invalid("cardId is absent, the link is present", without(PENDING, "/cardId"), {
    also: ["TXN-01", "TXN-03"],
  }),
  invalid("cardId is a number", change(PENDING, { "/cardId": 12 }), { also: ["CONV-01"] }),
  invalid("cardId is an object", change(PENDING, { "/cardId": { id: OTHER_ID } }), {
    also: ["CONV-01"],
  }),
  invalid("cardId is empty", change(PENDING, { "/cardId": "" }), { also: ["CONV-01"] }),
  invalid(
    "cardId is null on a purchase by card",
    change(without(PENDING, "/_links/card"), { "/cardId": null }),
  ),
  invalid(
    "cardId is null on a settled purchase by card",
    change(without(CLEARED, "/_links/card"), { "/cardId": null }),
  ),
]);

const cardLink = casesOf("TXN-03", [
  silent("cardId and the link are present", PENDING),
  valid("cardId is null, the link is absent", CARDLESS),
  invalid("cardId is null, the link is present", change(CARDLESS, { "/_links/card": CARD_LINK })),
  invalid("cardId is present, the link is absent", without(PENDING, "/_links/card")),
  invalid(
    "cardId of a bank-only one is present, the link is absent",
    without(GROUPED, "/_links/card"),
  ),
  invalid("cardId and the link are null", change(CARDLESS, { "/_links/card": null }), {
    also: ["CONV-05", "TXN-01"],
  }),
  invalid("the link is absent in a response", without(REST, "/_links/card")),
  invalid(
    "the link is absent in a response's list",
    without(LIST, "/_embedded/transactions/0/_links/card"),
  ),
]);

const status = casesOf("TXN-04", [
  silent("the status is PENDING", PENDING),
  valid("the status is SETTLED", CLEARED),
  notice("the status is REVERSED", change(PENDING, { "/status": "REVERSED" })),
  notice("the status is DECLINED", change(UNPROJECTED, { "/status": "DECLINED" })),
  notice("the status of a response is EXPIRED", change(REST, { "/status": "EXPIRED" })),
  invalid("the status is a number", change(PENDING, { "/status": 1 }), { also: ["TXN-01"] }),
  invalid("the status is an array", change(PENDING, { "/status": ["PENDING"] }), {
    also: ["TXN-01"],
  }),
]);

const acceptor = casesOf("TXN-05", [
  silent("all four are strings", PENDING),
  silent("state is an empty string", change(PENDING, { "/acceptor/state": "" })),
  silent("mcc begins with a zero", change(PENDING, { "/acceptor/mcc": "0742" })),
  ...["city", "country", "mcc", "state"].flatMap((field) => [
    invalid(`${field} is absent`, without(PENDING, `/acceptor/${field}`)),
    invalid(`${field} is null`, change(PENDING, { [`/acceptor/${field}`]: null })),
  ]),
  invalid("mcc is a number", change(PENDING, { "/acceptor/mcc": 5812 })),
  invalid("the acceptor is a string", change(PENDING, { "/acceptor": "CORNER CAFE" }), {
    also: ["TXN-01"],
  }),
]);

const projection = casesOf("TXN-10", [
  valid("the projection is present", CLEARED),
  silent("the projection is switched off", UNPROJECTED),
  silent("_embedded is present without messages", change(UNPROJECTED, { "/_embedded": {} })),
  valid("the projection of a response is switched off", without(REST, "/_embedded")),
  invalid("the projection is an object by id", change(PENDING, { "/_embedded/messages": {} }), {
    also: ["TXN-01", "TXN-07"],
  }),
  invalid("the projection is null", change(PENDING, { "/_embedded/messages": null })),
  invalid(
    "the projection is a list of ids",
    change(UNPROJECTED, { "/_embedded": { messages: [OTHER_ID] } }),
    { also: ["MSG-01", "TXN-07"] },
  ),
  invalid("_embedded is null", change(UNPROJECTED, { "/_embedded": null }), {
    also: ["CONV-06", "TXN-01"],
  }),
  invalid("_embedded is an array", change(UNPROJECTED, { "/_embedded": [] }), {
    also: ["CONV-06", "TXN-01"],
  }),
]);

const wrapped = casesOf("TXN-01", [
  invalid("the body is null", withBody(PENDING, null), { also: ["WHK-02"] }),
  invalid("the body is in an array", withBody(PENDING, [PENDING.body]), { also: ["WHK-02"] }),
]);

/** The transaction's own fields. Comparisons with its messages are in txn-messages.ts. */
export const txn: Case[] = [
  ...fields,
  ...wrapped,
  ...card,
  ...cardLink,
  ...status,
  ...acceptor,
  ...projection,
];
