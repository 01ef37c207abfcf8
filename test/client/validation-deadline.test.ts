import { describe, expect, test } from "vitest";
import { responseExamples } from "../../generated/response-examples.ts";
import type { FeedClient, FeedClientOptions, ValidationMode } from "../../src/client/index.ts";
import { memoryFixture, response } from "./memory-service.ts";
import { rejectionOf } from "./test-server.ts";

const [{ body: TRANSACTION }] = responseExamples["GET /transactions/{transactionId}"];
const BAD = { ...TRANSACTION, status: 7 };
const PAGE = { _links: { self: { href: "/transactions" } }, _embedded: { transactions: [BAD] } };

const WAYS: [string, object, (feed: FeedClient) => Promise<unknown>][] = [
  ["get", BAD, (feed) => feed.transactions.get("1")],
  ["getResult", BAD, (feed) => feed.transactions.getResult("1")],
  ["follow", BAD, (feed) => feed.follow("/transactions/1")],
  ["list", PAGE, (feed) => feed.transactions.list().toArray({ max: 1 })],
  ["list ahead", PAGE, (feed) => feed.transactions.list({ ahead: true }).toArray({ max: 1 })],
];

/** A client whose clock moves without firing timers, as in a blocked event loop. */
function busyClient(body: object, options: Partial<FeedClientOptions> = {}) {
  let busyMs = 0;
  const { clock, service, feed } = memoryFixture({
    timeoutMs: 1000,
    ...options,
    clock: {
      now: () => 0,
      monotonic: () => clock.elapsed + busyMs,
      after: (ms, run) => clock.after(ms, run),
    },
  });
  service.resource = () => response(200, body);
  return {
    feed,
    service,
    work: (ms: number) => {
      busyMs += ms;
    },
  };
}

/** A client whose validators take the given time. */
function slowValidation(body: object, validate: ValidationMode, ms: number) {
  let isWorking = false;
  const client = busyClient(body, {
    validate,
    networks: {
      // Rules read the network codes after the shape is valid or explained.
      get a() {
        if (!isWorking) client.work(ms);
        isWorking = true;
        return "NETWORK_A";
      },
      b: "NETWORK_B",
      c: "NETWORK_C",
    },
  });
  return client;
}

describe.each(WAYS)("timeoutMs of %s includes", (_name, body, call) => {
  test("the time to read the response", async () => {
    const { feed, service, work } = busyClient(body);
    service.resource = () => {
      work(1001);
      return response(200, body);
    };
    expect(await rejectionOf(call(feed))).toMatchObject({
      ...{ code: "timeout", of: "call", attempts: 1 },
      message: expect.stringMatching(/: took longer than the 1000 ms of timeoutMs$/),
    });
  });

  test.each(["warn", "throw"] as const)("validation, with %s", async (mode) => {
    const { feed } = slowValidation(body, mode, 1001);
    expect(await rejectionOf(call(feed))).toMatchObject({ code: "timeout", of: "call" });
  });

  test("and validation in time throws its findings", async () => {
    const { feed } = slowValidation(body, "throw", 999);
    expect(await rejectionOf(call(feed))).toMatchObject({ code: "contract" });
  });
});
