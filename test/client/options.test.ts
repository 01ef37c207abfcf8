import { expect, test } from "vitest";
import { createFeedClient, type FeedClientOptions } from "../../src/client/index.ts";
import { TxfeedError } from "../../src/errors.ts";
import { credentials } from "./credentials.ts";

/** The error that creating a client throws. */
function refusalOf(options: unknown): unknown {
  try {
    createFeedClient(options as FeedClientOptions);
  } catch (error) {
    return error;
  }
  throw new Error("expected an error");
}

test.each([undefined, null, "https://feed.example"])(
  "the client options %j are rejected",
  (options) => {
    const error = refusalOf(options);
    expect(error).toBeInstanceOf(TxfeedError);
    expect(error).toMatchObject({ code: "usage", message: expect.stringMatching(/^.+$/) });
  },
);

test.each<[keyof FeedClientOptions, unknown]>([
  ["baseUrl", undefined],
  ["baseUrl", 7],
  ["accountId", undefined],
  ["accountId", 4711],
  ["clientId", 4711],
  ["clientSecret", { secret: "s" }],
  ["transport", {}],
  ["fetch", "fetch"],
  ["log", true],
  ["log", console],
  ["random", 0.5],
  ["middleware", () => {}],
  ["middleware", {}],
  ["validate", "always"],
  ["validate", true],
])("the option %s: %o is rejected by name", (name, value) => {
  const error = refusalOf({ ...credentials("https://feed.example"), [name]: value });
  expect(error).toBeInstanceOf(TxfeedError);
  expect(error).toMatchObject({ code: "usage", message: expect.stringMatching(/^.+$/) });
  expect((error as Error).message).toContain(name);
});

test.each([1n, circular()])(
  "a body that is not JSON-serializable is rejected before sending",
  async (body) => {
    const feed = createFeedClient({
      baseUrl: "https://feed.example",
      accountId: "a",
      clientId: "b",
      clientSecret: "c",
      transport: () => Promise.reject(new Error("sent")),
    });
    const call = feed.bankLinks.complete("b-1", { body });
    await expect(call).rejects.toMatchObject({
      code: "usage",
      message: "body must be JSON-serializable",
    });
  },
);

function circular(): object {
  const loop: { self?: object } = {};
  loop.self = loop;
  return loop;
}
