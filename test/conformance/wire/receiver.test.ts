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

beforeEach(async () => {
  received = [];
  let nr = 0;
  receiver = await startReceiver({
    ...{ host: "127.0.0.1", port: 0, path: PATH },
    nextNr: () => {
      nr += 1;
      return nr;
    },
    drop: (text) => text.replaceAll("canary", "(secret)"),
    onDelivery: (delivery) => void received.push(delivery),
  });
});

afterEach(() => receiver.stop());

const post = (body: string, headers: Record<string, string> = {}, path = "/hook?x=1") =>
  fetch(receiver.url + path, { method: "POST", body, headers });

/** Starts a delivery whose body may stay incomplete. */
function write(text: string, length = 99): Socket {
  const head = [`POST ${PATH} HTTP/1.1`, "host: x", "webhook-event-type: a"];
  const { port } = new URL(receiver.url);
  return connect(Number(port), "127.0.0.1", function (this: Socket) {
    this.write([...head, `content-length: ${length}`, "", text].join("\r\n"));
  }).on("error", () => {});
}

test("a delivery is recorded without secrets and gets a 200", async () => {
  const own = { "x-other": "not recorded", authorization: "canary" };
  const headers = { "webhook-event-type": "transaction.canary", ...own };
  const response = await post('{"id": "canary"}', headers, "/hook?x=canary");
  expect(response.status).toBe(200);
  const request = { method: "POST", path: "/hook?x=(secret)", body: '{"id": "(secret)"}' };
  const [delivery] = received;
  expect(received).toMatchObject([
    { nr: 1, name: "transaction.(secret)", json: { id: "(secret)" }, request },
  ]);
  expect(delivery?.request.headers["x-other"]).toBe("(dropped)");
  expect(JSON.stringify(received)).not.toContain("canary");
});

test("anything else at its path is recorded, too", async () => {
  const bodies = ["", "oops", "<html>", "[1", '"text"', "null", "3"];
  for (const body of bodies) await post(body);
  expect(received.map(({ request }) => request.body)).toEqual(bodies);
  expect(received.filter(({ cut }) => cut !== undefined)).toEqual([]);
  received = [];
  const methods = ["GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
  for (const method of methods) {
    expect((await fetch(receiver.url, { method })).status).toBe(200);
  }
  expect(received.map(({ request }) => request.method)).toEqual(methods);
});

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
  const response = await post(`{"a": "${"x".repeat(600_000)}"}`, { "webhook-event-type": "a" });
  expect(response.status).toBe(413);
  expect(received).toMatchObject([{ name: "a", refused: "too large", request: { body: "" } }]);
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
  const sockets = Array.from({ length: 80 }, () => write("x".repeat(500_000), 510_000));
  while ((await post("{}")).status === 200) await sleep(20);
  for (const socket of sockets) socket.destroy();
  expect(received.filter(({ refused }) => refused === "full")).toHaveLength(1);
});

test("an aborted body is recorded as far as it was received", async () => {
  const socket = write("{");
  await once(socket, "connect");
  await sleep(20);
  socket.destroy();
  while (received.length === 0) await sleep(5);
  const cut = "a body that broke off after 1 bytes";
  expect(received).toMatchObject([{ cut, name: "a", request: { body: "{" } }]);
});

test("hundreds of concurrent deliveries in chunks are each recorded once", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const one = async (at: number) => {
    const sending = send(receiver.url, { method: "POST", agent });
    sending.write('{"at":');
    setImmediate(() => sending.end(`${at}}`));
    const [response] = await once(sending, "response");
    await once(response.resume(), "end");
  };
  await Promise.all(Array.from({ length: 400 }, (_, at) => one(at)));
  agent.destroy();
  const all = (of: (delivery: Delivery) => unknown) => new Set(received.map(of)).size;
  expect([received.length, all(({ json }) => Object(json).at), all(({ nr }) => nr)]).toEqual(
    Array(3).fill(400),
  );
});

test("sequential deliveries have an order, concurrent ones do not", async () => {
  await post("1");
  await post("2");
  const open = [0, 1].map(() =>
    send(receiver.url, { method: "POST", headers: { expect: "100-continue" } }),
  );
  for (const sending of open) {
    sending.flushHeaders();
    await once(sending, "continue");
  }
  // The times have a resolution of 1 ms.
  await sleep(5);
  for (const sending of open) sending.end("{}");
  await Promise.all(open.map(async (sending) => (await once(sending, "response"))[0].resume()));
  const [one, two, three, four] = received as [Delivery, Delivery, Delivery, Delivery];
  expect(one.answeredAt <= two.receivedAt).toBe(true);
  expect(three.answeredAt <= four.receivedAt).toBe(false);
});

test("nothing is recorded after stop", async () => {
  write("{");
  await sleep(20);
  await receiver.stop();
  await sleep(20);
  expect(received).toEqual([]);
});
