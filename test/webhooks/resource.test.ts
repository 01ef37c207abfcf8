import { expect, test } from "vitest";
import { type EventName, eventNames } from "../../generated/events.ts";
import type { FeedEvent } from "../../src/contract/index.ts";
import { make } from "../../src/fixtures/index.ts";
import { resourceOf } from "../../src/webhooks/resource.ts";
import { uuid } from "../support/payloads.ts";

const ID = uuid(1);

const of = (name: string, body: unknown) => resourceOf({ name, body } as FeedEvent);
const enrichmentOf = (href: unknown) => ({ id: ID, _links: { message: { href } } });

test.each<[EventName, object, string]>([
  ["transactionmessage.created", { id: ID }, `transaction-messages:${ID}`],
  ["transaction.created", { id: ID }, `transactions:${ID}`],
  ["transaction.updated", { id: ID }, `transactions:${ID}`],
  ["cardsubscription.created", { id: ID }, `card-subscriptions:${ID}`],
  ["cardsubscription.updated", { id: ID }, `card-subscriptions:${ID}`],
  ["networkbulkfeed.statechanged", { id: ID }, `network-bulk-feeds:${ID}`],
  ["banklink.completed", { bankLinkId: ID }, `bank-links:${ID}`],
  ["bankaccount.state_changed", { bankAccountId: ID }, `bank-accounts:${ID}`],
  ["banktransaction.created", { id: ID }, `bank-transactions:${ID}`],
  ["banktransaction.deleted", { id: ID }, `bank-transactions:${ID}`],
  ["transaction.match.created", { matches: [{ id: ID }] }, `bank-transactions:${ID}`],
  ["transaction.match.deleted", { bankTransactionId: ID }, `bank-transactions:${ID}`],
  [
    "enrichment.merchant.created",
    enrichmentOf(`/transaction-messages/${ID}`),
    `transaction-messages:${ID}`,
  ],
])("%s belongs to its resource", (name, members, key) => {
  expect(of(name, { ...make(name), ...members })).toBe(key);
});

test("ids of the same resource in another case give the same key", () => {
  const id = "ABCDEF00-0000-4000-8000-00000000000A";
  const key = of("transaction.created", { id });
  expect(of("transaction.updated", { id: id.toLowerCase() })).toBe(key);
  expect(of("enrichment.merchant.created", { id })).toContain(id.toLowerCase());
});

test("resources of different types with the same id have different keys", () => {
  const keys = eventNames.map((name) =>
    of(name, {
      ...enrichmentOf(`/transaction-messages/${ID}`),
      ...{ matches: [{ id: ID }], bankTransactionId: ID, bankLinkId: ID, bankAccountId: ID },
    }),
  );
  expect(new Set(keys).size).toBe(7);
});

const ENRICHMENT = "enrichment.merchant.created";
test.each([
  [ENRICHMENT, enrichmentOf(undefined)],
  [ENRICHMENT, enrichmentOf(42)],
  [ENRICHMENT, enrichmentOf("/transaction-messages/")],
  [ENRICHMENT, enrichmentOf("/merchants/42")],
  [ENRICHMENT, { id: ID, _links: null }],
  ["transaction.match.created", { matchId: ID, matches: [] }],
])("%s without a resource has a key of its own: %j", (name, body) => {
  expect(of(name, body)).toBe(`${name}:${ID}`);
});

const SHAPELESS = [null, undefined, 42, "text", [], [1], {}, { id: {} }, { id: 42 }, { id: "" }];
test.each([...SHAPELESS, { _links: [] }, { matches: [null] }])("%j has no key", (body) => {
  for (const name of eventNames) expect(of(name, body)).toBeUndefined();
});

test.each(["unknown", "constructor", "__proto__", "", "transaction.created "])(
  "the unknown event %j has no key",
  (name) => expect(of(name, { id: ID })).toBeUndefined(),
);
