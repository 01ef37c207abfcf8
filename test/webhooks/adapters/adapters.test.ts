import { once } from "node:events";
import { request as httpRequest, type OutgoingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { make } from "../../../src/fixtures/index.ts";
import { createReceiver, type DeliveryReport } from "../../../src/webhooks/index.ts";
import type { Receiver } from "../../../src/webhooks/request.ts";
import { memoryInbox } from "../../../src/webhooks/sqlite/index.ts";
import { LIMIT_BYTES, receiverOf, recorder } from "./recorder.ts";
import {
  type Serve,
  type Setup,
  serveExpress,
  serveFastify,
  serveHono,
  serveLambda,
  serveNode,
} from "./servers.ts";

const JSON_TYPE = { "content-type": "application/json" };
const BINARY_TYPE = { "content-type": "application/octet-stream" };
const utf8 = (text: string) => new TextEncoder().encode(text);

/** The servers, each with the reader that the error `body-consumed` names. */
const all: [string, Serve, string][] = [
  ["node:http", serveNode, "something read"],
  ["Express", serveExpress, "a body parser such as express.json() read"],
  ["Fastify", serveFastify, "a hook of the app read"],
  ["Hono", serveHono, "a middleware read"],
  ["AWS Lambda", serveLambda, "a middleware parsed"],
];
const onNode = all.slice(0, 3);
const withApp = all.slice(1, 4);
const overSockets = all.slice(0, 4);

async function start(serve: Serve, receiver: Receiver, setup?: Setup) {
  const server = await serve(receiver, setup);
  onTestFinished(server.close);
  return server;
}

const post = (url: string, body: string | Uint8Array<ArrayBuffer>, headers: object = JSON_TYPE) =>
  fetch(url, { method: "POST", headers: { ...headers }, body });

/** Sends chunks without content-length, which are together over the limit. */
function postChunks(url: string): Promise<Response> {
  const body = new Blob([new Uint8Array(1_500_000)]).stream();
  return fetch(url, { method: "POST", headers: BINARY_TYPE, body, duplex: "half" } as RequestInit);
}

describe.each(all)("%s", (_name, serve, culprit) => {
  test.each([
    ["bytes that are not UTF-8", Uint8Array.from({ length: 256 }, (_, byte) => byte), BINARY_TYPE],
    ["UTF-8 of several bytes, with a byte order mark", utf8('\uFEFF{"é": "日本 🎉"}'), JSON_TYPE],
    ["JSON with spaces and digits that parsing would lose", utf8('{ "n" : 1.00 }\n'), JSON_TYPE],
    ["more than one chunk", new Uint8Array(300_000).fill(0x61), JSON_TYPE],
    ["a body of the maximum size", new Uint8Array(LIMIT_BYTES).fill(0x61), JSON_TYPE],
    ["zero bytes", new Uint8Array(), JSON_TYPE],
  ])("passes %s unchanged", async (_what, body, headers) => {
    const { receiver, seen } = recorder();
    const { url } = await start(serve, receiver);
    expect((await post(url, body, headers)).status).toBe(202);
    expect(seen.map(({ bytes }) => Buffer.compare(bytes, body))).toEqual([0]);
  });

  test.each([
    [422, { "content-type": "application/problem+json", "x-more": "1" }, '{"title":"é"}'],
    [204, {}, ""],
  ])("responds with the %i of the receiver", async (status, headers, body) => {
    const { url } = await start(serve, recorder({ status, headers, body }).receiver);
    const response = await post(url, "{}");
    expect([response.status, await response.text()]).toEqual([status, body]);
    expect(Object.fromEntries(response.headers)).toMatchObject(headers);
  });

  test("passes method, URL and headers, null for a missing header", async () => {
    const { receiver, seen } = recorder();
    const { url } = await start(serve, receiver);
    const headers = { "Webhook-Event-Type": "transaction.updated", "x-secret": ["one", "two"] };
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
      expect(header("webhook-event-type")).toBe("transaction.updated");
      expect(header("WEBHOOK-EVENT-TYPE")).toBe("transaction.updated");
      expect(header("x-secret")).toMatch(/^one, ?two$/);
      expect([header("x-absent"), header("constructor")]).toEqual([null, null]);
    }
  });

  test("responds with 413 to a content-length and to chunks over the limit", async () => {
    const { receiver, seen } = recorder();
    const { url } = await start(serve, receiver);
    for (const response of [
      await post(url, new Uint8Array(LIMIT_BYTES + 1), BINARY_TYPE),
      await postChunks(url),
    ]) {
      expect([response.status, await response.text()]).toEqual([413, "too large"]);
    }
    expect(seen).toEqual([]);
  });

  test("keeps 20 concurrent deliveries apart", async () => {
    const echo = receiverOf(async ({ readBody }) => {
      const body = new TextDecoder().decode((await readBody(LIMIT_BYTES)) as Uint8Array);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { status: 200, headers: {}, body };
    });
    const { url } = await start(serve, echo);
    const bodies = Array.from({ length: 20 }, (_, index) => `{"n":${index * 7919}}`);
    const echoed = bodies.map(async (body) => (await post(url, body)).text());
    expect(await Promise.all(echoed)).toEqual(bodies);
  });

  test("passes body-consumed to the app, unreported, and sends a 500", async () => {
    const { url, errors, reports } = await service(serve, { isEaten: true });
    expect((await post(url, "{}")).status).toBe(500);
    const message = expect.stringContaining(`${culprit} the body before the receiver: `);
    expect(errors).toMatchObject([{ name: "TxfeedError", code: "body-consumed", message }]);
    expect(reports).toEqual([]);
  });

  test("passes errors of the receiver to the app and continues", async () => {
    const failure = new Error("out of order");
    const receive = vi.fn(async () => ({ status: 202, headers: {}, body: "" }));
    receive.mockRejectedValueOnce(failure);
    const { url, errors } = await start(serve, receiverOf(receive));
    expect((await fetch(url, { method: "POST" })).status).toBe(500);
    expect((await fetch(url, { method: "POST" })).status).toBe(202);
    expect(errors).toEqual([failure]);
  });

  test("handles a delivery and its duplicate once", async () => {
    const { url, handler, open } = await service(serve);
    const first = send(url, updated);
    await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
    const duplicate = send(url, updated);
    open();
    expect([await first, await duplicate, await send(url, updated)]).toEqual([204, 204, 204]);
    const event = { name: NAME, body: JSON.parse(updated) };
    expect(handler).toHaveBeenCalledExactlyOnceWith(event, expect.anything());
  });

  test.each<[string, number, string | Buffer, OutgoingHttpHeaders]>([
    ["two event names", 400, updated, { "webhook-event-type": [NAME, NAME] }],
    ["a compressed body", 415, gzipSync(updated), { "content-encoding": "gzip" }],
    ["an invalid body", 422, "{}", {}],
    ["a lost account", 500, lost, { "webhook-event-type": "bankaccount.state_changed" }],
  ])("refuses %s with %i", async (_what, status, body, headers) => {
    const { url, errors, handler, reports } = await service(serve);
    expect(await send(url, body, headers)).toBe(status);
    expect([handler.mock.calls, reports.length, errors]).toEqual([[], 1, []]);
  });
});

