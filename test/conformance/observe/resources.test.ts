import { expect, test } from "vitest";
import {
  fieldDifferences,
  fieldsOf,
  linkTargetsOf,
} from "../../../conformance/observe/differences.ts";
import { linkedMessages, sample, sampleByCase } from "../../../conformance/observe/feed.ts";
import { situationsIn, situationsOf } from "../../../conformance/observe/situations.ts";
import { DEFAULT_NETWORKS } from "../../../src/contract/networks.ts";

/** Sampling of resources. */
const purchase = (nr: number) => ({ nr, network: "NETWORK_A", status: "SETTLED" });
const many = Array.from({ length: 1000 }, (_, nr) => purchase(nr));

test("a short list is returned whole", () => {
  expect(sampleByCase(many.slice(0, 5), 5, (one) => one)).toEqual(many.slice(0, 5));
});

test("a sample is spread from the first to the last", () => {
  expect(sample(many, 3).map(({ nr }) => nr)).toEqual([0, 500, 999]);
  expect(sample(many, 1).map(({ nr }) => nr)).toEqual([0]);
});

test.each([
  ["a superseded message", { supersededMessageIds: ["x"] }],
  ["no card", { cardId: null }],
  ["another network", { network: "NETWORK_C" }],
  ["a bank's message", { _embedded: { messages: [{ bankData: {}, network: "N" }] } }],
])("a rare case is always sampled: %s", (_what, rare) => {
  const one = { ...purchase(777), ...rare };
  const list = many.with(777, one);
  expect(sampleByCase(list, 50, (each) => each)).toContain(one);
  expect(sampleByCase(list, 50, (each) => each)).toHaveLength(50);
});

test("a large number of cases leaves room for other resources", () => {
  const list = many.map((one) => ({ ...one, status: `S${one.nr}` }));
  const chosen = sampleByCase(list, 50, (each) => each);
  expect(chosen).toHaveLength(50);
  expect(chosen).toContain(list.at(-1));
});

/** The paths at which two bodies differ. */
const differ = (one: object, other: object) =>
  fieldDifferences(fieldsOf(one, ["a", "b"]), fieldsOf(other, ["a", "b"])).map(({ path }) => path);

test.each([
  ["a number as text", { a: 1 }, { a: "1" }],
  ["null and a value", { a: null }, { a: 1 }],
  ["an additional element", { a: [1] }, { a: [1, 1] }],
  ["a nested value", { a: { b: [{ c: 1 }] } }, { a: { b: [{ c: 2 }] } }],
])("%s is a difference", (_what, one, other) => {
  expect(differ(one, other)).toEqual(["/a"]);
});

test.each([
  ["the order of members", { a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } }],
  ["the order of elements", { a: [1, { b: 1 }] }, { a: [{ b: 1 }, 1] }],
  ["a member of only one body", { a: 1 }, { b: 1 }],
  ["a member that is not compared", { a: 1, c: 1 }, { a: 1, c: 2 }],
])("%s is not a difference", (_what, one, other) => {
  expect(differ(one, other)).toEqual([]);
});

test("links to messages are compared only if both transactions have the list", () => {
  const fields = (body: object) => new Map([["/_links/messages", linkedMessages(body)]]);
  const link = { href: "/transaction-messages/1" };
  const linked = fields({ _links: { messages: [link] } });
  expect(fieldDifferences(fields({ _links: {} }), linked)).toEqual([]);
  expect(fieldDifferences(fields({ _links: { messages: [] } }), linked)).toHaveLength(1);
});

test("links are compared by path, not by query", () => {
  const to = (href: string) => linkTargetsOf({ _links: { self: { href } } }, ["self"]);
  expect(fieldDifferences(to("/cards/1?x=1"), to("/cards/1"))).toEqual([]);
  expect(fieldDifferences(to("/cards/1"), to("/cards/2"))).toHaveLength(1);
});

const exchange = (json: object) => ({
  nr: 1,
  request: { method: "GET", url: "http://127.0.0.1/feed/v2/transactions", headers: {} },
  durationMs: 1,
  response: { status: 200, headers: {}, body: JSON.stringify(json), json },
});

test.each([
  [{ network: "NETWORK_C", messageType: "AUTH_REQU" }, ["network-c", "authorization"]],
  [{ network: "OPEN_BANKING", cardId: null }, ["bank-only", "cardless"]],
  [{ network: "OPEN_BANKING", cardId: "1" }, ["bank-only", "linked-card"]],
  [{ enrollmentType: "bank-feed" }, ["bank-feed"]],
  [{ confidence: "LOW" }, ["confidence-low"]],
  [{ supersededMessageIds: ["1", "2"] }, ["superseded-one", "superseded-two"]],
  [{ network: "ANOTHER" }, []],
  [null, []],
])("%j shows %j", (body, situations) => {
  expect(situationsOf(body, DEFAULT_NETWORKS)).toEqual(situations);
});

test("a list shows the situations of its items, a single resource its own", () => {
  const cards = [{ network: "NETWORK_A" }, { network: "NETWORK_B" }];
  const list = exchange({ _embedded: { cards } });
  expect(situationsIn(list, DEFAULT_NETWORKS)).toEqual(["listed", "network-a", "network-b"]);
  const single = exchange({ network: "NETWORK_A", _embedded: { messages: [{}] } });
  expect(situationsIn(single, DEFAULT_NETWORKS)).toEqual(["alone", "network-a", "projected"]);
});
