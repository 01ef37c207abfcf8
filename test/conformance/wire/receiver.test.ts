import { once } from "node:events";
import { Agent, request as send } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Delivery } from "../../../conformance/wire/exchange.ts";
import { type Receiver, startReceiver } from "../../../conformance/wire/receiver.ts";

const PATH = "/a-path-that-is-hard-to-guess";

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
    path: PATH,
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

test("a delivery is recorded unchanged and gets a 200", async () => {
  const headers = { "webhook-event-type": "transaction.created", "x-other": "not recorded" };
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

test("secrets are removed from bodies, URLs and headers", async () => {
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

test("a request at another path is counted and gets a 404", async () => {
  const { origin } = new URL(receiver.url);
  const others = ["/", "", "/hook", PATH.slice(0, -1), `${PATH}x`, `/x${PATH}`, `/?a=${PATH}`];
  for (const path of others) {
    const { status } = await fetch(origin + path, { method: "POST", body: "x".repeat(100_000) });
    expect([path, status]).toEqual([path, 404]);
  }
  const expecting = send(origin, { method: "POST", headers: { expect: "100-continue" } });
  const [response] = await once(
    expecting.on("continue", () => expecting.end("x")),
    "response",
  );
  expecting.destroy();
  expect(response.statusCode).toBe(404);
  expect(received).toEqual([]);
  expect(receiver.refusals).toEqual({ atOtherPaths: 8, tooLarge: 0, whenFull: 0 });
});

test("an oversized delivery gets a 413 and is recorded without its body", async () => {
  const headers = { "webhook-event-type": "transaction.created" };
  const response = await post(`{"a": "${"x".repeat(600_000)}"}`, headers);
  expect(response.status).toBe(413);
  expect(received).toMatchObject([
    { name: "transaction.created", refused: "too large", request: { body: "" } },
  ]);
  expect(received[0]?.json).toBeUndefined();
  expect((await post("{}")).status).toBe(200);
  expect(receiver.refusals).toEqual({ atOtherPaths: 0, tooLarge: 1, whenFull: 0 });
});

test.each([
  ["too many bytes", () => `"${"x".repeat(500_000)}"`, 64],
  ["characters that JSON escapes", () => "\u0001".repeat(500_000), 10],
  ["too many values", () => `[${"1,".repeat(90_000)}1]`, 16],
])("after %s, the receiver responds with 503 and records the first", async (_, bodyOf, most) => {
  const statuses: number[] = [];
  for (let i = 0; i < most + 5; i++) statuses.push((await post(bodyOf())).status);
  const taken = statuses.indexOf(503);
  expect(taken).toBeGreaterThan(5);
  expect(taken).toBeLessThanOrEqual(most);
  expect(new Set(statuses.slice(taken))).toEqual(new Set([503]));
  expect((await post("{}")).status).toBe(503);
  expect(received.slice(taken)).toMatchObject([{ refused: "full", request: { body: "" } }]);
  expect(receiver.refusals.whenFull).toBe(statuses.length - taken + 1);
});

test("incomplete bodies count towards the budget", async () => {
  const { port } = new URL(receiver.url);
  const head = `POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: 510000\r\n\r\n`;
  const sockets = Array.from({ length: 80 }, () =>
    connect(Number(port), "127.0.0.1", function (this: Socket) {
      this.write(head + "x".repeat(500_000));
    }).on("error", () => {}),
  );
  while ((await post("{}")).status === 200) await sleep(20);
  for (const socket of sockets) socket.destroy();
  expect(received.filter(({ refused }) => refused === "full")).toHaveLength(1);
});

test("an aborted body is recorded as far as it was received", async () => {
  const { port } = new URL(receiver.url);
  const socket = connect(Number(port), "127.0.0.1");
  await once(socket, "connect");
  socket.write(
    `POST ${PATH} HTTP/1.1\r\nhost: x\r\nwebhook-event-type: a\r\ncontent-length: 99\r\n\r\n{`,
  );
  await sleep(20);
  socket.destroy();
  await until(1);
  expect(received[0]).toMatchObject({ cut: "a body that broke off after 1 bytes", name: "a" });
  expect(received[0]?.request.body).toBe("{");
});

test("a body in several chunks is joined", async () => {
  const sending = send(receiver.url, { method: "POST" });
  sending.write('{"a":');
  await sleep(20);
  sending.end(" 1}");
  const [response] = await once(sending, "response");
  expect(response.statusCode).toBe(200);
  response.resume();
  expect(received[0]?.json).toEqual({ a: 1 });
});

test("hundreds of concurrent deliveries are each recorded once", async () => {
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

/** Sends the head of a delivery, and waits until the receiver has it. */
async function begin() {
  const sending = send(receiver.url, { method: "POST", headers: { expect: "100-continue" } });
  sending.flushHeaders();
  await once(sending, "continue");
  return sending;
}

test("sequential deliveries have an order, concurrent ones do not", async () => {
  await post("1");
  await post("2");
  const [one, two] = received as [Delivery, Delivery];
  expect(one.answeredAt <= two.receivedAt).toBe(true);
  received = [];
  const open = [await begin(), await begin()];
  // The times have a resolution of 1 ms.
  await sleep(5);
  await Promise.all(
    open.map(async (sending) => {
      sending.end("{}");
      const [response] = await once(sending, "response");
      response.resume();
    }),
  );
  const [three, four] = received as [Delivery, Delivery];
  expect(three.answeredAt <= four.receivedAt).toBe(false);
});

test("nothing is recorded after stop", async () => {
  const sending = send(receiver.url, { method: "POST" });
  sending.on("error", () => {});
  sending.write("{");
  await sleep(20);
  await receiver.stop();
  await sleep(20);
  expect(received).toEqual([]);
});
