import type { Client } from "openapi-fetch";
import { describe, expectTypeOf, test } from "vitest";
import type { components, paths } from "../../generated/types.ts";
import type { FeedClient, FeedFetch } from "../../src/client/index.ts";

/** `npm run check` compiles these tests. They fail as type errors, not at run time. */
type Schemas = components["schemas"];

const compiled = (_check: (feed: FeedClient) => Promise<unknown>) => {};

describe("feed.GET and feed.PATCH", () => {
  test("are openapi-fetch's methods on the paths of the contract", () => {
    expectTypeOf<FeedClient["GET"]>().toEqualTypeOf<Client<paths>["GET"]>();
    expectTypeOf<FeedClient["PATCH"]>().toEqualTypeOf<Client<paths>["PATCH"]>();
  });

  test("give data, error and response", () => {
    compiled(async (feed) => {
      const params = { path: { id: "1" } };
      const { data, error, response } = await feed.GET("/cards/{id}", { params });
      if (data) expectTypeOf(data).toExtend<Schemas["Card"]>();
      expectTypeOf<Schemas["Card"] | undefined>().toExtend<typeof data>();
      expectTypeOf(error).toBeUnknown();
      expectTypeOf(response).toEqualTypeOf<Response>();
    });
  });

  test("need no argument if all parameters are optional", () => {
    compiled(async (feed) => {
      await feed.GET("/cards");
      await feed.GET("/cards", { params: {}, timeoutMs: 5000, validate: "throw" });
      await feed.GET("/cards", { params: { query: { limit: 10 } } });
    });
  });

  test("give links whose target type feed.follow infers", () => {
    compiled(async (feed) => {
      const params = { path: { transactionId: "1" } };
      const { data } = await feed.GET("/transactions/{transactionId}", { params });
      if (!data?._links.card) return;
      expectTypeOf(await feed.follow(data._links.card)).toEqualTypeOf<Schemas["Card"]>();
    });
  });
});

test("feed.fetch is a fetch", () => {
  expectTypeOf<FeedFetch>().toExtend<typeof globalThis.fetch>();
  compiled(async (feed) => {
    await feed.fetch("/cards", { timeoutMs: 5, attemptTimeoutMs: 5, retries: 0, validate: "warn" });
    // @ts-expect-error: a number of milliseconds
    await feed.fetch("/cards", { timeoutMs: "5" });
  });
});
