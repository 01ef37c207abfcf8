import type { Mutation } from "../mutation.ts";
import { changeEvents, changeResource, changeResponses, type Json } from "../rewrite.ts";

const both = ["transaction-messages", "projection"] as const;

const isFinal = (body: Json) => body.messageType === "FINL_ADVC";

/** Mutations of the fields of messages. */
export const msg: readonly Mutation[] = [
  {
    id: "msg/no-account",
    requirement: "MSG-01",
    description: "accountId is omitted, because the token implies it",
    checks: ["MSG-01: every body"],
    ...changeResource("transaction-messages", (body) => {
      delete body.accountId;
    }),
  },
  {
    id: "msg/no-currency",
    requirement: "MSG-01",
    description: "transactionCurrency is omitted, because the transaction has it",
    checks: ["MSG-01: every body"],
    ...changeResource(both, (body) => {
      delete body.transactionCurrency;
    }),
  },
  {
    id: "msg/amount-null",
    requirement: "MSG-01",
    description: "cardholderBillingAmount is null if no currency was converted",
    checks: ["MSG-01: every body"],
    ...changeResource("projection", (body) => {
      body.cardholderBillingAmount = null;
    }),
  },
  {
    id: "msg/trace-nowhere",
    requirement: "MSG-04",
    description: "The traceId column is never filled, even for NETWORK_C",
    checks: ["MSG-04: traceId of driven authorizations is populated on NETWORK_C only"],
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
    checks: [
      "MSG-04: traceId is null on networks other than NETWORK_C",
      "MSG-04: traceId of driven authorizations is populated on NETWORK_C only",
    ],
    ...changeResource(both, (body) => {
      body.traceId ??= "";
    }),
  },
  {
    id: "msg/trace-of-bank",
    requirement: "MSG-04",
    description: "traceId of a bank-only message is the provider's numeric reference",
    checks: ["MSG-04: traceId is null on networks other than NETWORK_C", "MSG-04: every body"],
    ...changeResource(both, (body) => {
      if (body.network === "OPEN_BANKING") body.traceId = "000123456789";
    }),
  },
  {
    id: "msg/trace-number",
    requirement: "MSG-05",
    description: "traceId is a number and loses its leading zeros",
    checks: ["MSG-05: every body"],
    ...changeResource(both, (body) => {
      if (body.traceId !== null) body.traceId = Number(body.traceId);
    }),
  },
  {
    id: "msg/trace-hexadecimal",
    requirement: "MSG-05",
    description: "traceId is hexadecimal",
    checks: ["MSG-05: every body"],
    ...changeResource(both, (body) => {
      if (body.traceId !== null) body.traceId = `0x${Number(body.traceId).toString(16)}f`;
    }),
  },
  {
    id: "msg/approval-number",
    requirement: "MSG-06",
    description: "approvalCode is a number",
    checks: ["MSG-06: every body"],
    ...changeResource(both, (body) => {
      if (body.approvalCode !== null) body.approvalCode = Number(body.approvalCode);
    }),
  },
  {
    id: "msg/approval-on-network-c",
    requirement: "MSG-06",
    description: "Real-time authorizations of NETWORK_C have a placeholder approvalCode",
    checks: [
      "MSG-06: a driven authorization on NETWORK_C has no approvalCode",
      "MSG-06: every body",
    ],
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
    checks: ["MSG-07"],
    ...changeResource(both, (body) => {
      body.dateTime = `${body.dateTime}Z`;
    }),
  },
  {
    id: "msg/date-time-of-sql",
    requirement: "MSG-07",
    description: "A local time has the database's format, with a space",
    checks: ["MSG-07"],
    ...changeResource(both, (body) => {
      body.dateTime = body.dateTime.replace("T", " ");
    }),
  },
  {
    id: "msg/bank-data-empty",
    requirement: "MSG-08",
    description: "bankData of a card-sourced message is an empty object",
    checks: [
      "MSG-08: every body",
      "MSG-08: bankData is null on driven authorizations and clearings",
    ],
    ...changeResource(both, (body) => {
      body.bankData ??= {};
    }),
  },
  {
    id: "msg/category-flat",
    requirement: "MSG-08",
    description: "personalFinanceCategory is a string",
    checks: ["MSG-08: every body"],
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
    checks: ["MSG-08: every body"],
    ...changeResource(both, (body) => {
      delete body.bankData?.provider;
    }),
  },
  {
    id: "msg/result-boolean",
    requirement: "MSG-10",
    description: "result is a boolean for approved",
    checks: ["MSG-10"],
    ...changeResource(both, (body) => {
      body.result = body.result === "APPROVED";
    }),
  },
  {
    id: "msg/type-code",
    requirement: "MSG-10",
    description: "messageType is the ISO 8583 message type number",
    checks: ["MSG-10"],
    ...changeResource(both, (body) => {
      body.messageType = isFinal(body) ? 220 : 100;
    }),
  },
  {
    id: "msg/provider-object",
    requirement: "MSG-10",
    description: "The provider is an object with a name",
    checks: ["MSG-10"],
    ...changeResource(both, (body) => {
      if (body.bankData) body.bankData.provider = { name: body.bankData.provider };
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
    checks: ["MSG-04: a traceId is in both the message and its projection"],
    http: changeResponses("projection", (body) => {
      body.traceId = null;
    }),
  },
  {
    id: "msg/trace-padded",
    requirement: "MSG-05",
    description: "The traceId of a standalone message is padded with a zero",
    checks: [
      "MSG-05: a driven message has one traceId in event, GET and projection",
      "MSG-05: a message and its projection have exactly the same traceId",
    ],
    http: changeResponses("transaction-messages", (body) => {
      body.traceId &&= `0${body.traceId}`;
    }),
  },
];
