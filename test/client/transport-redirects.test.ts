import { expect, test } from "vitest";
import { status, TOKEN_PATH } from "./feed-server.ts";
import { startFixture } from "./fixture.ts";

const statuses = [301, 302, 303, 307, 308];

test.each(statuses)("a %i to another origin is not followed", async (code) => {
  const elsewhere = await startFixture();
  const { clock, server, feed } = await startFixture();
  server.plan("/cards/card-1", status(code, { location: `${elsewhere.server.url}/cards/card-1` }));
  const call = clock.skipDelays(feed.cards.get("card-1"));
  await expect(call).rejects.toMatchObject({ code: "http", status: code, attempts: 1 });
  expect(elsewhere.server.seen).toEqual([]);
});

test.each(statuses)("a %i of the token exchange does not forward the secret", async (code) => {
  const elsewhere = await startFixture();
  const { clock, server, feed } = await startFixture();
  server.plan(TOKEN_PATH, status(code, { location: elsewhere.server.url + TOKEN_PATH }));
  const call = clock.skipDelays(feed.cards.get("card-1"));
  await expect(call).rejects.toMatchObject({ code: "http", status: code, method: "POST" });
  expect(elsewhere.server.seen).toEqual([]);
  expect(server.exchanges).toBe(1);
});

test("a 307 of a PATCH does not forward its body", async () => {
  const elsewhere = await startFixture();
  const { server, feed } = await startFixture();
  const path = "/bank-links/link-1";
  server.plan(path, status(307, { location: elsewhere.server.url + path }));
  const result = await feed.bankLinks.completeResult("link-1", { body: { a: 1 } });
  expect(result).toMatchObject({ ok: false, status: 307 });
  expect(elsewhere.server.seen).toEqual([]);
});

test("a redirect within the origin is not followed", async () => {
  const { server, feed } = await startFixture();
  server.plan("/cards/card-1", status(302, { location: "/cards/card-2" }));
  await expect(feed.cards.get("card-1")).rejects.toMatchObject({ status: 302 });
  expect(server.requests("/cards/card-2")).toBe(0);
});
