import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { make } from "../../../src/fixtures/index.ts";
import { createReceiver, type DeliveryReport } from "../../../src/webhooks/index.ts";
import { memoryInbox } from "../../../src/webhooks/sqlite/index.ts";
import { LIMIT_BYTES, receiverOf, recorder } from "./recorder.ts";
import {
  type Build,
  buildExpress,
  buildFastify,
  buildHono,
  buildLambda,
  buildNode,
  type Setup,
  start,
} from "./servers.ts";

const NAME = "transaction.updated";
const updated = JSON.stringify(make(NAME));
const JSON_TYPE = { "content-type": "application/json", "webhook-event-type": NAME };
const BINARY_TYPE = { "content-type": "application/octet-stream" };
const utf8 = (text: string) => new TextEncoder().encode(text);

/** The servers, each with the reader that the error `body-consumed` names. */
const all: [string, Build, string][] = [
  ["node:http", buildNode, "something read"],
  ["Express", buildExpress, "a body parser such as express.json() read"],
  ["Fastify", buildFastify, "a hook of the app read"],
  ["Hono", buildHono, "a middleware read"],
  ["AWS Lambda", buildLambda, "a middleware parsed"],
];
const onNode = all.slice(0, 3);
const withApp = all.slice(1, 4);
const overSockets = all.slice(0, 4);

const post = (url: string, body: BodyInit, headers: Record<string, string> = JSON_TYPE) =>
  fetch(url, { method: "POST", headers, body, duplex: "half" } as RequestInit);

/** A server whose receiver has a handler. */
async function service(build: Build, setup?: Setup) {
  const reports: DeliveryReport[] = [];
  const handler = vi.fn();
  const receiver = createReceiver({
    on: { [NAME]: handler },
    inbox: memoryInbox(),
    acknowledge: "handled",
    onDelivery: (report) => reports.push(report),
  });
  return { ...(await start(build, receiver, setup)), handler, reports };
}

/** Sends the head of a delivery. */
function upload(url: string, framing: string): Socket {
  const { hostname, port, pathname } = new URL(url);
  const head = Object.entries(JSON_TYPE).map(([name, value]) => `${name}: ${value}\r\n`);
  // The socket may report a reset when the server closes the connection.
  const socket = connect(Number(port), hostname).on("error", () => {});
  socket.write(`POST ${pathname} HTTP/1.1\r\nhost: a\r\n${head.join("")}${framing}\r\n\r\n`);
  return socket;
}

/** Reads until the server closes the connection. */
async function responseOf(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("latin1").on("data", (data: string) => {
    text += data;
  });
  await new Promise((resolve) => socket.once("close", resolve));
  return text;
}

describe.each(all)("%s", (_name, build, culprit) => {
  test.each([
    ["bytes that are not UTF-8", Uint8Array.from({ length: 256 }, (_, byte) => byte), BINARY_TYPE],
    ["UTF-8 of several bytes, with a byte order mark", utf8('\uFEFF{"é": "日本 🎉"}'), JSON_TYPE],
    ["JSON with spaces and digits that parsing would lose", utf8('{ "n" : 1.00 }\n'), JSON_TYPE],
    ["a body of the maximum size", new Uint8Array(LIMIT_BYTES).fill(0x61), JSON_TYPE],
    ["zero bytes", new Uint8Array(), JSON_TYPE],
  ])("passes %s unchanged", async (_what, body, headers) => {
    const { receiver, seen } = recorder();
    const { url } = await start(build, receiver);
    expect((await post(url, body, headers)).status).toBe(202);
    expect(seen.map(({ bytes }) => Buffer.compare(bytes, body))).toEqual([0]);
  });

  test.each([
    [422, { "content-type": "application/problem+json", "x-more": "1" }, '{"title":"é"}'],
    [204, {}, ""],
  ])("responds with the %i of the receiver", async (status, headers, body) => {
    const { url } = await start(build, recorder({ status, headers, body }).receiver);
    const response = await post(url, "{}");
    expect([response.status, await response.text()]).toEqual([status, body]);
    expect(Object.fromEntries(response.headers)).toMatchObject(headers);
  });

  test("passes method, URL and headers, null for a missing header", async () => {
    const { receiver, seen } = recorder();
    const { url } = await start(build, receiver);
    const headers = { "Webhook-Event-Type": NAME, "x-secret": ["one", "two"] };
    const methods = ["POST", "PUT", "PATCH", "DELETE", "GET"];
    for (const method of methods) {
      const sent = httpRequest(`${url}?source=a`, { method, headers }).end();
      const [response] = await once(sent, "response");
      response.resume();
    }
    expect(seen.map(({ method, bytes }) => [method, bytes.length])).toEqual(
      methods.map((method) => [method, 0]),
    );
    for (const { url: address, header } of seen) {
      expect(address).toMatch(/\/webhooks\?source=a$/);
      expect(header("webhook-event-type")).toBe(NAME);
      expect(header("WEBHOOK-EVENT-TYPE")).toBe(NAME);
      expect(header("x-secret")).toMatch(/^one, ?two$/);
      expect([header("x-absent"), header("constructor")]).toEqual([null, null]);
    }
  });

  test("responds with 413 to a content-length and to chunks over the limit", async () => {
    const { receiver, seen } = recorder();
    const { url } = await start(build, receiver);
    const tooLong = new Blob([new Uint8Array(LIMIT_BYTES + 1)]);
    for (const body of [tooLong, tooLong.stream()]) {
      const response = await post(url, body, BINARY_TYPE);
      expect([response.status, await response.text()]).toEqual([413, "too large"]);
    }
    expect(seen).toEqual([]);
  });

  test("keeps 20 concurrent deliveries apart", async () => {
    const echo = receiverOf(async ({ readBody }) => {
      const body = new TextDecoder().decode((await readBody(LIMIT_BYTES)) as Uint8Array);
      await delay(5);
      return { status: 200, headers: {}, body };
    });
    const { url } = await start(build, echo);
    const bodies = Array.from({ length: 20 }, (_, index) => `{"n":${index * 7919}}`);
    const echoed = bodies.map(async (body) => (await post(url, body)).text());
    expect(await Promise.all(echoed)).toEqual(bodies);
  });

  test("passes body-consumed to the app, unreported, and sends a 500", async () => {
    const { url, errors, reports } = await service(build, { isEaten: true });
    expect((await post(url, "{}")).status).toBe(500);
    const message = expect.stringContaining(`${culprit} the body before the receiver: `);
    expect(errors).toMatchObject([{ name: "TxfeedError", code: "body-consumed", message }]);
    expect(reports).toEqual([]);
  });

  test("passes errors of the receiver to the app and continues", async () => {
    const failure = new Error("out of order");
    const receive = vi.fn(async () => ({ status: 202, headers: {}, body: "" }));
    receive.mockRejectedValueOnce(failure);
    const { url, errors } = await start(build, receiverOf(receive));
    expect((await fetch(url, { method: "POST" })).status).toBe(500);
    expect((await fetch(url, { method: "POST" })).status).toBe(202);
    expect(errors).toEqual([failure]);
  });

  test("has a delivery handled", async () => {
    const { url, handler } = await service(build);
    expect((await post(url, updated)).status).toBe(204);
    const event = { name: NAME, body: JSON.parse(updated) };
    expect(handler).toHaveBeenCalledExactlyOnceWith(event, expect.anything());
  });
});

