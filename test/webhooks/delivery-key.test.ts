import { expect, test } from "vitest";
import { type FeedEvent, readEvent } from "../../src/contract/index.ts";
import { make } from "../../src/fixtures/index.ts";
import { contentKey } from "../../src/webhooks/delivery-key.ts";

function keyOf(name: string, text: string): Promise<string | undefined> {
  const reading = readEvent(name, JSON.parse(text));
  if (!reading.ok) throw new Error(`${name}: ${reading.findings[0]?.message}`);
  return contentKey(reading.event, text);
}

const transaction = make("transaction.updated");
const text = JSON.stringify(transaction);

/** The body with an unknown member. */
const withMember = (json: string) => text.replace("{", `{"later":${json},`);

test("is the SHA-256 of the name and the content with sorted members", async () => {
  expect(await keyOf("transaction.updated", text)).toMatch(/^[0-9a-f]{64}$/);
});

test("does not depend on white space and the order of members", async () => {
  const reversed = Object.fromEntries(Object.entries(transaction).reverse());
  const key = await keyOf("transaction.updated", text);
  expect(await keyOf("transaction.updated", JSON.stringify(transaction, null, 2))).toBe(key);
  expect(await keyOf("transaction.updated", JSON.stringify(reversed))).toBe(key);
  expect(await keyOf("transaction.updated", text.replaceAll("/", "\\u002f"))).toBe(key);
});

test("differs by name, by any value, by the order of a list and by metadata", async () => {
  const variants = [
    "[1,2]",
    "[2,1]",
    "[[1],2]",
    '"1"',
    "1",
    "null",
    "1e400",
    '{"a":1}',
    '"\\ud800"',
  ];
  const keys = await Promise.all([
    keyOf("transaction.updated", text),
    keyOf("transaction.created", text),
    keyOf("transaction.updated", JSON.stringify({ ...transaction, metadata: { attempt: 2 } })),
    ...variants.map((json) => keyOf("transaction.updated", withMember(json))),
  ]);
  expect(new Set(keys).size).toBe(keys.length);
});

test("uses the text if the body is nested too deeply", async () => {
  const deep = withMember(`${"[".repeat(200_000)}${"]".repeat(200_000)}`);
  const event: FeedEvent = { name: "transaction.updated", body: JSON.parse(deep) };
  const key = await contentKey(event, deep);
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(key).not.toBe(await keyOf("transaction.updated", text));
});

test("is undefined if equal content can be a new event", async () => {
  const lost = JSON.stringify(make("bankaccount.state_changed"));
  expect(await keyOf("bankaccount.state_changed", lost)).toBeUndefined();
  expect(await keyOf("card.frozen", "{}")).toBeUndefined();
});
