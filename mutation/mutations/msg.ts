import type { Mutation } from "../mutation.ts";
import {
  changeEvents,
  changeResource,
  changeResponseAt,
  changeResponses,
  dropEvents,
  type Json,
  mutationState,
  OTHER_ID,
  onPath,
  problemResponse,
} from "../rewrite.ts";

const both = ["transaction-messages", "projection"] as const;

const isFinal = (body: Json) => body.messageType === "FINL_ADVC";

export const msg: readonly Mutation[] = [
  {
    id: "msg/no-account",
    requirement: "MSG-01",
    description: "accountId is omitted, because the token implies it",
    ...changeResource("transaction-messages", (body) => {
      delete body.accountId;
    }),
  },
  {
    id: "msg/no-currency",
    requirement: "MSG-01",
    description: "transactionCurrency is omitted, because the transaction has it",
    ...changeResource(both, (body) => {
      delete body.transactionCurrency;
    }),
  },
  {
    id: "msg/amount-null",
    requirement: "MSG-01",
    description: "cardholderBillingAmount is null if no currency was converted",
    ...changeResource("projection", (body) => {
      body.cardholderBillingAmount = null;
    }),
  },
  {
    id: "msg/superseded-alone",
    requirement: "MSG-02",
    description: "One serializer for both: the standalone message has superseded",
    ...changeResource("transaction-messages", (body) => {
      body.superseded = false;
    }),
  },
  {
    id: "msg/superseded-ids-alone",
    requirement: "MSG-02",
    description: "The standalone message lists the superseded messages of its transaction",
    http: changeResponses("transaction-messages", (body) => {
      body.supersededMessageIds = [];
    }),
  },
  {
    id: "msg/superseded-gone",
    requirement: "MSG-03",
    description: "A superseded message is deleted: GET returns 410",
    checks: ["MSG-03: a message superseded by a driven clearing stays linked and fetchable"],
    http: onPath("/transaction-messages/{}", async ({ path, forward }, { sandbox }) => {
      const id = path.split("/")[2];
      const all = await sandbox.resources("transactions", { limit: 10_000 });
      const isSuperseded = all.some(({ body }) => (body as Json).supersededMessageIds.includes(id));
      const response = await forward();
      return isSuperseded && response.status === 200 ? problemResponse(410, "Gone") : response;
    }),
  },
  {
    id: "msg/trace-nowhere",
    requirement: "MSG-04",
    description: "The traceId column is never filled, even for NETWORK_C",
    ...changeResource(both, (body) => {
      body.traceId = null;
    }),
  },
  {
    id: "msg/trace-on-all-networks",
    requirement: "MSG-04",
    description: "traceId has the system trace number on every network",
    checks: ["MSG-04: traceId of driven authorizations is populated on NETWORK_C only"],
    ...changeResource(both, (body) => {
      body.traceId ??= `00${body.id.replaceAll(/\D/g, "").slice(0, 6)}`;
    }),
  },
  {
    id: "msg/trace-empty",
    requirement: "MSG-04",
    description: "A missing traceId is an empty string",
    ...changeResource(both, (body) => {
      body.traceId ??= "";
    }),
  },
  {
    id: "msg/trace-of-bank",
    requirement: "MSG-04",
    description: "traceId of a bank-only message is the provider's numeric reference",
    ...changeResource(both, (body) => {
      if (body.network === "OPEN_BANKING") body.traceId = "000123456789";
    }),
  },
  {
    id: "msg/trace-number",
    requirement: "MSG-05",
    description: "traceId is a number and loses its leading zeros",
    ...changeResource(both, (body) => {
      if (body.traceId !== null) body.traceId = Number(body.traceId);
    }),
  },
  {
    id: "msg/trace-hexadecimal",
    requirement: "MSG-05",
    description: "traceId is hexadecimal",
    ...changeResource(both, (body) => {
      if (body.traceId !== null) body.traceId = `0x${Number(body.traceId).toString(16)}f`;
    }),
  },
  {
    id: "msg/trace-stripped",
    requirement: "MSG-09",
    description: "The event's traceId was converted to a number and lost its leading zeros",
    deliveries: changeEvents("transaction-messages", (body) => {
      if (body.traceId !== null) body.traceId = String(Number(body.traceId));
    }),
  },
  {
    id: "msg/approval-number",
    requirement: "MSG-06",
    description: "approvalCode is a number",
    ...changeResource(both, (body) => {
      if (body.approvalCode !== null) body.approvalCode = Number(body.approvalCode);
    }),
  },
  {
    id: "msg/approval-on-network-c",
    requirement: "MSG-06",
    description: "Real-time authorizations of NETWORK_C have a placeholder approvalCode",
    ...changeResource(both, (body) => {
      if (body.network === "NETWORK_C" && body.messageType === "AUTH_REQU") {
        body.approvalCode = "000000";
      }
    }),
  },
  {
    id: "msg/date-time-with-zone",
    requirement: "MSG-07",
    description: "A local time is serialized as UTC",
    ...changeResource(both, (body) => {
      body.dateTime = `${body.dateTime}Z`;
    }),
  },
  {
    id: "msg/date-time-of-sql",
    requirement: "MSG-07",
    description: "A local time has the database's format, with a space",
    ...changeResource(both, (body) => {
      body.dateTime = body.dateTime.replace("T", " ");
    }),
  },
  {
    id: "msg/bank-data-empty",
    requirement: "MSG-08",
    description: "bankData of a card-sourced message is an empty object",
    ...changeResource(both, (body) => {
      body.bankData ??= {};
    }),
  },
  {
    id: "msg/category-flat",
    requirement: "MSG-08",
    description: "personalFinanceCategory is a string",
    ...changeResource(both, (body) => {
      if (body.bankData) {
        body.bankData.personalFinanceCategory = body.bankData.personalFinanceCategory.primary;
      }
    }),
  },
  {
    id: "msg/no-provider",
    requirement: "MSG-08",
    description: "bankData.provider is omitted as an internal field",
    ...changeResource(both, (body) => {
      delete body.bankData?.provider;
    }),
  },
  {
    id: "msg/get-without-nulls",
    requirement: "MSG-09",
    description: "The API omits nulls, but events have them",
    http: changeResponses("transaction-messages", (body) => {
      for (const name of ["traceId", "approvalCode"]) if (body[name] === null) delete body[name];
    }),
  },
  {
    id: "msg/event-abridged",
    requirement: "MSG-09",
    description: "The event has only some of the message's fields",
    checks: ["MSG-09: each message of a driven purchase is announced as GET returns it"],
    deliveries: changeEvents("transaction-messages", (body) => {
      for (const name of ["dateTime", "transactionReference", "cardholderBillingAmount"]) {
        delete body[name];
      }
    }),
  },
  {
    id: "msg/event-before-enrichment",
    requirement: "MSG-09",
    description: "The event is sent before the message has its final amounts",
    deliveries: changeEvents("transaction-messages", (body) => {
      if (isFinal(body)) body.transactionAmount = Math.round(body.transactionAmount) + 1;
    }),
  },
  {
    id: "msg/result-boolean",
    requirement: "MSG-10",
    description: "result is a boolean for approved",
    ...changeResource(both, (body) => {
      body.result = body.result === "APPROVED";
    }),
  },
  {
    id: "msg/type-code",
    requirement: "MSG-10",
    description: "messageType is the ISO 8583 message type number",
    ...changeResource(both, (body) => {
      body.messageType = isFinal(body) ? 220 : 100;
    }),
  },
  {
    id: "msg/provider-object",
    requirement: "MSG-10",
    description: "The provider is an object with a name",
    ...changeResource(both, (body) => {
      if (body.bankData) body.bankData.provider = { name: body.bankData.provider };
    }),
  },
  {
    id: "msg/bank-id-of-provider",
    requirement: "MSG-11",
    description: "bankTransactionId is the provider's id, which no endpoint knows",
    ...changeResource(both, (body) => {
      if (!body.bankData) return;
      const { bankTransactionId: id } = body.bankData;
      body.bankData.bankTransactionId = `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`;
    }),
  },
  {
    id: "msg/bank-id-of-account",
    requirement: "MSG-11",
    description: "bankTransactionId is the id of the bank account",
    ...changeResource(both, async (body, { run }) => {
      if (!body.bankData) return;
      const ids = mutationState(run, "accounts", () => new Map<string, string>());
      for (const { id, body: one } of await run.sandbox.resources("bank-transactions", {
        limit: 10_000,
      })) {
        ids.set(id, (one as Json).bankAccountId);
      }
      const { bankTransactionId: id } = body.bankData;
      body.bankData.bankTransactionId = ids.get(id) ?? id;
    }),
  },
  {
    id: "msg/projection-rounded",
    requirement: "MSG-12",
    description: "Amounts in the projection are rounded to whole units",
    ...changeResource("projection", (body) => {
      body.cardholderBillingAmount = Math.round(body.cardholderBillingAmount);
    }),
  },
  {
    id: "msg/projection-of-transaction",
    requirement: "MSG-12",
    description: "The projection has the transaction's updatedAt as dateTime",
    http: changeResponseAt(["/transactions", "/transactions/{}"], (json) => {
      for (const one of json._embedded.transactions ?? [json]) {
        for (const message of one._embedded?.messages ?? []) {
          message.dateTime = one.updatedAt.slice(0, 19);
        }
      }
    }),
  },
  {
    id: "msg/provisional-unannounced",
    requirement: "MSG-09",
    description: "The message of a bank posting is stored without an event",
    checks: ["MSG-09: each message of a driven purchase is announced as GET returns it"],
    deliveries: dropEvents("transactionmessage.created", ({ bankData, network }) => {
      return bankData && network !== "OPEN_BANKING";
    }),
  },
  {
    id: "msg/trace-in-events",
    requirement: "MSG-04",
    description: "Events have a traceId on every network",
    checks: ["MSG-04: traceId of driven authorizations is populated on NETWORK_C only"],
    deliveries: changeEvents("transaction-messages", (body) => {
      body.traceId = "007";
    }),
  },
  {
    id: "msg/trace-not-projected",
    requirement: "MSG-04",
    description: "The projection's query does not select traceId",
    checks: ["MSG-04: a traceId stands both alone and in the projection"],
    http: changeResponses("projection", (body) => {
      body.traceId = null;
    }),
  },
  {
    id: "msg/subaccount-of-owner",
    requirement: "MSG-12",
    description: "A standalone message has the subaccount that owns the account",
    checks: ["MSG-12: a message alone is its transaction's subaccount's and card's"],
    http: changeResponses("transaction-messages", (body) => {
      body.subaccountId = OTHER_ID;
    }),
  },
];
