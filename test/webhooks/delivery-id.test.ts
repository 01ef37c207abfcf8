import { Webhook } from "standardwebhooks";
import { describe, expect, test, vi } from "vitest";
import { make } from "../../src/fixtures/index.ts";
import {
  createReceiver,
  type DeliveryReport,
  hmacSha256,
  memoryInbox,
  none,
  type ReceiverOptions,
  sharedSecret,
  standardWebhooks,
} from "../../src/webhooks/index.ts";
import { deliver } from "../support/payloads.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const LOST = "bankaccount.state_changed";
const updated = make("transaction.updated");

/** A delivery signed by Standard Webhooks, which does not sign the event's name. */
function signed(id: string, name: string, body: unknown): Request {
  const request = deliver(name, body);
  const at = new Date();
  const seconds = String(Math.floor(at.getTime() / 1000));
  request.headers.set("webhook-id", id);
  request.headers.set("webhook-timestamp", seconds);
  request.headers.set("webhook-signature", new Webhook(SECRET).sign(id, at, JSON.stringify(body)));
  return request;
}

/** A receiver that counts the handled deliveries. */
function counting(options: Partial<ReceiverOptions> = {}) {
  const handled: string[] = [];
  const reports: DeliveryReport[] = [];
  const keep = ({ name }: { name: string }) => void handled.push(name);
  const receiver = createReceiver({
    on: {
      "transaction.updated": keep,
      "transaction.created": keep,
      "enrichment.merchant.created": keep,
      [LOST]: keep,
    },
    fallback: keep,
    verify: standardWebhooks({ secrets: SECRET }),
    inbox: memoryInbox(),
    acknowledge: "handled",
    onDelivery: (report) => reports.push(report),
    ...options,
  });
  const outcomes = () => reports.map(({ outcome }) => outcome);
  return { receiver, handled, reports, outcomes };
}

const ways: [string, () => Partial<ReceiverOptions>][] = [
  ["handled before its acknowledgement", () => ({})],
  ["stored", () => ({ acknowledge: "stored" })],
];

describe.each(ways)("a verified webhook-id of a delivery that is %s", (_name, options) => {
  test.each([
    [LOST, make(LOST)],
    ["card.frozen", { id: 1 }],
    ["transaction.updated", updated],
  ])("deduplicates %s: sent five times, handled once", async (name, body) => {
    const { receiver, handled, outcomes } = counting(options());
    for (let sent = 0; sent < 5; sent += 1) {
      expect((await receiver(signed("msg_1", name, body))).status).toBeLessThan(300);
    }
    await vi.waitFor(() =>
      expect(outcomes().filter((outcome) => outcome === "duplicate")).toHaveLength(4),
    );
    expect(handled).toHaveLength(1);
    expect((await receiver(signed("msg_2", name, body))).status).toBeLessThan(300);
    await vi.waitFor(() => expect(handled).toHaveLength(2));
    await receiver.close();
  });

  test.each(["transaction.created", "enrichment.merchant.created", "card.frozen"])(
    "has a replay under the name %s be a duplicate",
    async (name) => {
      const { receiver, handled, outcomes } = counting(options());
      await receiver(signed("msg_1", "transaction.updated", updated));
      await vi.waitFor(() => expect(handled).toEqual(["transaction.updated"]));
      await receiver(signed("msg_1", name, updated));
      await vi.waitFor(() => expect(outcomes()).toContain("duplicate"));
      expect(handled).toEqual(["transaction.updated"]);
      await receiver.close();
    },
  );

  test("deduplicates deliveries with different bodies", async () => {
    const { receiver, handled, outcomes } = counting(options());
    await receiver(signed("msg_1", "transaction.updated", updated));
    await vi.waitFor(() => expect(handled).toHaveLength(1));
    await receiver(signed("msg_1", "transaction.updated", { ...updated, metadata: { n: 2 } }));
    await vi.waitFor(() => expect(outcomes()).toContain("duplicate"));
    expect(handled).toHaveLength(1);
    await receiver.close();
  });
});

test("an invalid delivery under a forged name does not use up its id", async () => {
  const { receiver, handled } = counting();
  const forged = await receiver(signed("msg_1", LOST, updated));
  expect(forged.status).toBe(422);
  expect((await receiver(signed("msg_1", "transaction.updated", updated))).status).toBe(204);
  expect(handled).toEqual(["transaction.updated"]);
});

test("a failed delivery is handled when its id is redelivered", async () => {
  const handler = vi.fn().mockRejectedValueOnce(new Error("no"));
  const { receiver } = counting({ on: { [LOST]: handler } });
  expect((await receiver(signed("msg_1", LOST, make(LOST)))).status).toBe(500);
  expect((await receiver(signed("msg_1", LOST, make(LOST)))).status).toBe(204);
  expect(handler).toHaveBeenCalledTimes(2);
});

