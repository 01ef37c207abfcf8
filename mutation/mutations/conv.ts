import type { Mutation } from "../mutation.ts";
import {
  changeEvents,
  changeEventsNamed,
  changeResource,
  changeResponseAt,
  changeResponses,
  type Json,
  nameIn,
  onPath,
  rename,
  withJson,
} from "../rewrite.ts";

/** Every link of a body, changed in place. */
function relink(body: Json, change: (href: string) => unknown): void {
  if (typeof body !== "object" || body === null) return;
  for (const [name, value] of Object.entries<Json>(body)) {
    if (name === "href" && typeof value === "string") body[name] = change(value);
    else relink(value, change);
  }
}

const offset = (text: string) => text.replace("Z", "+00:00");
const seconds = (text: string) => text.replace(/\.\d{3}Z$/, "Z");

export const conv: readonly Mutation[] = [
  {
    id: "conv/numeric-account-id",
    requirement: "CONV-01",
    description: "accountId is a serial number from a legacy database",
    checks: ["CONV-01"],
    ...changeResource("transaction-messages", (body) => {
      body.accountId = Number.parseInt(body.accountId.slice(0, 8), 16);
    }),
  },
  {
    id: "conv/prefixed-subaccount-id",
    requirement: "CONV-01",
    description: "Ids have a prefix for their type",
    checks: ["CONV-01"],
    ...changeResource("transactions", (body) => {
      body.subaccountId = `sub_${body.subaccountId.replaceAll("-", "")}`;
    }),
  },
  {
    id: "conv/ids-without-dashes",
    requirement: "CONV-01",
    description: "Ids are stored and returned without dashes",
    checks: ["CONV-01: every body"],
    ...changeResource("transaction-matches", (body) => {
      const name = "matchId" in body ? "matchId" : "id";
      body[name] = body[name].replaceAll("-", "");
    }),
  },
  {
    id: "conv/offset-for-z",
    requirement: "CONV-02",
    description: "The date library writes +00:00",
    checks: ["CONV-02"],
    ...changeResource("transactions", (body) => {
      body.createdAt = offset(body.createdAt);
      body.updatedAt = offset(body.updatedAt);
    }),
  },
  {
    id: "conv/no-milliseconds",
    requirement: "CONV-02",
    description: "Milliseconds are omitted if they are 0",
    checks: ["CONV-02: every body"],
    ...changeResource("card-subscriptions", (body) => {
      body.effectiveDate = seconds(body.effectiveDate);
      body.expirationDate = seconds(body.expirationDate);
    }),
  },
  {
    id: "conv/microseconds",
    requirement: "CONV-02",
    description: "Timestamps have the database's microseconds",
    checks: ["CONV-02: every body"],
    deliveries: changeEventsNamed("banktransaction.deleted", (body) => {
      body.deletedAt = body.deletedAt.replace("Z", "000Z");
    }),
  },
  {
    id: "conv/epoch",
    requirement: "CONV-02",
    description: "A timestamp is written as milliseconds since 1970",
    checks: ["CONV-02: every body"],
    deliveries: changeEventsNamed("networkbulkfeed.statechanged", (body) => {
      body.updatedAt = Date.parse(body.updatedAt);
    }),
  },
  {
    id: "conv/local-timestamp",
    requirement: "CONV-02",
    description: "A timestamp comes from a column without a time zone",
    checks: ["CONV-02: every body"],
    deliveries: changeEventsNamed("bankaccount.state_changed", (body) => {
      if (body.expiresAt) body.expiresAt = body.expiresAt.replace("Z", "");
    }),
  },
  {
    id: "conv/date-as-timestamp",
    requirement: "CONV-03",
    description: "A date is serialized as midnight UTC",
    checks: ["CONV-03"],
    ...changeResource("bank-transactions", (body) => {
      body.date = `${body.date}T00:00:00.000Z`;
    }),
  },
  {
    id: "conv/date-of-locale",
    requirement: "CONV-03",
    description: "A date is formatted for a locale",
    checks: ["CONV-03: every body"],
    ...changeResource("transaction-matches", (body) => {
      const [year, month, day] = body.cardTransaction.date.split("-");
      body.cardTransaction.date = `${month}/${day}/${year}`;
    }),
  },
  {
    id: "conv/amounts-as-text",
    requirement: "CONV-04",
    description: "Decimals are serialized as strings to keep precision",
    checks: ["CONV-04"],
    ...changeResource(["transaction-messages", "projection"], (body) => {
      body.transactionAmount = body.transactionAmount.toFixed(2);
    }),
  },
  {
    id: "conv/settled-as-text",
    requirement: "CONV-04",
    description: "The sum of decimals is a string, although each amount is a number",
    checks: ["CONV-04"],
    ...changeResource("transactions", (body) => {
      body.cardholderBillingSettledAmount = body.cardholderBillingSettledAmount.toFixed(2);
    }),
  },
  {
    id: "conv/amount-as-object",
    requirement: "CONV-04",
    description: "An amount is an object with value and currency",
    checks: ["CONV-04: every body"],
    deliveries: changeEventsNamed("banktransaction.created", (body) => {
      body.amount = { value: body.amount, currency: body.currency };
    }),
  },
  {
    id: "conv/absolute-links",
    requirement: "CONV-05",
    description: "The framework's link builder creates absolute URLs",
    checks: ["CONV-05: every body"],
    http: changeResponses("transactions", (body, { run }) =>
      relink(body, (href) => `${run.sandbox.baseUrl}${href}`),
    ),
  },
  {
    id: "conv/localhost-links",
    requirement: "CONV-05",
    description: "A worker without a configured host builds links with localhost",
    checks: ["CONV-05: every body"],
    deliveries: changeEvents("transactions", (body) =>
      relink(body, (href) => `http://localhost:8080${href}`),
    ),
  },
  {
    id: "conv/links-as-text",
    requirement: "CONV-05",
    description: "A link is a string instead of an object",
    checks: ["CONV-05: every body"],
    ...changeResource("card-subscriptions", (body) => {
      body._links.self = body._links.self.href;
    }),
  },
  {
    id: "conv/links-without-slash",
    requirement: "CONV-05",
    description: "Links have no leading slash",
    checks: ["CONV-05: every body"],
    deliveries: changeEvents("transaction-messages", (body) =>
      relink(body, (href) => href.slice(1)),
    ),
  },
  {
    id: "conv/no-hal",
    requirement: "CONV-06",
    description: "The serializer writes links instead of _links",
    checks: [
      "CONV-06: every body",
      "CONV-06: a collection has _links and _embedded, a resource has _links",
    ],
    http: changeResponses("cards", (body) => rename(body, "_links", "links")),
  },
  {
    id: "conv/plain-collection",
    requirement: "CONV-06",
    description: "A collection is a bare array",
    checks: ["CONV-06: a collection has _links and _embedded, a resource has _links"],
    http: onPath("/bank-links", async ({ forward }) => {
      const response = await forward();
      if (response.status !== 200) return response;
      return await withJson(response, (json) => json._embedded[nameIn("bank-links")]);
    }),
  },
  {
    id: "conv/self-of-first",
    requirement: "CONV-07",
    description: "Links are built once outside the loop: every item has those of the first",
    checks: ["CONV-07: every body"],
    http: changeResponseAt("/bank-accounts", (json) => {
      const [first, ...rest] = json._embedded.bankAccounts;
      for (const one of rest) one._links = first._links;
    }),
  },
  {
    id: "conv/card-link-of-subscription",
    requirement: "CONV-08",
    description: "The card link has the subscription's id",
    checks: ["CONV-08: every body"],
    ...changeResource("card-subscriptions", (body) => {
      body._links.card.href = `/cards/${body.id}`;
    }),
  },
  {
    id: "conv/subaccount-link-of-account",
    requirement: "CONV-08",
    description: "Copy and paste: the subaccount link has the card's id",
    checks: ["CONV-08"],
    ...changeResource("transactions", (body) => {
      if (body.cardId !== null) body._links.subaccount.href = `/subaccounts/${body.cardId}`;
    }),
  },
  {
    id: "conv/gateway-prefix",
    requirement: "CONV-09",
    description: "Links have the service's internal path behind the gateway",
    checks: [
      "CONV-09: every link of a response returns 200",
      "CONV-09: every link of a delivery resolves",
      "EP-13: links to related resources have the specified path",
    ],
    ...changeResource("transactions", (body) => {
      body._links.subaccount.href = `/internal/v1${body._links.subaccount.href}`;
    }),
  },
  {
    id: "conv/dangling-bank-links",
    requirement: "CONV-09",
    description: "A self link points to a missing route",
    checks: ["CONV-09: every link of a response returns 200"],
    http: onPath("/bank-links/{}", async () => ({ status: 404, headers: {}, body: "" })),
  },
  {
    id: "conv/card-links-as-text",
    requirement: "CONV-05",
    description: "The links of cards are strings instead of objects",
    checks: ["CONV-05: every link that the interface names has a relative href"],
    http: changeResponses("cards", ({ _links }) => {
      for (const [name, { href }] of Object.entries<Json>(_links)) _links[name] = href;
    }),
  },
  {
    id: "conv/html-content-type",
    requirement: "CONV-06",
    description: "One endpoint has the framework's default content type",
    checks: ["CONV-06: a content type, if present, is JSON"],
    http: onPath("/subaccounts/{}", async ({ forward }) => {
      const response = await forward();
      return { ...response, headers: { ...response.headers, "content-type": "text/html" } };
    }),
  },
];
