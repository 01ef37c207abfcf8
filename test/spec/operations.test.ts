import { expect, test } from "vitest";
import { readDocument } from "../document.ts";

const document = readDocument();
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([verb, operation]) => ({
    key: `${verb.toUpperCase()} ${path}`,
    operation,
  })),
);

/** The interface has the token endpoint, 12 endpoints, and 5 that links address. */
const SPECIFIED = [
  "POST /auth/realms/{account_id}/protocol/openid-connect/token",
  "GET /subaccounts",
  "GET /cards",
  "GET /transactions",
  "GET /transactions/{transactionId}",
  "GET /transaction-messages/{id}",
  "GET /bank-links",
  "PATCH /bank-links/{bankLinkId}",
  "GET /bank-accounts",
  "GET /bank-transactions",
  "GET /bank-transactions/{subaccountId}/{id}",
  "GET /transaction-matches",
  "GET /transaction-matches/{subaccountId}/{matchId}",
  "GET /cards/{id}",
  "GET /card-subscriptions/{id}",
  "GET /network-bulk-feeds/{id}",
  "GET /subaccounts/{id}",
  "GET /bank-accounts/{id}",
];

const EVENTS = [
  "transactionmessage.created",
  "transaction.created",
  "transaction.updated",
  "banklink.completed",
  "bankaccount.state_changed",
  "banktransaction.created",
  "banktransaction.deleted",
  "transaction.match.created",
  "transaction.match.deleted",
  "cardsubscription.created",
  "cardsubscription.updated",
  "networkbulkfeed.statechanged",
  "enrichment.merchant.created",
];

test("the operations are those of the interface", () => {
  expect(operations.map(({ key }) => key).sort()).toEqual([...SPECIFIED].sort());
});

test("the webhooks are the 13 events of the interface", () => {
  expect(Object.keys(document.webhooks).sort()).toEqual([...EVENTS].sort());
});

test.each(operations)("$key declares 401 and has a summary, a description and a tag", (entry) => {
  const { responses, summary, description, tags } = entry.operation;
  expect(responses["401"]).toBeDefined();
  expect(summary).toBeTruthy();
  expect(description).toBeTruthy();
  expect(tags).toHaveLength(1);
});

test.each(operations)(
  "$key needs a token unless it is the token endpoint",
  ({ key, operation }) => {
    const isTokenEndpoint = key.startsWith("POST /auth/");
    expect(operation.security).toEqual(isTokenEndpoint ? [] : undefined);
  },
);

test.each(EVENTS)("%s has its name in the header webhook-event-type", (event) => {
  const [operation] = Object.values(document.webhooks[event] ?? {});
  const [header] = operation?.parameters ?? [];
  expect(header).toMatchObject({ name: "webhook-event-type", in: "header" });
  expect(header?.schema?.enum).toEqual([event]);
});

test.each([
  ["GET /subaccounts", ["cursor", "limit"]],
  ["GET /cards", ["limit", "offset"]],
  ["GET /transactions", ["cursor", "limit", "offset"]],
  ["GET /bank-links", ["cursor", "limit", "offset"]],
  ["GET /bank-accounts", ["cursor", "limit", "offset"]],
  ["GET /bank-transactions", ["cursor", "limit", "offset"]],
  ["GET /transaction-matches", ["cursor", "limit", "offset"]],
])("%s takes %j", (key, parameters) => {
  const found = operations.find((operation) => operation.key === key)?.operation.parameters ?? [];
  const shared = ($ref = "") => document.components.parameters[$ref.split("/").at(-1) ?? ""];
  const names = found.map(({ $ref, name }) => name ?? shared($ref)?.name);
  expect(names.sort()).toEqual(parameters);
});

test("limit is an integer from 1 to 100", () => {
  expect(document.components.parameters.LimitParameter).toMatchObject({
    name: "limit",
    schema: { type: "integer", minimum: 1, maximum: 100 },
  });
});