describe.each(overSockets)("%s", (_name, build) => {
  const incomplete = { event: null, outcome: "refused", error: { code: "body-incomplete" } };

  test("reports an incomplete upload", async () => {
    const { url, errors, reports } = await service(build);
    const socket = upload(url, "content-length: 99");
    await delay(50);
    socket.destroy();
    await vi.waitFor(() => expect(reports).toMatchObject([incomplete]));
    expect((await post(url, updated)).status).toBe(204);
    expect(errors).toEqual([]);
  });

  test("stops reading a slow body", async () => {
    const { url, errors, reports } = await service(build, { bodyTimeoutMs: 100 });
    const socket = upload(url, "content-length: 99");
    const trickle = setInterval(() => socket.write("x"), 20);
    const response = await responseOf(socket);
    clearInterval(trickle);
    expect(response).toMatch(/^HTTP\/1\.1 408 /);
    // Hono's server closes the connection without the header.
    if (build !== buildHono) expect(response).toMatch(/^connection: close\r$/im);
    expect(reports).toMatchObject([incomplete]);
    expect(errors).toEqual([]);
  });

  test("shows whether the sender is gone", async () => {
    let isGone: (() => boolean) | undefined;
    const receiver = receiverOf(async (incoming) => {
      await incoming.readBody(LIMIT_BYTES);
      isGone = incoming.isGone;
      await vi.waitUntil(() => isGone?.());
      return { status: 202, headers: {}, body: "" };
    });
    const { url } = await start(build, receiver);
    const socket = upload(url, "content-length: 0");
    await vi.waitFor(() => expect(isGone?.()).toBe(false));
    socket.destroy();
    await vi.waitFor(() => expect(isGone?.()).toBe(true));
  });
});

describe.each(onNode)("%s, of a body over the limit,", (_name, build) => {
  const CHUNK = Buffer.from(`186a0\r\n${"a".repeat(100_000)}\r\n`);

  test("reads no more than 4 MB, and closes the connection", async () => {
    const sockets: Socket[] = [];
    const observe = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
    subscribe("http.server.request.start", observe);
    onTestFinished(() => void unsubscribe("http.server.request.start", observe));
    const { url } = await start(build, recorder().receiver);
    const framings = ["content-length: 1000000000000", "transfer-encoding: chunked"];
    const uploads = framings.map(async (framing) => {
      const socket = upload(url, framing);
      const response = responseOf(socket);
      const endless = function* () {
        for (;;) yield CHUNK;
      };
      await pipeline(endless, socket).catch(() => {});
      expect(await response).toMatch(/^HTTP\/1\.1 413 .*^connection: close\r$.*too large$/ims);
    });
    await Promise.all(uploads);
    expect(sockets).toHaveLength(framings.length);
    for (const { bytesRead } of sockets) expect(bytesRead).toBeLessThan(4_000_000);
    expect((await post(url, "{}")).headers.get("connection")).toBe("keep-alive");
  });

  test.each([
    ["content-length: 2000000", Buffer.alloc(2_000_000, "a")],
    ["transfer-encoding: chunked", Buffer.concat(Array(20).fill(CHUNK))],
  ])("responds to a sender with %s that reads only after sending", async (framing, body) => {
    const { url } = await start(build, recorder().receiver);
    const socket = upload(url, framing);
    await new Promise((resolve) => socket.write(body, resolve));
    expect(await responseOf(socket)).toMatch(/^HTTP\/1\.1 413 .*too large$/s);
  });
});

test.each(withApp)("%s parses the bodies of the app's other routes", async (_name, build) => {
  const { url } = await start(build, recorder().receiver);
  expect((await post(url, '{"n": 1}')).status).toBe(202);
  const response = await post(new URL("/app", url).href, '{"n": 1}');
  expect(await response.json()).toEqual({ came: { n: 1 } });
});
