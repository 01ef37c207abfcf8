import { describe, expect, test } from "vitest";
import { type EventName, eventNames } from "../../generated/events.ts";
import type { FeedEvent } from "../../src/contract/index.ts";
import { make } from "../../src/fixtures/index.ts";
import { resourceOf } from "../../src/webhooks/resource.ts";
import { uuid } from "../support/payloads.ts";

const ID = uuid(1);

const of = (name: string, body: unknown) => resourceOf({ name, body } as FeedEvent);
const enrichmentOf = (href: unknown) => ({ id: ID, _links: { message: { href } } });

test.each<[EventName, object, string]>([
  ["transactionmessage.created", { id: ID }, `message:${ID}`],
  ["transaction.created", { id: ID }, `transaction:${ID}`],
  ["transaction.updated", { id: ID }, `transaction:${ID}`],
  ["cardsubscription.created", { id: ID }, `cardsubscription:${ID}`],
  ["cardsubscription.updated", { id: ID }, `cardsubscription:${ID}`],
  ["networkbulkfeed.statechanged", { id: ID }, `networkbulkfeed:${ID}`],
  ["banklink.completed", { bankLinkId: ID }, `banklink:${ID}`],
  ["bankaccount.state_changed", { bankAccountId: ID }, `bankaccount:${ID}`],
  ["banktransaction.created", { id: ID }, `banktransaction:${ID}`],
  ["banktransaction.deleted", { id: ID }, `banktransaction:${ID}`],
  ["transaction.match.created", { matches: [{ id: ID }] }, `banktransaction:${ID}`],
  ["transaction.match.deleted", { bankTransactionId: ID }, `banktransaction:${ID}`],
  ["enrichment.merchant.created", enrichmentOf(`/transaction-messages/${ID}`), `message:${ID}`],
])("%s belongs to its resource", (name, members, key) => {
  expect(of(name, { ...make(name), ...members })).toBe(key);
});

test("ids of the same resource in another case give the same key", () => {
  const id = "ABCDEF00-0000-4000-8000-00000000000A";
  const key = of("transaction.created", { id });
  expect(of("transaction.updated", { id: id.toLowerCase() })).toBe(key);
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

describe("an experimental body", () => {
  test.each([
    enrichmentOf(undefined),
    enrichmentOf(42),
    enrichmentOf("/transaction-messages/"),
    enrichmentOf("/merchants/42"),
    { id: ID, _links: null },
    { id: ID },
  ])("without a message has a key of its own: %j", (body) => {
    expect(of("enrichment.merchant.created", body)).toBe(`enrichment.merchant.created:${ID}`);
  });

  test.each([null, undefined, 42, "text", [], [1], {}, { id: 42 }, { id: "" }, { _links: [] }])(
    "without any id has no key: %j",
    (body) => {
      expect(of("enrichment.merchant.created", body)).toBeUndefined();
    },
  );
});

test("a match without a bank transaction has a key of its own", () => {
  const key = of("transaction.match.created", { matchId: ID, matches: [] });
  expect(key).toBe(`transaction.match.created:${ID}`);
});

test("an event that the contract does not know has no key", () => {
  expect(of("unknown", { id: ID })).toBeUndefined();
  for (const name of ["constructor", "__proto__", "", "transaction.created "]) {
    expect(of(name, { id: ID })).toBeUndefined();
  }
});

test("a body that breaks the contract causes no exception", () => {
  for (const name of eventNames) {
    for (const body of [null, undefined, 7, "x", [], { id: {} }, { matches: [null] }]) {
      expect(of(name, body)).toBeUndefined();
    }
  }
});
