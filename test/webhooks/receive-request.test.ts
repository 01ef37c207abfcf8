import fc from "fast-check";
import { expect, test } from "vitest";
import { eventNames } from "../../src/contract/index.ts";
import { make } from "../../src/fixtures/index.ts";
import { createReceiver } from "../../src/webhooks/index.ts";
import { memoryInbox } from "../../src/webhooks/sqlite/index.ts";
import { deliver } from "../support/payloads.ts";
import { receiverOf } from "./adapters/recorder.ts";

/** A request whose body is a stream that records reads and cancellation. */
function requestOf(chunks: readonly (number[] | Error)[], headers: Record<string, string> = {}) {
  const source = { pulled: 0, isCancelled: false };
  const body = new ReadableStream(
    {
      pull(controller) {
        const chunk = chunks[source.pulled++];
        if (chunk instanceof Error) controller.error(chunk);
        else if (chunk) controller.enqueue(Uint8Array.from(chunk));
        else controller.close();
      },
      cancel() {
        source.isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
  return { request: new Request("http://receiver.example/", init), source };
}

/** Reads a body of at most 25 bytes, as a receiver does. */
async function read(request: Request) {
  let result: Uint8Array | "too-large" | undefined;
  const receiver = receiverOf(async ({ readBody }) => {
    result = await readBody(25);
    return { status: 202, headers: {}, body: "" };
  });
  await receiver(request);
  return result;
}

test.each([
  ["chunks", [[], [239, 187, 191, 255], [0, 13, 10], []]],
  ["no chunk", []],
  ["a body of the maximum size", [new Array(25).fill(1)]],
])("%s are read to the same bytes", async (_what, chunks) => {
  expect(await read(requestOf(chunks).request)).toEqual(Uint8Array.from(chunks.flat()));
});

const tens = Array.from({ length: 9 }, () => new Array(10).fill(0));
test.each<[string, number[][], Record<string, string>, object]>([
  ["chunks over the limit", tens, {}, { pulled: 3, isCancelled: true }],
  ["a large content-length", tens, { "content-length": "26" }, { pulled: 0, isCancelled: true }],
  ["a wrong content-length", tens, { "content-length": "1" }, { pulled: 3, isCancelled: true }],
])("%s stop reading and cancel the rest", async (_what, chunks, headers, expected) => {
  const { request, source } = requestOf(chunks, headers);
  expect(await read(request)).toBe("too-large");
  expect(source).toEqual(expected);
});

test("a body that was read, or is being read, rejects with body-consumed", async () => {
  const { request: consumed } = requestOf([[1]]);
  await consumed.text();
  await expect(read(consumed)).rejects.toMatchObject({ code: "body-consumed" });
  const { request: locked } = requestOf([[1]]);
  locked.body?.getReader();
  await expect(read(locked)).rejects.toMatchObject({ code: "body-consumed" });
});

test("an incomplete body rejects with body-incomplete", async () => {
  const { request } = requestOf([new Error("connection lost")]);
  await expect(read(request)).rejects.toMatchObject({
    code: "body-incomplete",
    message: "the body broke off after 0 bytes: connection lost",
  });
});

const receiver = createReceiver({
  on: Object.fromEntries(eventNames.map((name) => [name, () => {}])),
  fallback: () => {},
  inbox: memoryInbox(),
  acknowledge: "handled",
});

// A name does not contain a comma.
const names = fc.oneof(fc.constantFrom(...eventNames), fc.stringMatching(/^[!-+\--~]+$/));

test.each<[string, fc.Arbitrary<string | Uint8Array>]>([
  ["JSON", fc.json()],
  ["bytes", fc.uint8Array()],
])("any %s under any name are accepted or refused", async (what, bodies) => {
  const statuses = what === "JSON" ? [204, 422] : [204, 400, 422];
  await fc.assert(
    fc.asyncProperty(names, bodies, async (name, body) => {
      expect(statuses).toContain((await receiver(deliver(name, body))).status);
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
