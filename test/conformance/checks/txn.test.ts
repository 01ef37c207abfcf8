import { transactions } from "../../../conformance/checks/txn/responses.ts";
import { changeResponseAt, changeResponses, type Json } from "../../../mutation/rewrite.ts";
import { both, eachFails } from "./behind.ts";

const ids = (body: Json): string[] => body.supersededMessageIds;
const isOf = (one: Json, all: string[]) => all.some((id) => one.href.endsWith(id));
const isBankOnly = ({ network }: Json) => network === "OPEN_BANKING";

const unprojected = changeResponses("transactions", (body) => {
  delete body._embedded;
});

eachFails(transactions, [
  [
    "TXN-12",
    "a bank settlement inherits the fields of its authorization",
    changeResponses("projection", (body) => {
      if (body.bankData && body.network !== "OPEN_BANKING") body.transactionReference = "own";
    }),
  ],
  [
    "TXN-13",
    "a purchase is not settled by both the bank and the network",
    changeResponses("transactions", (body) => {
      body.supersededMessageIds = [];
      for (const message of body._embedded.messages) message.superseded = false;
      const { messages } = body._embedded;
      const inForce = messages.filter((one: Json) => one.messageType === "FINL_ADVC");
      const sum = (name: string) => inForce.reduce((all: number, one: Json) => all + one[name], 0);
      if (isBankOnly(body) || inForce.length === 0) return;
      body.transactionSettledAmount = sum("transactionAmount");
      body.cardholderBillingSettledAmount = sum("cardholderBillingAmount");
    }),
  ],
  [
    "TXN-01",
    "a transaction carries every field of the aggregate",
    changeResponses("transactions", (body) => {
      delete body.descriptor;
    }),
  ],
  [
    "TXN-01",
    "links to the transaction and its messages have the specified path",
    changeResponses("transactions", (body) => {
      for (const link of body._links.messages) link.href = link.href.replace("-", "_");
    }),
  ],
  [
    "TXN-02",
    "cardId is null or an id",
    changeResponses("transactions", (body) => {
      body.cardId ??= "";
    }),
  ],
  [
    "TXN-02",
    "cardId is null only on OPEN_BANKING",
    changeResponses("transactions", (body) => {
      if (isBankOnly(body)) return;
      body.cardId = null;
      delete body._links.card;
    }),
  ],
  [
    "TXN-03",
    "a transaction with a cardId links to its card",
    changeResponses("transactions", (body) => {
      delete body._links.card;
    }),
  ],
  [
    "TXN-03",
    "_links.card is omitted if cardId is null",
    changeResponses("transactions", (body) => {
      body._links.card ??= { href: "/cards/null" };
    }),
  ],
  [
    "TXN-04",
    "status is a string",
    changeResponses("transactions", (body) => {
      body.status = 1;
    }),
  ],
  [
    "TXN-05",
    "acceptor carries city, country, mcc and state",
    changeResponses("transactions", (body) => {
      body.acceptor.mcc = Number(body.acceptor.mcc);
    }),
  ],
  [
    "TXN-06",
    "supersededMessageIds is an array",
    changeResponses("transactions", (body) => {
      if (ids(body).length === 0) body.supersededMessageIds = null;
    }),
  ],
  [
    "TXN-06",
    "supersededMessageIds contains only linked messages, each once",
    changeResponses("transactions", (body) => {
      ids(body).push(...ids(body));
    }),
  ],
  [
    "TXN-07",
    "links and projection contain the same messages",
    changeResponses("transactions", (body) => {
      body._embedded.messages.shift();
    }),
  ],
  [
    "TXN-07",
    "without a projection, each message is linked once",
    both(
      unprojected,
      changeResponses("transactions", (body) => {
        body._links.messages.push(body._links.messages[0]);
      }),
    ),
  ],
  [
    "TXN-07",
    "_links.messages is an array",
    changeResponses("transactions", (body) => {
      if (body._links.messages.length === 1) body._links.messages = body._links.messages[0];
    }),
  ],
  [
    "TXN-07",
    "_links.messages includes superseded messages",
    changeResponses("transactions", (body) => {
      body._links.messages = body._links.messages.filter((one: Json) => !isOf(one, ids(body)));
    }),
  ],
  [
    "TXN-08",
    "superseded is true for the ids in supersededMessageIds",
    changeResponses("projection", (message) => {
      message.superseded = false;
    }),
  ],
  [
    "TXN-08",
    "superseded is false for all other messages",
    changeResponses("transactions", (body) => {
      if (ids(body).length === 0) body._embedded.messages[0].superseded = true;
    }),
  ],
  [
    "TXN-09",
    "settled amounts exclude superseded messages",
    changeResponses("transactions", (body) => {
      if (ids(body).length > 0) body.transactionSettledAmount *= 2;
    }),
  ],
  [
    "TXN-09",
    "settled amounts are the sum of the settlements",
    changeResponses("transactions", (body) => {
      body.cardholderBillingSettledAmount *= 2;
    }),
  ],
  [
    "TXN-10",
    "_embedded.messages is an array if present",
    changeResponses("transactions", (body) => {
      body._embedded.messages = {};
    }),
  ],
  [
    "TXN-10",
    "the projection is on for all transactions or for none",
    changeResponseAt("/transactions", (json) => {
      for (const one of json._embedded.transactions) delete one._embedded;
    }),
  ],
  [
    "TXN-11",
    "the list and GET by id show the same supersededMessageIds",
    changeResponseAt("/transactions/{}", (json) => {
      json.supersededMessageIds = [];
    }),
  ],
  [
    "TXN-14",
    "a matched bank-only transaction has settled amounts of 0",
    changeResponses("transactions", (body) => {
      if (isBankOnly(body)) body.transactionSettledAmount ||= 12;
    }),
  ],
  [
    "TXN-15",
    "a bank-only transaction is not PENDING",
    changeResponses("transactions", (body) => {
      if (isBankOnly(body)) body.status = "PENDING";
    }),
  ],
  [
    "TXN-16",
    "a bank-only transaction has the bank-only field values",
    changeResponses("projection", (message) => {
      if (isBankOnly(message)) message.approvalCode = "000000";
    }),
  ],
  [
    "TXN-16",
    "transactionReference starts with bank_ only if bank-only",
    changeResponses("transaction-messages", (body) => {
      body.transactionReference = body.transactionReference.replace(/^bank_/, "");
    }),
  ],
  [
    "TXN-17",
    "a bank-only transaction with a cardId has network OPEN_BANKING",
    changeResponses(["transactions", "projection", "transaction-messages"], (body) => {
      if (isBankOnly(body) && body.cardId !== null) body.network = "NETWORK_A";
    }),
  ],
]);
