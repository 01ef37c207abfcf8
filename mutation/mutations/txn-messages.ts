import type { Mutation } from "../mutation.ts";
import { changeEvents, changeResource, changeResponses, type Json } from "../rewrite.ts";
import { finals, isBankOnly, settle } from "../transactions.ts";

/** Mutations of how transactions show their messages, and of the sums over them. */
export const txnMessages: readonly Mutation[] = [
  {
    id: "txn/yen-in-hundredths",
    requirement: "TXN-09",
    description: "The settled amount has two decimals in every currency: 42.18 instead of 4218 yen",
    checks: ["TXN-09: a driven purchase's settled amounts are the sum of its messages"],
    ...changeResource("transactions", (body) => {
      if (body.transactionCurrency === "JPY") body.transactionSettledAmount /= 100;
    }),
  },
  {
    id: "txn/superseded-left-out",
    requirement: "TXN-06",
    description: "omitempty: an empty supersededMessageIds is omitted",
    checks: ["TXN-06: every body"],
    ...changeResource("transactions", (body) => {
      if (body.supersededMessageIds.length === 0) delete body.supersededMessageIds;
    }),
  },
  {
    id: "txn/superseded-null",
    requirement: "TXN-06",
    description: "An empty supersededMessageIds is null",
    checks: ["TXN-06: every body"],
    ...changeResource("transactions", (body) => {
      if (body.supersededMessageIds.length === 0) body.supersededMessageIds = null;
    }),
  },
  {
    id: "txn/superseded-twice",
    requirement: "TXN-06",
    description: "A join duplicates the superseded ids",
    checks: ["TXN-06: every body"],
    ...changeResource("transactions", (body) => {
      body.supersededMessageIds.push(...body.supersededMessageIds);
    }),
  },
  {
    id: "txn/superseded-by-own-id",
    requirement: "TXN-06",
    description: "supersededMessageIds contains the transaction's id instead of the messages' ids",
    checks: ["TXN-06: every body"],
    ...changeResource("transactions", (body) => {
      body.supersededMessageIds = body.supersededMessageIds.map(() => body.id);
    }),
  },
  {
    id: "txn/links-without-superseded",
    requirement: "TXN-07",
    description: "Superseded messages are not linked",
    checks: [
      "TXN-07: every body",
      "TXN-07: _links.messages includes superseded messages",
      "MSG-03: a superseded message is linked and can be fetched",
    ],
    ...changeResource("transactions", (body) => {
      body._links.messages = body._links.messages.filter(
        ({ href }: Json) => !body.supersededMessageIds.some((id: string) => href.endsWith(id)),
      );
    }),
  },
  {
    id: "txn/link-collapsed",
    requirement: "TXN-07",
    description: "The HAL library serializes a single link as an object",
    checks: ["TXN-07: _links.messages is an array"],
    ...changeResource("transactions", (body) => {
      if (body._links.messages.length === 1) body._links.messages = body._links.messages[0];
    }),
  },
  {
    id: "txn/projection-without-superseded",
    requirement: "TXN-07",
    description: "The projection omits superseded messages",
    checks: ["TXN-07: every body"],
    ...changeResource("transactions", (body) => {
      if (!body._embedded) return;
      body._embedded.messages = body._embedded.messages.filter((one: Json) => !one.superseded);
    }),
  },
  {
    id: "txn/projection-of-latest",
    requirement: "TXN-07",
    description: "The event's projection has only the new message",
    checks: ["TXN-07: every body"],
    deliveries: changeEvents("transactions", (body, { event }) => {
      if (event === "transaction.updated") {
        body._embedded.messages = body._embedded.messages.slice(-1);
      }
    }),
  },
  {
    id: "txn/never-superseded",
    requirement: "TXN-08",
    description: "The projection's superseded column is never written",
    checks: ["TXN-08: every body"],
    ...changeResource("projection", (message) => {
      message.superseded = false;
    }),
  },
  {
    id: "txn/superseded-settles",
    requirement: "TXN-08",
    description: "superseded is set on the superseding message",
    checks: ["TXN-08: every body"],
    ...changeResource("transactions", (body) => {
      if (body.supersededMessageIds.length === 0) return;
      for (const message of finals(body)) message.superseded = !message.superseded;
    }),
  },
  {
    id: "txn/counts-superseded",
    requirement: "TXN-09",
    description: "The settled amounts include superseded messages",
    checks: [
      "TXN-09: every body",
      "TXN-09: a driven purchase's settled amounts are the sum of its messages",
    ],
    ...changeResource("transactions", (body) => {
      if (body.supersededMessageIds.length > 0) settle(body, finals(body));
    }),
  },
  {
    id: "txn/counts-superseded-billing",
    requirement: "TXN-09",
    description: "One of the two settled amounts includes superseded messages",
    checks: [
      "TXN-09: every body",
      "TXN-09: a driven purchase's settled amounts are the sum of its messages",
    ],
    ...changeResource("transactions", (body) => {
      const { transactionSettledAmount } = body;
      if (body.supersededMessageIds.length > 0) settle(body, finals(body));
      body.transactionSettledAmount = transactionSettledAmount;
    }),
  },
  {
    id: "txn/single-precision",
    requirement: "TXN-09",
    description: "The settled amounts are 32-bit floats",
    checks: [
      "TXN-09: a driven purchase's settled amounts are the sum of its messages",
      "TXN-09: every body",
    ],
    ...changeResource("transactions", (body) => {
      body.transactionSettledAmount = Math.fround(body.transactionSettledAmount);
      body.cardholderBillingSettledAmount = Math.fround(body.cardholderBillingSettledAmount);
    }),
  },
  {
    id: "txn/settles-hold",
    requirement: "TXN-09",
    description: "The settled amounts include authorized amounts",
    checks: ["TXN-09"],
    ...changeResource("transactions", (body) => {
      if (body.status === "SETTLED" && !isBankOnly(body) && body._embedded) {
        settle(
          body,
          body._embedded.messages.filter((one: Json) => !one.superseded),
        );
      }
    }),
  },
  {
    id: "txn/projection-on-single",
    requirement: "TXN-10",
    description: "Lists omit the projection for speed",
    checks: ["TXN-10: the projection is on for all transactions or for none"],
    http: changeResponses("transactions", (body, { path }) => {
      if (path === "/transactions") delete body._embedded;
    }),
  },
  {
    id: "txn/projection-null",
    requirement: "TXN-10",
    description: "The projection of an event is null, because the worker does not load it",
    checks: ["TXN-10: every body"],
    deliveries: changeEvents("transactions", (body) => {
      body._embedded = { messages: null };
    }),
  },
  {
    id: "txn/linked-twice",
    requirement: "TXN-07",
    description: "If the projection is off, a join duplicates the links to messages",
    checks: ["TXN-07: every body"],
    http: changeResponses("transactions", (body) => {
      delete body._embedded;
      body._links.messages.push(body._links.messages[0]);
    }),
  },
  {
    id: "txn/settled-off-by-one",
    requirement: "TXN-09",
    description: "An issuer fee is added to the settled amount",
    checks: ["TXN-09: a driven purchase's settled amounts are the sum of its messages"],
    http: changeResponses("transactions", (body) => {
      if (body.status === "SETTLED") body.transactionSettledAmount += 1;
    }),
  },
  {
    id: "txn/authorization-superseded",
    requirement: "TXN-08",
    description: "A settlement marks its authorization as superseded in the projection",
    checks: ["TXN-08: every body"],
    ...changeResource("transactions", (body) => {
      const [first, ...others] = body._embedded?.messages ?? [];
      if (others.length > 0 && body.supersededMessageIds.length === 0) first.superseded = true;
    }),
  },
  {
    id: "txn/projection-as-object",
    requirement: "TXN-10",
    description: "The projection is an object with numeric keys, as PHP serializes it",
    checks: ["TXN-10: every body"],
    ...changeResource("transactions", (body) => {
      if (body._embedded) body._embedded.messages = { ...body._embedded.messages };
    }),
  },
];
