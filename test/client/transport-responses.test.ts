import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { FeedContractError, ResponseTooLong } from "../../src/client/index.ts";
import { UsageError } from "../../src/errors.ts";
import { until } from "../support/fake-clock.ts";
import { json, type Responder, status, TOKEN_PATH } from "./feed-server.ts";
import { startFixture } from "./fixture.ts";
import { memoryFixture } from "./memory-service.ts";
import { rejectionOf } from "./test-server.ts";

const card = "/cards/card-1";
const tooLong = {
  code: "contract",
  message: "GET /cards/card-1: the response exceeds maxResponseBytes, 1000",
};

/** A JSON text of the given size in bytes, with fewer characters. */
function textOf(bytes: number): string {
  const text = JSON.stringify({ id: "ä" });
  return text.padEnd(bytes - (Buffer.byteLength(text) - text.length));
}

const wholly =
  (text: string): Responder =>
  (response) => {
    response.writeHead(200, { "content-length": Buffer.byteLength(text) });
    response.end(text);
  };

const inPieces =
  (text: string): Responder =>
  (response) => {
    response.writeHead(200);
    for (let at = 0; at < text.length; at += 100) response.write(text.slice(at, at + 100));
    response.end();
  };

function zipped(text: string): Responder {
  // Compressed here, because compression takes memory that a test measures.
  const body = gzipSync(text);
  return (response) => {
    response.writeHead(200, { "content-encoding": "gzip", "content-length": body.length });
    response.end(body);
  };
}

test.each([
  ["of a known length", wholly],
  ["in pieces", inPieces],
  ["compressed", zipped],
])("a response %s may have the maximum size, but not a byte more", async (_, reply) => {
  const { server, feed } = await startFixture({ maxResponseBytes: 1000 });
  server.plan(card, reply(textOf(1000)), reply(textOf(1001)));
  await expect(feed.cards.get("card-1")).resolves.toMatchObject({ id: "ä" });
  await expect(feed.cards.get("card-1")).rejects.toMatchObject(tooLong);
  // A retry would be as long.
  expect(server.requests(card)).toBe(2);
});

test("a Content-Length over the limit closes the connection", async () => {
  // A referenced connection is not closed by the garbage collector.
  const kept: Response[] = [];
  const { server, feed } = await startFixture({
    maxResponseBytes: 1000,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      kept.push(response);
      return response;
    },
  });
  server.plan(card, (response) => {
    response.writeHead(200, { "content-length": "1001" }).write("{");
  });
  await expect(feed.cards.get("card-1")).rejects.toMatchObject(tooLong);
  await until(() => server.closed === 1);
});

test("an endless response is cancelled and its connection closed", async () => {
  const { server, feed } = await startFixture({ maxResponseBytes: 1000 });
  server.plan(card, (response) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write(" ".repeat(10_000)));
    };
    response.on("drain", more);
    more();
  });
  await expect(feed.cards.get("card-1")).rejects.toMatchObject(tooLong);
  await until(() => server.closed === 1);
});

test("50 kB that decompress to 50 MB are cancelled at the limit", async () => {
  const { server, feed } = await startFixture({ maxResponseBytes: 1_000_000 });
  const bomb = zipped(" ".repeat(50_000_000));
  server.plan(card, bomb);
  const before = process.memoryUsage().arrayBuffers;
  await expect(feed.cards.get("card-1")).rejects.toMatchObject({ code: "contract" });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40_000_000);
});

test("the limit applies to errors and to the token exchange", async () => {
  const { server, feed } = await startFixture({ maxResponseBytes: 1000 });
  server.plan(card, json(404, { why: textOf(1000) }));
  await expect(feed.cards.get("card-1")).rejects.toMatchObject(tooLong);
  await feed.cards.get("card-1");
  server.revoke();
  server.plan(TOKEN_PATH, json(200, { access_token: textOf(1000) }));
  await expect(feed.cards.get("card-1")).rejects.toMatchObject({
    code: "contract",
    method: "POST",
  });
});

test.each<[string, Responder]>([
  ["empty", status(200)],
  ["a page of HTML", (response) => response.end("<!doctype html><p>Sign in")],
  ["half of a JSON document", (response) => response.end('{"id":')],
])("a 200 that is %s is a contract error and is not retried", async (_, reply) => {
  const { server, feed } = await startFixture();
  server.plan(card, reply);
  await expect(feed.cards.get("card-1")).rejects.toMatchObject({
    code: "contract",
    status: 200,
    attempts: 1,
    message: "GET /cards/card-1: the response is not JSON",
  });
  expect(server.requests(card)).toBe(1);
});

test.each<[string, Responder, unknown]>([
  ["JSON", json(404, { why: "gone" }), { why: "gone" }],
  ["text", (response) => response.writeHead(404).end("gone"), "gone"],
  ["empty", status(404), undefined],
])("an error response's body that is %s is unchanged", async (_, reply, body) => {
  const { server, feed } = await startFixture();
  server.plan(card, reply);
  await expect(feed.cards.get("card-1")).rejects.toMatchObject({ code: "http", body });
});

test("a PATCH succeeds with an empty 204", async () => {
  const { server, feed } = await startFixture();
  server.plan("/bank-links/link-1", status(204));
  const result = await feed.bankLinks.completeResult("link-1", { body: {} });
  expect(result).toMatchObject({ ok: true, status: 204, data: undefined });
});

test("ResponseTooLong from a transport is a contract error, not retried", async () => {
  const { clock, feed, service } = memoryFixture({ maxResponseBytes: 4711 });
  service.resource = () => Promise.reject(new ResponseTooLong());
  const error = await rejectionOf(clock.skipDelays(feed.cards.get("card-1")));
  expect(error).toBeInstanceOf(FeedContractError);
  expect(error).toMatchObject({ attempts: 1, message: expect.stringContaining("4711") });
  expect(service.requests).toBe(1);
});

test("a TxfeedError from a transport is passed on, not retried", async () => {
  const { clock, feed, service } = memoryFixture();
  const own = new UsageError("the transport can't do that");
  service.resource = () => Promise.reject(own);
  expect(await rejectionOf(clock.skipDelays(feed.cards.get("card-1")))).toBe(own);
  expect(service.requests).toBe(1);
});
