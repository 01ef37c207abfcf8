import { messages } from "../../../conformance/checks/msg/responses.ts";
import { UNKNOWN_ID } from "../../../conformance/feed/operations.ts";
import {
  changeResponseAt,
  changeResponses,
  type Json,
  onPath,
  problemResponse,
} from "../../../mutation/rewrite.ts";
import { eachFails } from "./behind.ts";

const shown = ["transaction-messages", "projection"] as const;

const isAuthorization = ({ messageType }: Json) => messageType === "AUTH_REQU";

eachFails(messages, [
  [
    "MSG-01",
    "a message carries the fields of the message table",
    changeResponses(shown, (body) => {
      delete body.result;
    }),
  ],
  [
    "MSG-01",
    "the self link of a message has the specified path",
    changeResponses("projection", (body) => {
      body._links.self.href = `/messages/${body.id}`;
    }),
  ],
  [
    "MSG-02",
    "a standalone message has no superseded or supersededMessageIds",
    changeResponses("transaction-messages", (body) => {
      body.superseded = false;
    }),
  ],
  [
    "MSG-03",
    "a superseded message is linked and can be fetched",
    onPath("/transaction-messages/{}", async ({ path, forward }, { sandbox }) => {
      const all = await sandbox.resources("transactions", { limit: 1000 });
      const superseded = all.flatMap(({ body }) => (body as Json).supersededMessageIds);
      return superseded.includes(path.split("/").at(-1)) ? problemResponse(410, "Gone") : forward();
    }),
  ],
  [
    "MSG-04",
    "traceId is null on networks other than NETWORK_C",
    changeResponses(shown, (body) => {
      body.traceId ??= "000123";
    }),
  ],
  [
    "MSG-04",
    "traceId is null on networks other than NETWORK_C",
    changeResponses(shown, (body) => {
      body.traceId ??= "";
    }),
  ],
  [
    "MSG-04",
    "a traceId is in both the message and its projection",
    changeResponses("projection", (body) => {
      body.traceId = null;
    }),
  ],
  [
    "MSG-05",
    "traceId is a string of digits",
    changeResponses(shown, (body) => {
      body.traceId &&= Number(body.traceId);
    }),
  ],
  [
    "MSG-05",
    "a message and its projection have exactly the same traceId",
    changeResponses("transaction-messages", (body) => {
      body.traceId &&= `0${body.traceId}`;
    }),
  ],
  [
    "MSG-06",
    "approvalCode is a string, null or absent",
    changeResponses(shown, (body) => {
      body.approvalCode &&= Number(body.approvalCode);
    }),
  ],
  [
    "MSG-06",
    "a bank-only message has no approvalCode",
    changeResponses("transaction-messages", (body) => {
      body.approvalCode ??= "000000";
    }),
  ],
  [
    "MSG-06",
    "an authorization on NETWORK_C has no approvalCode",
    changeResponses("projection", (body) => {
      if (isAuthorization(body)) body.approvalCode ??= "000000";
    }),
  ],
  [
    "MSG-07",
    "dateTime is a local date-time without zone",
    changeResponses(shown, (body) => {
      body.dateTime = `${body.dateTime}Z`;
    }),
  ],
  [
    "MSG-08",
    "bankData is null on an authorization",
    changeResponses(shown, (body) => {
      body.bankData ??= {
        provider: "PROVIDER_A",
        bankTransactionId: UNKNOWN_ID,
        personalFinanceCategory: { primary: "A", detailed: "B" },
      };
    }),
  ],
  [
    "MSG-08",
    "a bank-sourced message has bankData",
    changeResponses("transaction-messages", (body) => {
      if (body.bankData) delete body.bankData.provider;
    }),
  ],
  [
    "MSG-10",
    "messageType, result and provider are strings",
    changeResponses(shown, (body) => {
      body.result = true;
    }),
  ],
  [
    "MSG-11",
    "bankData.bankTransactionId is the id of a bank transaction",
    changeResponses(shown, (body) => {
      const { bankData } = body;
      if (bankData) bankData.bankTransactionId = bankData.bankTransactionId.replace(/.$/, "0");
    }),
  ],
  [
    "MSG-12",
    "a projection agrees with its standalone message",
    changeResponseAt("/transactions", (json) => {
      for (const one of json._embedded.transactions) {
        for (const message of one._embedded.messages) message.dateTime = "2026-01-01T00:00:00";
      }
    }),
  ],
  [
    "MSG-12",
    "a standalone message has the subaccount and card of its transaction",
    changeResponses("transaction-messages", (body) => {
      body.subaccountId = UNKNOWN_ID;
    }),
  ],
]);
