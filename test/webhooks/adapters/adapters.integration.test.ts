import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import type { Receiver } from "../../../src/webhooks/request.ts";
import { LIMIT_BYTES, receiverOf, recorder, summing, sumOf } from "./recorder.ts";
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

const JSON_TYPE = { "content-type": "application/json" };
const BINARY_TYPE = { "content-type": "application/octet-stream" };
const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, byte) => byte);

const running: Running[] = [];
const start = async (serve: Serve, receiver: Receiver, setup?: Setup) => {
  const server = await serve(receiver, setup);
  running.push(server);
  return server;
};
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

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

describe.each(all)("%s", (_name, serve, culprit) => {
  test.each([
    ["bytes that are not UTF-8", EVERY_BYTE, BINARY_TYPE],
    ["UTF-8 of several bytes, with a byte order mark", utf8('\uFEFF{"é": "日本 🎉"}'), JSON_TYPE],
    ["JSON with spaces and digits that parsing would lose", utf8('{ "n" : 1.00 }\n'), JSON_TYPE],
    ["more than one chunk", new Uint8Array(300_000).fill(0x61), JSON_TYPE],
    ["a body of the maximum size", new Uint8Array(LIMIT_BYTES).fill(0x61), JSON_TYPE],
  ])("passes %s unchanged", async (_what, body, headers) => {
    const { receiver, seen } = recorder();
    const { url } = await start(serve, receiver);
    const response = await fetch(url, { method: "POST", headers, body: Uint8Array.from(body) });
    expect(response.status).toBe(202);
    expect(seen).toHaveLength(1);
    expect(Buffer.compare(seen[0]?.bytes ?? new Uint8Array(), body)).toBe(0);
  });

  test("passes zero bytes for an empty and a missing body", async () => {
    const { receiver, seen } = recorder();
    const { url } = await start(serve, receiver);
    await fetch(url, { method: "POST", headers: JSON_TYPE, body: "" });
    await fetch(url, { method: "POST" });
    await fetch(url);
    expect(seen.map(({ bytes }) => bytes.length)).toEqual([0, 0, 0]);
  });

  test("responds with the status, headers and body of the receiver", async () => {
    const headers = { "content-type": "application/problem+json", "x-more": "1" };
    const { receiver } = recorder({ status: 422, headers, body: '{"title":"é"}' });
    const { url } = await start(serve, receiver);
    const response = await fetch(url, { method: "POST", headers: JSON_TYPE, body: "{}" });
    expect(response.status).toBe(422);
    expect(Object.fromEntries(response.headers)).toMatchObject(headers);
    expect(await response.text()).toBe('{"title":"é"}');
  });

  test("sends a 204 without a body", async () => {
    const { receiver } = recorder({ status: 204, headers: {}, body: "" });
    const { url } = await start(serve, receiver);
    const response = await fetch(url, { method: "POST", headers: JSON_TYPE, body: "{}" });
    expect([response.status, await response.text()]).toEqual([204, ""]);
  });

  test("passes method, URL and headers, null for a missing header", async () => {
    const { receiver, seen } = recorder();
    const { url } = await start(serve, receiver);
    const headers = { ...JSON_TYPE, "Webhook-Event-Type": "transaction.updated" };
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      await fetch(`${url}?source=a`, { method, headers, body: "{}" });
    }
    await fetch(`${url}?source=a`, { headers });
    expect(seen.map(({ method }) => method)).toEqual(["POST", "PUT", "PATCH", "DELETE", "GET"]);
    for (const { url: address, header } of seen) {
      expect(address).toMatch(/\/webhooks\?source=a$/);
      expect(header("webhook-event-type")).toBe("transaction.updated");
      expect(header("WEBHOOK-EVENT-TYPE")).toBe("transaction.updated");
      expect(header("x-absent")).toBeNull();
      expect(header("constructor")).toBeNull();
    }
  });

  test("joins repeated headers", async () => {
    const { receiver, seen } = recorder();
    const { url } = await start(serve, receiver);
    const sent = httpRequest(url, { method: "POST", headers: { "x-secret": ["one", "two"] } });
    sent.end();
    const [response] = await once(sent, "response");
    response.resume();
    expect(seen[0]?.header("x-secret")).toMatch(/^one, ?two$/);
  });

  test("responds with 413 to a content-length over the limit", async () => {
    const { receiver, seen } = recorder();
    const { url } = await start(serve, receiver);
    const body = new Uint8Array(LIMIT_BYTES + 1);
    const response = await fetch(url, { method: "POST", headers: BINARY_TYPE, body });
    expect([response.status, await response.text()]).toEqual([413, "too large"]);
    expect(seen).toEqual([]);
  });

  test("responds with 413 to chunks over the limit", async () => {
    const { receiver, seen } = recorder();
    const { url } = await start(serve, receiver);
    const response = await fetch(url, streamed(5, 300_000));
    expect([response.status, await response.text()]).toEqual([413, "too large"]);
    expect(seen).toEqual([]);
  });

  test("keeps 20 concurrent deliveries apart", async () => {
    const { url } = await start(serve, summing());
    const bodies = Array.from({ length: 20 }, (_, index) => utf8(`{"n":${index * 7919}}`));
    const sums = bodies.map(async (body) => {
      const response = await fetch(url, { method: "POST", headers: JSON_TYPE, body });
      return response.text();
    });
    expect(await Promise.all(sums)).toEqual(bodies.map(sumOf));
  });

  test("passes body-consumed to the app and sends a 500", async () => {
    const { receiver, seen } = recorder();
    const { url, errors } = await start(serve, receiver, { isEaten: true });
    const response = await fetch(url, { method: "POST", headers: JSON_TYPE, body: "{}" });
    expect(response.status).toBe(500);
    expect(seen).toEqual([]);
    expect(errors).toEqual([
      expect.objectContaining({
        name: "TxfeedError",
        code: "body-consumed",
        message: expect.stringContaining(`${culprit} the body before the receiver: `),
      }),
    ]);
  });

  test("passes errors of the receiver to the app and continues", async () => {
    const failure = new Error("out of order");
    let isBroken = true;
    const receiver = receiverOf(async () => {
      if (isBroken) throw failure;
      return { status: 202, headers: {}, body: "" };
    });
    const { url, errors } = await start(serve, receiver);
    expect((await fetch(url, { method: "POST" })).status).toBe(500);
    isBroken = false;
    expect((await fetch(url, { method: "POST" })).status).toBe(202);
    expect(errors).toEqual([failure]);
  });
});

