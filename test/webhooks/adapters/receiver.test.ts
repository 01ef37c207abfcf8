import { once } from "node:events";
import { request as httpRequest, type OutgoingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import { make } from "../../../src/fixtures/index.ts";
import {
  createReceiver,
  type DeliveryReport,
  memoryInbox,
  sharedSecret,
} from "../../../src/webhooks/index.ts";
import type { Receive } from "../../../src/webhooks/request.ts";
import { receiverOf } from "./recorder.ts";
import {
  type Running,
  type Serve,
  type Setup,
  serveExpress,
  serveFastify,
  serveHono,
  serveLambda,
  serveNode,
} from "./servers.ts";

const NAME = "transaction.updated";
const updated = JSON.stringify(make(NAME));
const lost = JSON.stringify(make("bankaccount.state_changed"));
const GOOD = {
  "content-type": "application/json",
  "webhook-event-type": NAME,
  "x-secret": "open sesame",
};
const LIMIT_BYTES = 100_000;

const running: Running[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

/** A server with a receiver whose handler waits for `open`; that of lost accounts throws. */
async function service(serve: Serve, setup?: Setup) {
  const reports: DeliveryReport[] = [];
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const handler = vi.fn((_event: unknown) => gate);
  const receiver = createReceiver({
    on: {
      [NAME]: handler,
      "bankaccount.state_changed": () => {
        throw undefined;
      },
    },
    verify: sharedSecret({ header: "x-secret", secret: GOOD["x-secret"] }),
    inbox: memoryInbox(),
    acknowledge: "handled",
    limitBytes: LIMIT_BYTES,
    onDelivery: (report) => reports.push(report),
  });
  const server = await serve(receiver, setup);
  running.push(server);
  return { ...server, handler, open, reports };
}

/** Sends a delivery. Resolves to the status. */
async function send(url: string, body: string | Uint8Array, more: OutgoingHttpHeaders = {}) {
  const sent = httpRequest(url, { method: "POST", headers: { ...GOOD, ...more } });
  sent.end(body);
  const [response] = await once(sent, "response");
  response.resume();
  return response.statusCode as number;
}

const onNode: [string, Serve][] = [
  ["node:http", serveNode],
  ["Express", serveExpress],
  ["Fastify", serveFastify],
];
const overSockets: typeof onNode = [...onNode, ["Hono", serveHono]];
const all: typeof onNode = [...overSockets, ["AWS Lambda", serveLambda]];

describe.each(all)("a receiver behind %s", (_name, serve) => {
  test("handles a delivery and its duplicate once", async () => {
    const { url, handler, open } = await service(serve);
    const first = send(url, updated);
    await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
    const duplicate = send(url, updated);
    open();
    expect(await first).toBe(204);
    expect(await duplicate).toBe(204);
    expect(await send(url, updated)).toBe(204);
    expect(handler).toHaveBeenCalledExactlyOnceWith(
      { name: NAME, body: JSON.parse(updated) },
      expect.anything(),
    );
  });

  const refusals: [string, number, string | Uint8Array, OutgoingHttpHeaders?][] = [
    ["a body that is not JSON", 400, "{"],
    ["nothing", 400, ""],
    ["no event name", 400, updated, { "webhook-event-type": " " }],
    ["two event names", 400, updated, { "webhook-event-type": [NAME, NAME] }],
    ["another secret", 401, updated, { "x-secret": "open barley" }],
    ["too much", 413, " ".repeat(LIMIT_BYTES + 1)],
    ["another content type", 415, updated, { "content-type": "text/plain" }],
    ["a compressed body", 415, gzipSync(updated), { "content-encoding": "gzip" }],
    ["an invalid body", 422, "{}"],
    [
      "a delivery whose handler throws",
      500,
      lost,
      { "webhook-event-type": "bankaccount.state_changed" },
    ],
  ];
  test.each(refusals)("refuses %s with %i", async (_what, status, body, headers) => {
    const { url, errors, handler, reports } = await service(serve);
    expect(await send(url, body, headers)).toBe(status);
    expect(handler).not.toHaveBeenCalled();
    expect(reports).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  test("accepts an unknown event", async () => {
    const { url, reports } = await service(serve);
    expect(await send(url, "1", { "webhook-event-type": "constructor" })).toBe(204);
    expect(reports).toMatchObject([{ event: "constructor", outcome: "ignored" }]);
  });

  test("refuses other methods than POST with 405", async () => {
    const { url } = await service(serve);
    const response = await fetch(url, { headers: GOOD });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  });

  test("passes a body that was read before to the app, unreported", async () => {
    const { url, errors, reports } = await service(serve, { isEaten: true });
    expect(await send(url, updated)).toBe(500);
    expect(errors).toMatchObject([{ code: "body-consumed" }]);
    expect(reports).toEqual([]);
  });
});

test.each(overSockets)("a receiver behind %s reports an incomplete upload", async (_, serve) => {
  const { url, errors, open, reports } = await service(serve);
  open();
  const sent = httpRequest(url, { method: "POST", headers: GOOD });
  sent.on("error", () => {});
  sent.write("{");
  await new Promise((resolve) => setTimeout(resolve, 50));
  sent.destroy();
  const report = { event: null, outcome: "refused", error: { code: "body-incomplete" } };
  await vi.waitFor(() => expect(reports).toMatchObject([report]));
  expect(await send(url, updated)).toBe(204);
  expect(errors).toEqual([]);
});

test.each(overSockets)("%s shows whether the sender is gone", async (_, serve) => {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const gone: (boolean | undefined)[] = [];
  const receive = vi.fn<Receive>(async ({ readBody, isGone }) => {
    await readBody(LIMIT_BYTES);
    gone.push(isGone?.());
    await vi.waitUntil(() => isGone?.());
    resolve();
    return { status: 202, headers: {}, body: "" };
  });
  const server = await serve(receiverOf(receive));
  running.push(server);
  const sent = httpRequest(server.url, { method: "POST", headers: GOOD });
  sent.on("error", () => {}).end(updated);
  await vi.waitFor(() => expect(gone).toEqual([false]));
  sent.destroy();
  await end;
});

test.each(overSockets)("a receiver behind %s stops reading a slow body", async (_, serve) => {
  const { url, errors, reports } = await service(serve, { bodyTimeoutMs: 100 });
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  const head = Object.entries(GOOD).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(
    `POST /webhooks HTTP/1.1\r\nhost: a\r\n${head.join("")}content-length: 1000\r\n\r\n`,
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
