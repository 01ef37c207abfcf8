import fc from "fast-check";
import { expect, test } from "vitest";
import { eventNames } from "../../src/contract/index.ts";
import { make } from "../../src/fixtures/index.ts";
import { createReceiver, memoryInbox } from "../../src/webhooks/index.ts";
import { deliver } from "../support/payloads.ts";

const receiver = createReceiver({
  on: Object.fromEntries(eventNames.map((name) => [name, () => {}])),
  fallback: () => {},
  inbox: memoryInbox(),
  acknowledge: "handled",
});

// A name does not contain a comma.
const names = fc.oneof(fc.constantFrom(...eventNames), fc.stringMatching(/^[!-+\--~]+$/));

test("any JSON under any name is accepted or refused", async () => {
  await fc.assert(
    fc.asyncProperty(names, fc.json(), async (name, json) => {
      const { status } = await receiver(deliver(name, json));
      expect([204, 422]).toContain(status);
    }),
  );
});

test("any bytes are accepted or refused", async () => {
  await fc.assert(
    fc.asyncProperty(names, fc.uint8Array(), async (name, bytes) => {
      const { status } = await receiver(deliver(name, bytes));
      expect([204, 400, 422]).toContain(status);
    }),
  );
});

const json = JSON.stringify(make("transaction.updated"));
const withMember = (value: string) => json.replace("{", `{"later":${value},`);
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

test.each([
  ["nested deeply in an unknown member", withMember(nested(400_000)), 204],
  ["nested deeply", nested(500_000), 422],
  ["with a long array in an unknown member", withMember(`[${"0,".repeat(400_000)}0]`), 204],
  ["with 1e400 and -0", withMember("[1e400,-0]"), 204],
  ["with a lone surrogate", withMember('"\\ud800"'), 204],
  ["with a duplicate member", json.replace("{", '{"id":1,'), 204],
])("a body %s gets a response", async (_what, body, status) => {
  expect((await receiver(deliver("transaction.updated", body))).status).toBe(status);
});
