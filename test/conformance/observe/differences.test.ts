import { expect, test } from "vitest";
import {
  fieldDifferences,
  fieldsOf,
  linkTargetsOf,
} from "../../../conformance/observe/differences.ts";
import { linkedMessages } from "../../../conformance/observe/feed.ts";

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
