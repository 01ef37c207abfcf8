import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { eventsOf } from "../../../src/sandbox/event-log.ts";
import { toNodeHandler } from "../../../src/webhooks/adapters/node.ts";
import { createReceiver, standardWebhooks } from "../../../src/webhooks/index.ts";
import { serve } from "../../support/local-server.ts";
import { START_MS } from "../test-service.ts";
import type { Harness } from "./harness.ts";
import { type Arrival, startReceiver } from "./receiver.ts";
import { startHarness } from "./start-harness.ts";

/** Delivers one event. */
async function deliverOne(harness: Harness = startHarness()) {
  const receiver = await startReceiver();
  const endpoint = await harness.control.addEndpoint({ url: receiver.url });
  harness.announce(1, { name: "transaction.created" });
  await harness.control.settle();
  return { harness, receiver, endpoint, arrival: receiver.arrivals[0] as Arrival };
}

describe("an attempt", () => {
  test("WHK-01: is a POST with a JSON body and the event's name in a header", async () => {
    const { arrival } = await deliverOne();
    expect(arrival).toMatchObject({ method: "POST", path: "/hook" });
    expect(arrival.headers).toMatchObject({
      "content-type": "application/json",
      "webhook-event-type": "transaction.created",
    });
  });

  test("carries the log's body, byte for byte", async () => {
    const { harness, arrival } = await deliverOne();
    const row = harness.engine.store.sql("SELECT body FROM events").get();
    expect(arrival.body).toBe(row?.["body"]);
    expect(JSON.parse(arrival.body)).toEqual(eventsOf(harness.engine.store, {})[0]?.body);
  });

  test("measures a non-ASCII body in bytes", async () => {
    const harness = startHarness({ validate: false });
    const receiver = await startReceiver();
    const { secret } = await harness.control.addEndpoint({ url: receiver.url });
    const [accountId = ""] = harness.accounts;
    const body = { id: "é€😀" } as never;
    harness.engine.commit((work) => {
      work.announce("transaction.created", { accountId, resource: "one" }, body);
    });
    await harness.control.settle();
    expect(receiver.ids()).toEqual(["é€😀"]);
    const { headers, body: text } = receiver.arrivals[0] as Arrival;
    expect(new Webhook(secret).verify(text, headers as Record<string, string>)).toEqual(body);
  });

  test("has a signature that the Standard Webhooks library accepts", async () => {
    const { endpoint, arrival } = await deliverOne();
    const { headers, body } = arrival;
    const genuine = new Webhook(endpoint.secret).verify(body, headers as Record<string, string>);
    expect(genuine).toEqual(JSON.parse(body));
    const other = new Webhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    expect(() => other.verify(body, headers as Record<string, string>)).toThrow();
    const changed = body.replace('"', ' "');
    expect(() =>
      new Webhook(endpoint.secret).verify(changed, headers as Record<string, string>),
    ).toThrow();
  });

  test("is accepted, verified and handled by our own receiver", async () => {
    const harness = startHarness();
    const handled: string[] = [];
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const ours = createReceiver({
      on: { "transaction.created": ({ body }) => void handled.push(body.id) },
      verify: standardWebhooks({ secrets: secret }),
    });
    const origin = await serve(toNodeHandler(ours));
    await harness.control.addEndpoint({ url: `${origin}/hook`, secret });
    const id = harness.announce(1, { name: "transaction.created" });
    await harness.control.settle();
    expect(handled).toEqual([id]);
    expect(await harness.states()).toEqual(["delivered"]);
  });

  test("has the real time as its timestamp, regardless of the sandbox's clock", async () => {
    const beforeSeconds = Math.floor(Date.now() / 1000);
    const { harness, arrival } = await deliverOne();
    const sentSeconds = Number(arrival.headers["webhook-timestamp"]);
    expect(sentSeconds).toBeGreaterThanOrEqual(beforeSeconds);
    expect(sentSeconds).toBeLessThanOrEqual(Date.now() / 1000);
    expect(harness.engine.clock.now()).toBe(START_MS);
  });

  test("has its delivery's webhook-id, which no other delivery has", async () => {
    const { harness, receiver } = await deliverOne();
    receiver.setReply(() => 503);
    harness.announce(2);
    await harness.control.advance("6s");
    await harness.control.replay("all");
    await harness.control.settle();
    const webhookIds = receiver.arrivals.map(({ headers }) => headers["webhook-id"]);
    const [first, second] = (await harness.log()).map(({ id }) => id);
    expect(first).toMatch(/^msg_/);
    expect(first).not.toBe(second);
    expect(webhookIds).toEqual([first, second, second, first]);
  });

  test("has a webhook-id that differs between sandboxes of the same seed", async () => {
    const [one, other] = [await deliverOne(), await deliverOne()];
    expect(one.arrival.body).toBe(other.arrival.body);
    expect(one.arrival.headers["webhook-id"]).not.toBe(other.arrival.headers["webhook-id"]);
  });
});

test("deliveries reuse connections", async () => {
  const { harness, receiver } = await deliverOne();
  for (let n = 2; n <= 20; n += 1) {
    harness.announce(n);
    await harness.control.settle();
  }
  expect(receiver.arrivals).toHaveLength(20);
  expect(receiver.connections()).toBe(1);
});
