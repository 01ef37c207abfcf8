import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, expect, test } from "vitest";
import { createFeedClient, type FeedClientOptions } from "../../src/client/index.ts";
import { undiciTransport } from "../../src/client/undici/index.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { startSocketServer } from "./socket-server.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const TOKEN = JSON.stringify({ access_token: "token-4711", token_type: "Bearer", expires_in: 300 });

type Responder = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A client on undici, and a server that issues tokens and runs the handler for other requests. */
async function pair(reply: Responder, options: Partial<FeedClientOptions> = {}) {
  let exchanges = 0;
  const server = await startSocketServer((request, response) => {
    if (request.method !== "POST") return reply(request, response);
    exchanges += 1;
    request.resume().on("end", () => response.end(TOKEN));
  });
  const transport = undiciTransport();
  closers.push(transport.close, server.close);
  const feed = createFeedClient({
    baseUrl: server.origin,
    ...{ accountId: "account", clientId: "client", clientSecret: "secret" },
    transport,
    // Retries have no delay.
    random: () => 0,
    ...options,
  });
  return { feed, server, exchanges: () => exchanges };
}

const card = (id: string | undefined) => JSON.stringify({ id });

test("gets a token and then the resource", async () => {
  const { feed } = await pair(({ url, headers }, response) => {
    response.end(JSON.stringify({ id: url, authorization: headers.authorization }));
  });
  expect(await feed.cards.get("a b")).toEqual({
    id: "/cards/a%20b",
    authorization: "Bearer token-4711",
  });
});

test("completes 32 concurrent calls with one token", async () => {
  const { feed, exchanges } = await pair(({ url }, response) => {
    setImmediate(() => response.end(card(url?.slice("/cards/".length))));
  });
  const ids = Array.from({ length: 32 }, (_, index) => `${index}`);
  const cards = await Promise.all(ids.map((id) => feed.cards.get(id)));
  expect(cards.map(({ id }) => id)).toEqual(ids);
  expect(exchanges()).toBe(1);
});

test("closes the connection of a timed-out attempt, and retries", async () => {
  const clock = new FakeClock();
  let isAnswering = false;
  const { feed, server } = await pair(
    (_, response) => {
      if (isAnswering) response.end(card("a"));
      else void clock.advance(700);
    },
    { clock, attemptTimeoutMs: 700, retries: 1 },
  );
  const slow = feed.cards.get("a", { retries: 0 });
  await expect(slow).rejects.toMatchObject({ code: "timeout", of: "attempt" });
  await server.firstClosed();

  isAnswering = true;
  expect(await feed.cards.get("a")).toEqual({ id: "a" });
});

test("closes the connection when the caller's signal aborts", async () => {
  const controller = new AbortController();
  const { feed, server } = await pair((_, response) => {
    response.write("{", () => controller.abort());
  });
  const call = feed.cards.get("a", { signal: controller.signal });
  await expect(call).rejects.toMatchObject({ code: "aborted" });
  await server.firstClosed();
});

test("retries an incomplete response, or reports its cause", async () => {
  let responses = 0;
  const { feed } = await pair((_, response) => {
    responses += 1;
    if (responses % 2 === 0) return response.end(card("a"));
    return response.writeHead(200, { "content-length": 99 }).write("{", () => response.destroy());
  });
  expect(await feed.cards.get("a")).toEqual({ id: "a" });
  const call = feed.cards.get("a", { retries: 0 });
  await expect(call).rejects.toMatchObject({ code: "network", systemCode: "UND_ERR_SOCKET" });
});

test("retries if the server closes a reused connection on a request", async () => {
  const used = new Set<unknown>();
  const { feed, server } = await pair(({ socket }, response) => {
    if (used.has(socket)) return socket.destroy();
    used.add(socket);
    return response.end(card("a"));
  });
  for (let call = 0; call < 6; call += 1) await feed.cards.get("a");
  expect(server.connections).toBeGreaterThan(1);
});

test("reconnects after the server closed idle connections", async () => {
  const { feed, server } = await pair((_, response) => response.end(card("a")));
  await feed.cards.get("a");
  await server.closeConnections();
  expect(await feed.cards.get("a", { retries: 0 })).toEqual({ id: "a" });
});

test("rejects a response that is too long, and follows no redirect", async () => {
  const { feed, server } = await pair(
    ({ url }, response) => {
      if (url === "/cards/long") response.end(card("a".repeat(100)));
      else response.writeHead(302, { location: "/cards/b" }).end();
    },
    { maxResponseBytes: 100 },
  );
  await expect(feed.cards.get("long")).rejects.toMatchObject({ code: "contract" });
  await expect(feed.cards.get("a")).rejects.toMatchObject({ code: "http", status: 302 });
  expect(server.paths).not.toContain("/cards/b");
});
