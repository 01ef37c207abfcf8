import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { expect, onTestFinished, test, vi } from "vitest";
import { Poster } from "../../../src/sandbox/delivery/post.ts";
import { freePort, serve } from "../../support/local-server.ts";
import { startSandbox } from "../test-sandbox.ts";
import { gate, startDelivering, startReceiver } from "./receiver.ts";

type Respond = (socket: Socket, nth: number) => void;

/** A server that runs a test's function on a connection after the request head. */
async function startRaw(respond: Respond): Promise<string> {
  const sockets = new Set<Socket>();
  let requests = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => {
      if (!chunk.toString("latin1").startsWith("POST")) return;
      requests += 1;
      respond(socket, requests);
    });
  });
  const origin = await serve(server);
  // Before the server closes, because it waits for its connections.
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return `${origin}/`;
}

/** Sends one attempt with a short timeout. */
async function attempt(url: string, { timeoutMs = 5_000, poster = posterOf(timeoutMs) } = {}) {
  const body = JSON.stringify({ id: "one", filler: "x".repeat(3_000) });
  return poster.post({ id: "msg_1", url, secret: "whsec_AAAA", name: "transaction.created", body });
}

function posterOf(timeoutMs: number): Poster {
  const poster = new Poster(timeoutMs, new AbortController().signal);
  onTestFinished(() => poster.close());
  return poster;
}

const HEAD = "HTTP/1.1 200 OK\r\n";
const HALF = `${HEAD}content-length: 100\r\n\r\nhalf`;

/** Writes a response without an end. Returns the number of bytes written. */
function pour(socket: Socket): () => number {
  let poured = 0;
  socket.write(`${HEAD}content-length: 1000000000\r\n\r\n`);
  const more = () => {
    if (socket.destroyed) return;
    poured += 65_536;
    socket.write("x".repeat(65_536), () => setImmediate(more));
  };
  more();
  return () => poured;
}

function drip(socket: Socket): void {
  let at = 0;
  const timer = setInterval(() => socket.write(HEAD[at++ % HEAD.length] ?? ""), 5);
  socket.on("close", () => clearInterval(timer));
}

const UPGRADE = "HTTP/1.1 101 Go\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n";

test.each<[what: string, respond: Respond, reason: RegExp]>([
  ["the connection is reset", (socket) => socket.resetAndDestroy(), /ECONNRESET/],
  ["the connection is closed", (socket) => socket.end(), /hang up|ECONNRESET/],
  ["the response is not HTTP", (socket) => socket.end("hello\r\n\r\n"), /Parse|HTTP/],
  [
    "the response head never ends",
    (socket) => socket.write(`${HEAD}x-filler: ${"x".repeat(100_000)}`),
    /Header/i,
  ],
  ["the protocol is switched", (socket) => socket.write(UPGRADE), /closed|hang up/],
  ["no response arrives in time", () => undefined, /^no response within 0.3 s$/],
  ["a response head arrives byte by byte", drip, /no response within|Parse/],
])("an attempt ends with an error when %s", async (_, respond, reason) => {
  const timeoutMs = 300;
  const { status, error, durationMs } = await attempt(await startRaw(respond), { timeoutMs });
  expect({ status, error }).toEqual({ status: null, error: expect.stringMatching(reason) });
  if (error?.startsWith("no response")) expect(durationMs).toBeGreaterThanOrEqual(timeoutMs - 5);
});

test("an attempt ends with an error when there is no server, or none with TLS", async () => {
  const port = await freePort();
  const tls = createTlsServer({}).listen(0, "127.0.0.1");
  tls.on("tlsClientError", () => undefined);
  await once(tls, "listening");
  onTestFinished(() => void tls.close());
  const plain = (await startReceiver()).url;
  const silent = await startRaw(() => undefined);
  for (const [url, reason] of [
    [`http://127.0.0.1:${port}/`, /ECONNREFUSED/],
    [`http://localhost:${port}/`, /ECONNREFUSED/],
    // A server without a certificate.
    [`https://127.0.0.1:${(tls.address() as AddressInfo).port}/`, /handshake|alert/i],
    [plain.replace("http:", "https:"), /./],
    [silent.replace("http:", "https:"), /./],
  ] as const) {
    const { status, error } = await attempt(url, { timeoutMs: 300 });
    expect({ status, error }).toEqual({ status: null, error: expect.stringMatching(reason) });
  }
});

test.each<[what: string, respond: Respond, status: number]>([
  ["is incomplete", (socket) => socket.write(HALF, () => socket.resetAndDestroy()), 200],
  ["is garbled", (socket) => socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\nzzz\r\n`), 200],
  ["never ends", (socket) => socket.write(HALF), 200],
  ["is huge", pour, 200],
  [
    "arrives before the request is complete",
    (socket) => socket.end("HTTP/1.1 413 No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"),
    413,
  ],
])("a response's status counts when its body %s", async (_, respond, expected) => {
  const { status, error } = await attempt(await startRaw(respond), { timeoutMs: 300 });
  expect({ status, error }).toEqual({ status: expected, error: null });
});

test("reading a huge response stops at the limit", async () => {
  let poured = () => 0;
  const closed = gate();
  const url = await startRaw((socket) => {
    socket.on("close", () => closed.open());
    poured = pour(socket);
  });
  await attempt(url);
  await closed.opened;
  expect(poured()).toBeLessThan(50_000_000);
});

test("each request is logged as an attempt, on a kept connection too", async () => {
  let requests = 0;
  const url = await startRaw((socket, nth) => {
    requests = nth;
    if (nth === 1) socket.write(`${HEAD}content-length: 0\r\n\r\n`);
    else socket.resetAndDestroy();
  });
  const poster = posterOf(5_000);
  expect((await attempt(url, { poster })).status).toBe(200);
  expect((await attempt(url, { poster })).error).toMatch(/ECONNRESET/);
  expect(requests).toBe(2);
});

test("an idle connection is closed", async () => {
  const receiver = await startReceiver();
  await attempt(receiver.url);
  expect(await receiver.open()).toBe(1);
  // Sooner than the receiver, which keeps it for five seconds.
  await vi.waitFor(async () => expect(await receiver.open()).toBe(0), { timeout: 4_000 });
});

test("a network error is logged, and the next attempt follows", async () => {
  const sandbox = startSandbox();
  const url = await startRaw((socket, nth) => {
    if (nth < 3) socket.resetAndDestroy();
    else socket.write("HTTP/1.1 204 No Content\r\n\r\n");
  });
  await sandbox.control.addEndpoint({ url });
  sandbox.announce(1);
  await sandbox.control.advance("3d");
  const reset = { status: null, error: expect.stringMatching(/ECONNRESET/) };
  expect(await sandbox.log()).toMatchObject([
    { state: "delivered", attempts: [reset, reset, { status: 204, error: null }] },
  ]);
});

test("the sandbox waits ten seconds for a response", async () => {
  const arrived = gate();
  const { sandbox, control } = await startDelivering({
    reply: () => {
      arrived.open();
      return undefined;
    },
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  sandbox.announce(1);
  await arrived.opened;
  const settled = control.settle();
  await vi.advanceTimersByTimeAsync(9_900);
  expect((await sandbox.log())[0]?.attempts).toEqual([]);
  await vi.advanceTimersByTimeAsync(200);
  await settled;
  expect((await sandbox.log())[0]?.attempts).toMatchObject([{ error: "no response within 10 s" }]);
});
