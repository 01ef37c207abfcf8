import { describe, test } from "vitest";
import type { FeedClient } from "../../src/client/index.ts";

/** `npm run check` compiles these; each fails there, as a type, and not when it runs. */
const answered = async () => {};
const feed = { GET: answered } as unknown as FeedClient;

describe("a call by its path takes what its operation takes", () => {
  test("nothing at all where all of it may be left out", () => {
    void feed.GET("/cards");
    void feed.GET("/cards", { params: {} });
    void feed.GET("/cards", { params: { query: { limit: 10 } } });
  });

  test("the parameters of its path, which can't be left out", () => {
    void feed.GET("/cards/{id}", { params: { path: { id: "c-1" } } });
    // @ts-expect-error: the id is missing.
    void feed.GET("/cards/{id}");
    // @ts-expect-error: a card is found by nothing else.
    void feed.GET("/cards/{id}", { params: { path: { id: "c-1" }, query: { limit: 1 } } });
  });
});
