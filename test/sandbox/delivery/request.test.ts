import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { toNodeHandler } from "../../../src/webhooks/adapters/node.ts";
import { createReceiver, standardWebhooks } from "../../../src/webhooks/index.ts";
import { serve } from "../../support/local-server.ts";
import { START_MS, startSandbox } from "../test-sandbox.ts";
import { type Arrival, startDelivering } from "./receiver.ts";

/** Delivers one event. */
async function deliverOne() {
  const on = await startDelivering();
  on.sandbox.announce(1, { name: "transaction.created" });
  await on.control.settle();
  return { ...on, arrival: on.receiver.arrivals[0] as Arrival };
}

/** Verifies a delivery with the Standard Webhooks library. */
function verify({ headers }: Arrival, secret: string, body: string): unknown {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}

test("WHK-01: an attempt is a POST with the log's body and the event's name", async () => {
  const { sandbox, arrival } = await deliverOne();
  expect(arrival).toMatchObject({
    method: "POST",
    path: "/hook",
    headers: {
      "content-type": "application/json",
      "webhook-event-type": "transaction.created",
    },
  });
  const row = sandbox.engine.store.sql("SELECT body FROM events").get();
  expect(arrival.body).toBe(row?.["body"]);
});

test("an attempt has a signature that the Standard Webhooks library accepts", async () => {
  const { endpoint, arrival } = await deliverOne();
  const { body } = arrival;
  expect(verify(arrival, endpoint.secret, body)).toEqual(JSON.parse(body));
  expect(() => verify(arrival, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", body)).toThrow();
  expect(() => verify(arrival, endpoint.secret, body.replace('"', ' "'))).toThrow();
});

test("an attempt measures a non-ASCII body in bytes", async () => {
  const { sandbox, control, receiver, endpoint } = await startDelivering({ validate: false });
  const [accountId] = sandbox.accountIds;
  const body = { id: "é€😀" } as never;
  sandbox.engine.commit((work) => {
    work.announce("transaction.created", { accountId, resource: "one" }, body);
  });
  await control.settle();
  const [arrival] = receiver.arrivals as [Arrival];
  expect(verify(arrival, endpoint.secret, arrival.body)).toEqual(body);
});

test("an attempt is accepted, verified and handled by our own receiver", async () => {
  const sandbox = startSandbox();
  const handled: string[] = [];
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const ours = createReceiver({
    on: { "transaction.created": ({ body }) => void handled.push(body.id) },
    verify: standardWebhooks({ secrets: secret }),
  });
  const origin = await serve(toNodeHandler(ours));
  await sandbox.control.addEndpoint({ url: `${origin}/hook`, secret });
  const id = sandbox.announce(1, { name: "transaction.created" });
  await sandbox.control.settle();
  expect(handled).toEqual([id]);
  expect(await sandbox.states()).toEqual(["delivered"]);
});

test("an attempt has the real time as its timestamp, whatever the sandbox's clock", async () => {
  const beforeSeconds = Math.floor(Date.now() / 1000);
  const { sandbox, arrival } = await deliverOne();
  const sentSeconds = Number(arrival.headers["webhook-timestamp"]);
  expect(sentSeconds).toBeGreaterThanOrEqual(beforeSeconds);
  expect(sentSeconds).toBeLessThanOrEqual(Date.now() / 1000);
  expect(sandbox.engine.clock.now()).toBe(START_MS);
});

test("a delivery keeps its webhook-id, which no other has, even with the same seed", async () => {
  const { sandbox, control, receiver, arrival } = await deliverOne();
  receiver.setReply(() => 503);
  sandbox.announce(2);
  await control.advance("6s");
  await control.replay("all");
  await control.settle();
  const webhookIds = receiver.arrivals.map(({ headers }) => headers["webhook-id"]);
  const [first, second] = (await sandbox.log()).map(({ id }) => id);
  expect(first).toMatch(/^msg_/);
  expect(first).not.toBe(second);
  expect(webhookIds).toEqual([first, second, second, first]);
  const other = (await deliverOne()).arrival;
  expect(other.body).toBe(arrival.body);
  expect(other.headers["webhook-id"]).not.toBe(first);
});

test("deliveries reuse connections", async () => {
  const { sandbox, control, receiver } = await deliverOne();
  for (let n = 2; n <= 20; n += 1) {
    sandbox.announce(n);
    await control.settle();
  }
  expect([receiver.arrivals.length, receiver.connections()]).toEqual([20, 1]);
});
