import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Poster } from "../../../src/sandbox/delivery/post.ts";
import { freePort, serve } from "../../support/local-server.ts";
import { startSandbox } from "../test-sandbox.ts";
import { gate, startDelivering, startReceiver } from "./receiver.ts";

/** A server that runs a test's function on a connection after the request head. */
async function startRaw(respond: (socket: Socket, nth: number) => void): Promise<string> {
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

describe("an attempt ends with an error", () => {
  const rawCases: Record<string, [(socket: Socket) => void, RegExp]> = {
    "when the connection is reset": [(socket) => void socket.resetAndDestroy(), /ECONNRESET/],
    "when the connection is closed": [(socket) => void socket.end(), /hang up|ECONNRESET/],
    "when the response is not HTTP": [(socket) => void socket.end("hello\r\n\r\n"), /Parse|HTTP/],
    "when the response head never ends": [
      (socket) => void socket.write(`${HEAD}x-filler: ${"x".repeat(100_000)}`),
      /Header/i,
    ],
    "when the protocol is switched": [
      (socket) => void socket.write("HTTP/1.1 101 Go\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"),
      /closed|hang up/,
    ],
  };
  test.each(Object.entries(rawCases))("%s", async (_, [respond, reason]) => {
    const { status, error } = await attempt(await startRaw(respond));
    expect(status).toBeNull();
    expect(error).toMatch(reason);
  });

  test("when no response arrives in time", async () => {
    const url = await startRaw(() => undefined);
    const { status, error, durationMs } = await attempt(url, { timeoutMs: 60 });
    expect({ status, error }).toEqual({ status: null, error: "no response within 0.06 s" });
    expect(durationMs).toBeGreaterThanOrEqual(55);
  });

  test("when a response head arrives byte by byte and not in time", async () => {
    const url = await startRaw((socket) => {
      let at = 0;
      const timer = setInterval(() => socket.write(HEAD[at++ % HEAD.length] ?? ""), 5);
      socket.on("close", () => clearInterval(timer));
    });
    const { status, error } = await attempt(url, { timeoutMs: 60 });
    expect(status).toBeNull();
    expect(error).toMatch(/no response within|Parse/);
  });

  test("when the connection is refused", async () => {
    const port = await freePort();
    const { status, error } = await attempt(`http://127.0.0.1:${port}/`);
    expect(status).toBeNull();
    expect(error).toMatch(/ECONNREFUSED/);
    expect((await attempt(`http://localhost:${port}/`)).error).toMatch(/ECONNREFUSED/);
  });

  test("when a TLS client meets a server without TLS", async () => {
    const url = (await startRaw(() => undefined)).replace("http:", "https:");
    const plain = await startReceiver();
    for (const target of [plain.url.replace("http:", "https:"), url]) {
      const { status, error } = await attempt(target, { timeoutMs: 300 });
      expect(status).toBeNull();
      expect(error).not.toBe("");
    }
  });

  test("when a TLS client meets a server without a certificate", async () => {
    const server = createTlsServer({}).listen(0, "127.0.0.1");
    server.on("tlsClientError", () => undefined);
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { status, error } = await attempt(`https://127.0.0.1:${port}/`);
    expect(status).toBeNull();
    expect(error).toMatch(/handshake|alert/i);
  });
});

describe("a response's status counts regardless of its body", () => {
  const rawCases: Record<string, (socket: Socket) => void> = {
    "when it is incomplete": (socket) => {
      socket.write(`${HEAD}content-length: 100\r\n\r\nhalf`, () => socket.resetAndDestroy());
    },
    "when it is garbled": (socket) => {
      socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\nzzz\r\n`);
    },
    "when it never ends": (socket) => {
      socket.write(`${HEAD}content-length: 100\r\n\r\nhalf`);
    },
    "when it is huge": (socket) => {
      socket.write(`${HEAD}content-length: 1000000000\r\n\r\n`);
      const pour = () => {
        if (socket.destroyed) return;
        socket.write("x".repeat(65_536), () => setImmediate(pour));
      };
      pour();
    },
  };
  test.each(Object.entries(rawCases))("%s", async (_, respond) => {
    const timeoutMs = 300;
    const { status, error } = await attempt(await startRaw(respond), { timeoutMs });
    expect({ status, error }).toEqual({ status: 200, error: null });
  });

  test("when the response arrives before the request is complete", async () => {
    const url = await startRaw((socket) => {
      socket.end("HTTP/1.1 413 No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    });
    expect(await attempt(url)).toMatchObject({ status: 413, error: null });
  });
});

test("reading a huge response stops at the limit", async () => {
  let poured = 0;
  const closed = gate();
  const url = await startRaw((socket) => {
    socket.on("close", () => closed.open());
    socket.write(`${HEAD}content-length: 1000000000\r\n\r\n`);
    const pour = () => {
      if (socket.destroyed) return;
      poured += 65_536;
      socket.write("x".repeat(65_536), () => setImmediate(pour));
    };
    pour();
  });
  await attempt(url);
  await closed.opened;
  expect(poured).toBeLessThan(50_000_000);
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
  const [delivery] = await sandbox.log();
  expect(delivery?.state).toBe("delivered");
  expect(delivery?.attempts).toMatchObject([
    { status: null, error: expect.stringMatching(/ECONNRESET/) },
    { status: null, error: expect.stringMatching(/ECONNRESET/) },
    { status: 204, error: null },
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