const SIGNATURES = { "x-signature": "open sesame" };
const unsigned: [string, Partial<ReceiverOptions>][] = [
  ["none", { verify: none }],
  ["a verify that returns true", { verify: () => true }],
  ["sharedSecret", { verify: sharedSecret({ header: "x-signature", secret: "open sesame" }) }],
  ["a verify that found none", { verify: () => ({ verified: true, deliveryId: null }) }],
  ["a verify that found an empty one", { verify: () => ({ verified: true, deliveryId: "" }) }],
];
test.each(unsigned)(
  "a webhook-id that is not verified identifies nothing: %s",
  async (_, options) => {
    const { receiver, handled } = counting(options);
    for (const n of [1, 2, 2]) {
      const request = deliver("transaction.updated", { ...updated, metadata: { n } });
      request.headers.set("webhook-id", "msg_1");
      for (const [name, value] of Object.entries(SIGNATURES)) request.headers.set(name, value);
      expect((await receiver(request)).status).toBe(204);
    }
    expect(handled).toHaveLength(2);
  },
);

describe("an id of a custom verify", () => {
  const claimed: string[] = [];
  const spying = () => {
    claimed.length = 0;
    const inbox = memoryInbox();
    const once = inbox.once.bind(inbox);
    inbox.once = (delivery, work) => {
      claimed.push(delivery.key ?? "");
      return once(delivery, work);
    };
    return inbox;
  };
  const idOf = (deliveryId: unknown) =>
    counting({
      inbox: spying(),
      verify: () => ({ verified: true, deliveryId }) as { verified: true },
    });

  test.each([
    ["of one character", "a"],
    ["of 1,000,000 characters", "x".repeat(1_000_000)],
    ["of two headers that were joined", "a, a"],
    ["with spaces around it", " a "],
    ["that is not Unicode", "\ud800\u0000"],
    ["named like an inherited property", "__proto__"],
  ])("%s becomes a short key", async (_what, id) => {
    const { receiver, handled } = idOf(id);
    for (const n of [1, 2]) await receiver(deliver("transaction.updated", { ...updated, n }));
    expect(handled).toHaveLength(1);
    expect(claimed[0]).toMatch(/^id:[0-9a-f]{64}$/);
  });

  test("is case-sensitive and compared whole", async () => {
    const keys = new Set<string>();
    for (const id of ["a", "A", "a ", "a, a", "id:a"]) {
      await idOf(id).receiver(deliver("transaction.updated", updated));
      keys.add(claimed[0] ?? "");
    }
    expect(keys.size).toBe(5);
  });

  test("that is not a string fails the delivery", async () => {
    const { receiver, handled, reports } = idOf(12);
    expect((await receiver(deliver("transaction.updated", updated))).status).toBe(500);
    expect(handled).toEqual([]);
    expect(reports).toMatchObject([
      { error: { message: "verify returned the deliveryId 12; it must be a string" } },
    ]);
  });

  test("does not collide with a content key", async () => {
    const { receiver, handled } = counting({ verify: none, inbox: spying() });
    await receiver(deliver("transaction.updated", updated));
    const byId = idOf(claimed[0]);
    await byId.receiver(deliver("transaction.updated", updated));
    expect([handled.length, byId.handled.length]).toEqual([1, 1]);
  });
});

describe("an event's name", () => {
  test("that verify returns must match the header", async () => {
    const verify = () => ({ verified: true, eventName: "transaction.updated" }) as const;
    const { receiver, handled, reports } = counting({ verify });
    expect((await receiver(deliver("transaction.created", updated))).status).toBe(401);
    expect((await receiver(deliver(null, updated))).status).toBe(401);
    expect((await receiver(deliver("transaction.updated", updated))).status).toBe(204);
    expect(handled).toEqual(["transaction.updated"]);
    expect(reports[0]).toMatchObject({
      outcome: "unverified",
      reason:
        'the signature is for transaction.updated, but webhook-event-type is "transaction.created"',
    });
  });

  test("under a misspelled member fails the delivery", async () => {
    const verify = () => ({ verified: true, eventname: "transaction.updated" }) as never;
    const { receiver, handled, reports } = counting({ verify });
    expect((await receiver(deliver("transaction.created", updated))).status).toBe(500);
    expect(handled).toEqual([]);
    expect(reports).toMatchObject([
      {
        error: {
          message: expect.stringContaining(`unknown option "eventname"; did you mean "eventName"?`),
        },
      },
    ]);
  });

  test("is verified by hmacSha256 if its template contains it", async () => {
    const secret = "open sesame";
    const { createHmac } = await import("node:crypto");
    const sign = (message: string) => createHmac("sha256", secret).update(message).digest("hex");
    const verify = hmacSha256({
      header: "x-signature",
      secret,
      encoding: "hex",
      signed: "{webhook-id}.{Webhook-Event-Type}.{body}",
    });
    const { receiver, handled, outcomes } = counting({ verify });
    const send = async (name: string) => {
      const request = deliver(name, updated);
      request.headers.set("webhook-id", "msg_1");
      const message = `msg_1.transaction.updated.${JSON.stringify(updated)}`;
      request.headers.set("x-signature", sign(message));
      return (await receiver(request)).status;
    };
    expect(await send("transaction.created")).toBe(401);
    expect(await send("transaction.updated")).toBe(204);
    expect(await send("transaction.updated")).toBe(204);
    expect(handled).toEqual(["transaction.updated"]);
    expect(outcomes()).toEqual(["unverified", "handled", "duplicate"]);
  });
});