describe.each(withApp)("%s", (_name, serve) => {
  test("does not change body parsing of the app's other routes", async () => {
    const { origin, url } = await start(serve, recorder().receiver);
    const post = { method: "POST", headers: JSON_TYPE, body: '{"n": 1}' };
    expect((await fetch(url, post)).status).toBe(202);
    const response = await fetch(`${origin}/app`, post);
    expect(await response.json()).toEqual({ came: { n: 1 } });
  });
});

describe.each(onNode)("%s", (_name, serve) => {
  test("closes only connections that were refused in mid-body", async () => {
    const { url } = await start(serve, recorder().receiver);
    const refused = await fetch(url, streamed(5, 300_000));
    expect(refused.headers.get("connection")).toBe("close");
    const taken = await fetch(url, { method: "POST", headers: JSON_TYPE, body: "{}" });
    expect(taken.headers.get("connection")).toBe("keep-alive");
  });
});

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** A chunked POST without content-length. */
function streamed(count: number, bytes: number): RequestInit {
  const body = new ReadableStream({
    start(controller) {
      for (let sent = 0; sent < count; sent++) controller.enqueue(new Uint8Array(bytes));
      controller.close();
    },
  });
  return { method: "POST", headers: BINARY_TYPE, body, duplex: "half" } as RequestInit;
}
