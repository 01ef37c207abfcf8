import { once } from "node:events";
import { Agent, request as send } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Delivery } from "../../../conformance/deliveries/delivery.ts";
import { type Receiver, startReceiver } from "../../../conformance/deliveries/receiver.ts";

let receiver: Receiver;
let received: Delivery[];
let wake: () => void;

beforeEach(async () => {
  received = [];
  wake = () => {};
  let nr = 0;
  receiver = await startReceiver({
    host: "127.0.0.1",
    port: 0,
    nextNr: () => {
      nr += 1;
      return nr;
    },
    drop: (text) => text.replaceAll("canary", "(secret)"),
    onDelivery: (delivery) => {
      received.push(delivery);
      wake();
    },
  });
});

afterEach(() => receiver.stop());

async function until(count: number): Promise<void> {
  while (received.length < count) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(`${receiver.url}/hook?x=1`, { method: "POST", body, headers });

test("a delivery is recorded as it came, and answered 200", async () => {
  const headers = { "webhook-event-type": "transaction.created", "x-other": "told to nobody" };
  const response = await post('{"id": 1}', headers);
  expect(response.status).toBe(200);
  expect(received).toEqual([
    expect.objectContaining({
      nr: 1,
      name: "transaction.created",
      json: { id: 1 },
      request: expect.objectContaining({ method: "POST", path: "/hook?x=1", body: '{"id": 1}' }),
    }),
  ]);
  expect(received[0]?.request.headers["x-other"]).toBe("(dropped)");
});

test("secrets are dropped from bodies, addresses and headers", async () => {
  await fetch(`${receiver.url}/canary`, {
    method: "POST",
    body: '{"a": "canary"}',
    headers: { "webhook-event-type": "canary", authorization: "canary" },
  });
  expect(JSON.stringify(received)).not.toContain("canary");
});

test.each(["", "oops", "<html>", "[1", '"text"', "null", "3"])(
  "%j is recorded with its raw text",
  async (body) => {
    await post(body);
    expect(received[0]?.request.body).toBe(body);
    expect(received[0]?.cut).toBeUndefined();
  },
);

test.each(["GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])(
  "%s is recorded",
  async (method) => {
    const { status } = await fetch(receiver.url, { method });
    expect(status).toBe(200);
    expect(received[0]?.request.method).toBe(method);
  },
);

test("of a huge body the beginning is kept, and it is answered all the same", async () => {
  const response = await post(`{"a": "${"x".repeat(6_000_000)}"}`);
  expect(response.status).toBe(200);
  expect(received[0]?.cut).toBe("a body of 6000009 bytes");
  expect(received[0]?.request.body).toHaveLength(10_000);
  expect(received[0]?.json).toBeUndefined();
});

test("a body that breaks off is recorded as far as it came", async () => {
  const { port } = new URL(receiver.url);
  const socket = connect(Number(port), "127.0.0.1");
  await once(socket, "connect");
  socket.write(
    "POST / HTTP/1.1\r\nhost: x\r\nwebhook-event-type: a\r\ncontent-length: 99\r\n\r\n{",
  );
  await sleep(20);
  socket.destroy();
  await until(1);
  expect(received[0]).toMatchObject({ cut: "a body that broke off after 1 bytes", name: "a" });
  expect(received[0]?.request.body).toBe("{");
});

test("a body that comes in pieces is put together", async () => {
  const sending = send(receiver.url, { method: "POST" });
  sending.write('{"a":');
  await sleep(20);
  sending.end(" 1}");
  const [response] = await once(sending, "response");
  expect(response.statusCode).toBe(200);
  response.resume();
  expect(received[0]?.json).toEqual({ a: 1 });
});

test("hundreds at once, on connections that are kept, are all recorded, each once", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const one = (at: number) =>
    new Promise<void>((resolve, reject) => {
      const sending = send(receiver.url, { method: "POST", agent }, (response) => {
        response.resume();
        response.on("end", resolve);
      });
      sending.on("error", reject);
      sending.end(JSON.stringify({ at }));
    });
  await Promise.all(Array.from({ length: 400 }, (_, at) => one(at)));
  agent.destroy();
  const bodies = new Set(received.map(({ request }) => request.body));
  expect([received.length, bodies.size]).toEqual([400, 400]);
  expect(new Set(received.map(({ nr }) => nr)).size).toBe(400);
});

test("who sends one by one shows an order, who sends at once shows none", async () => {
  await post("1");
  await post("2");
  const [one, two] = received as [Delivery, Delivery];
  expect(one.answeredAt <= two.receivedAt).toBe(true);
  received = [];
  await Promise.all([post("1"), post("2")]);
  const [three, four] = received as [Delivery, Delivery];
  expect(three.answeredAt <= four.receivedAt).toBe(false);
});

test("nothing is recorded after the end", async () => {
  const sending = send(receiver.url, { method: "POST" });
  sending.on("error", () => {});
  sending.write("{");
  await sleep(20);
  await receiver.stop();
  await sleep(20);
  expect(received).toEqual([]);
});