const NAME = "transaction.updated";
const updated = JSON.stringify(make(NAME));
const lost = JSON.stringify(make("bankaccount.state_changed"));
const GOOD = { ...JSON_TYPE, "webhook-event-type": NAME };

/** A server with a receiver whose handler waits for `open`; that of lost accounts throws. */
async function service(serve: Serve, setup?: Setup) {
  const reports: DeliveryReport[] = [];
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const handler = vi.fn((_event: unknown) => gate);
  const receiver = createReceiver({
    on: { [NAME]: handler, "bankaccount.state_changed": () => Promise.reject() },
    inbox: memoryInbox(),
    acknowledge: "handled",
    onDelivery: (report) => reports.push(report),
  });
  return { ...(await start(serve, receiver, setup)), handler, open, reports };
}

/** Sends a delivery. Resolves to the status. */
async function send(url: string, body: string | Uint8Array, more: OutgoingHttpHeaders = {}) {
  const sent = httpRequest(url, { method: "POST", headers: { ...GOOD, ...more } });
  sent.end(body);
  const [response] = await once(sent, "response");
  response.resume();
  return response.statusCode as number;
}

describe.each(overSockets)("%s", (_name, serve) => {
  test("reports an incomplete upload", async () => {
    const { url, errors, open, reports } = await service(serve);
    open();
    const sent = httpRequest(url, { method: "POST", headers: GOOD });
    sent.on("error", () => {}).write("{");
    await new Promise((resolve) => setTimeout(resolve, 50));
    sent.destroy();
    const report = { event: null, outcome: "refused", error: { code: "body-incomplete" } };
    await vi.waitFor(() => expect(reports).toMatchObject([report]));
    expect(await send(url, updated)).toBe(204);
    expect(errors).toEqual([]);
  });

  test("shows whether the sender is gone", async () => {
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const gone: (boolean | undefined)[] = [];
    const receiver = receiverOf(async ({ readBody, isGone }) => {
      await readBody(LIMIT_BYTES);
      gone.push(isGone?.());
      await vi.waitUntil(() => isGone?.());
      resolve();
      return { status: 202, headers: {}, body: "" };
    });
    const { url } = await start(serve, receiver);
    const sent = httpRequest(url, { method: "POST" });
    sent.on("error", () => {}).end("{}");
    await vi.waitFor(() => expect(gone).toEqual([false]));
    sent.destroy();
    await end;
  });

  test("stops reading a slow body", async () => {
    const { url, errors, reports } = await service(serve, { bodyTimeoutMs: 100 });
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname).on("error", () => {});
    const head = Object.entries(GOOD).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `POST /webhooks HTTP/1.1\r\nhost: a\r\n${head.join("")}content-length: 99\r\n\r\n`,
    );
    const trickle = setInterval(() => socket.write("x"), 20);
    let text = "";
    socket.setEncoding("latin1").on("data", (data: string) => {
      text += data;
    });
    await once(socket, "close");
    clearInterval(trickle);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    // Hono's server closes the connection without a response.
    if (serve !== serveHono) expect(text).toMatch(/^connection: close\r$/im);
    expect(reports).toMatchObject([{ outcome: "refused", error: { code: "body-incomplete" } }]);
    expect(errors).toEqual([]);
  });
});

test.each(withApp)("%s parses the bodies of the app's other routes", async (_name, serve) => {
  const { origin, url } = await start(serve, recorder().receiver);
  expect((await post(url, '{"n": 1}')).status).toBe(202);
  const response = await post(`${origin}/app`, '{"n": 1}');
  expect(await response.json()).toEqual({ came: { n: 1 } });
});

test.each(onNode)("%s closes only connections that were refused in mid-body", async (_, serve) => {
  const { url } = await start(serve, recorder().receiver);
  expect((await postChunks(url)).headers.get("connection")).toBe("close");
  expect((await post(url, "{}")).headers.get("connection")).toBe("keep-alive");
});
