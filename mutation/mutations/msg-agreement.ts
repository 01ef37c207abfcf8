import { type Mutation, parseJson } from "../mutation.ts";
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
  sendAfter,
} from "../rewrite.ts";

const both = ["transaction-messages", "projection"] as const;

const isFinal = (body: Json) => body.messageType === "FINL_ADVC";

/** Mutations that make a message differ from its event, its transaction or its bank transaction. */
export const msgAgreement: readonly Mutation[] = [
  {
    id: "msg/superseded-alone",
    requirement: "MSG-02",
    description: "One serializer for both: the standalone message has superseded",
    checks: ["MSG-02"],
    ...changeResource("transaction-messages", (body) => {
      body.superseded = false;
    }),
  },
  {
    id: "msg/superseded-without-bank-data",
    requirement: "MSG-08",
    description: "The projection of a superseded bank message has bankData null",
    checks: ["MSG-08: bankData of a driven posting is in all views of its message"],
    ...changeResource("projection", (body) => {
      if (body.superseded && body.bankData) body.bankData = null;
    }),
  },
  {
    id: "msg/superseded-ids-alone",
    requirement: "MSG-02",
    description: "The standalone message lists the superseded messages of its transaction",
    checks: ["MSG-02: every body"],
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
    id: "msg/trace-stripped",
    requirement: "MSG-09",
    description: "The event's traceId was converted to a number and lost its leading zeros",
    checks: ["MSG-09: GET of a message is identical to its delivery"],
    deliveries: changeEvents("transaction-messages", (body) => {
      if (body.traceId !== null) body.traceId = String(Number(body.traceId));
    }),
  },
  {
    id: "msg/get-without-nulls",
    requirement: "MSG-09",
    description: "The API omits nulls, but events have them",
    checks: [
      "MSG-09: each message of a driven purchase is announced as GET returns it",
      "MSG-09: GET of a message is identical to its delivery",
    ],
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
    checks: [
      "MSG-09: each message of a driven purchase is announced as GET returns it",
      "MSG-09: GET of a message is identical to its delivery",
    ],
    deliveries: changeEvents("transaction-messages", (body) => {
      if (isFinal(body)) body.transactionAmount = Math.round(body.transactionAmount) + 1;
    }),
  },
  {
    id: "msg/bank-id-of-provider",
    requirement: "MSG-11",
    description: "bankTransactionId is the provider's id, which no endpoint knows",
    checks: [
      "MSG-11: bankData.bankTransactionId is the id of a bank transaction",
      "MSG-11: bankTransactionId of a bank's message is that of its match",
    ],
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
    checks: [
      "MSG-11: no delivery contradicts another",
      "MSG-11: GET finds the bankTransactionId of a delivered message",
      "MSG-11: bankTransactionId of a bank's message is that of its match",
    ],
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
    checks: [
      "MSG-12: the projections of driven purchases agree with their messages",
      "MSG-12: a projection agrees with its standalone message",
      "MSG-12: no delivery contradicts another",
    ],
    ...changeResource("projection", (body) => {
      body.cardholderBillingAmount = Math.round(body.cardholderBillingAmount);
    }),
  },
  {
    id: "msg/projection-of-transaction",
    requirement: "MSG-12",
    description: "The projection has the transaction's updatedAt as dateTime",
    checks: ["MSG-12: a projection agrees with its standalone message"],
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
    requirement: "WHK-05",
    description: "The message of a bank posting is stored without an event",
    checks: [
      "WHK-05: a driven transaction and its messages are announced",
      "MSG-09: each message of a driven purchase is announced as GET returns it",
      "CONV-09: no delivery contradicts another",
    ],
    deliveries: dropEvents("transactionmessage.created", ({ bankData, network }) => {
      return bankData && network !== "OPEN_BANKING";
    }),
  },
  {
    id: "msg/subaccount-of-owner",
    requirement: "MSG-12",
    description: "A standalone message has the subaccount that owns the account",
    checks: ["MSG-12: a standalone message has the subaccount and card of its transaction"],
    http: changeResponses("transaction-messages", (body) => {
      body.subaccountId = OTHER_ID;
    }),
  },
  {
    id: "msg/announced-again",
    requirement: "MSG-09",
    description: "Enriched messages are announced again, with another reference",
    checks: [
      "MSG-09: no delivery contradicts another",
      "MSG-09: GET of a message is identical to its delivery",
    ],
    deliveries: sendAfter("transactionmessage.created", (body) => ({
      name: "transactionmessage.created",
      body: { ...body, transactionReference: `${body.transactionReference}-2` },
    })),
  },
  {
    id: "msg/removed-with-its-posting",
    requirement: "MSG-03",
    description: "The removal of a bank transaction deletes its superseded message",
    checks: ["MSG-03: a message superseded by a driven clearing stays linked and fetchable"],
    http: onPath("/transaction-messages/{}", async ({ forward, path }, { sandbox }) => {
      const response = await forward();
      const { bankTransactionId } = parseJson(response.body)?.bankData ?? {};
      const all = await sandbox.resources("bank-transactions", { limit: 10_000 });
      const isRemoved = all.some(({ id, listed }) => id === bankTransactionId && !listed);
      if (!isRemoved) return response;
      const purchases = await sandbox.resources("transactions", { limit: 10_000 });
      const isSuperseded = purchases.some(({ body }) =>
        (body as Json).supersededMessageIds.some((id: string) => path.endsWith(id)),
      );
      return isSuperseded ? problemResponse(404, "Not Found") : response;
    }),
  },
];
