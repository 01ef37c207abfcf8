import { Webhook } from "standardwebhooks";
import { describe, expect, test, vi } from "vitest";
import { readEvent } from "../../src/contract/index.ts";
import type { TxfeedError } from "../../src/errors.ts";
import { make } from "../../src/fixtures/index.ts";
import { deliveryKey } from "../../src/webhooks/delivery.ts";
import {
  createReceiver,
  type DeliveryReport,
  none,
  QuarantineError,
  type ReceiverOptions,
  RetryLaterError,
  sharedSecret,
  standardWebhooks,
} from "../../src/webhooks/index.ts";
import { memoryInbox } from "../../src/webhooks/sqlite/index.ts";
import { deliver } from "../support/payloads.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const LOST = "bankaccount.state_changed";
const NAME = "transaction.updated";
const updated = make(NAME);
const text = JSON.stringify(updated);
const reversed = Object.fromEntries(Object.entries(updated).reverse());

const until = (check: () => void) => vi.waitFor(check, 10_000);

/** A delivery signed by Standard Webhooks, which does not sign the event's name. */
function signed(id: string, name: string, body: unknown): Request {
  const request = deliver(name, body);
  const at = new Date();
  request.headers.set("webhook-id", id);
  request.headers.set("webhook-timestamp", String(Math.floor(at.getTime() / 1000)));
  request.headers.set("webhook-signature", new Webhook(SECRET).sign(id, at, JSON.stringify(body)));
  return request;
}

/** A receiver that counts the handled deliveries. */
function counting(options: Partial<ReceiverOptions<never>> = {}) {
  const handled: string[] = [];
  const reports: DeliveryReport[] = [];
  const keep = ({ name }: { name: string }) => void handled.push(name);
  const inbox = memoryInbox();
  const receiver = createReceiver<never>({
    on: { [NAME]: keep, "transaction.created": keep, [LOST]: keep },
    fallback: keep,
    verify: none,
    inbox: inbox as never,
    acknowledge: "handled",
    onDelivery: (report) => reports.push(report),
    ...options,
  });
  const outcomes = () => reports.map(({ outcome }) => outcome);
  return { receiver, handled, reports, outcomes, inbox };
}

describe.each(["handled", "stored"] as const)("a verified webhook-id, %s", (acknowledge) => {
  const verified = { acknowledge, verify: standardWebhooks({ secrets: SECRET }) };

  test.each([
    [LOST, make(LOST), LOST],
    ["card.frozen", { id: 1 }, "card.frozen"],
    [NAME, updated, NAME],
    [NAME, updated, "transaction.created"],
    [NAME, updated, "card.frozen"],
  ])("deduplicates %s, also under another name or with another body", async (name, body, other) => {
    const { receiver, handled, outcomes } = counting(verified);
    await receiver(signed("msg_1", name, body));
    await until(() => expect(handled).toHaveLength(1));
    await receiver(signed("msg_1", other, body));
    await receiver(signed("msg_1", name, { ...body, metadata: { n: 2 } }));
    await until(() =>
      expect(outcomes().filter((outcome) => outcome === "duplicate")).toHaveLength(2),
    );
    await receiver(signed("msg_2", name, body));
    await until(() => expect(handled).toHaveLength(2));
    await receiver.close();
  });
});

test("an invalid delivery under a forged name does not use up its id", async () => {
  const { receiver, handled } = counting({ verify: standardWebhooks({ secrets: SECRET }) });
  expect((await receiver(signed("msg_1", LOST, updated))).status).toBe(422);
  expect((await receiver(signed("msg_1", NAME, updated))).status).toBe(204);
  expect(handled).toEqual([NAME]);
});

test.each<[string, Partial<ReceiverOptions<never>>]>([
  ["none", {}],
  ["a verify that returns true", { verify: () => true }],
  ["sharedSecret", { verify: sharedSecret({ header: "x-signature", secret: "open sesame" }) }],
  ["a verify that found none", { verify: () => ({ verified: true, deliveryId: null }) }],
  ["a verify that found an empty one", { verify: () => ({ verified: true, deliveryId: "" }) }],
])("a webhook-id that is not verified identifies nothing: %s", async (_, options) => {
  const { receiver, handled } = counting(options);
  for (const n of [1, 2, 2]) {
    const request = deliver(NAME, { ...updated, metadata: { n } });
    request.headers.set("webhook-id", "msg_1");
    request.headers.set("x-signature", "open sesame");
    expect((await receiver(request)).status).toBe(204);
  }
  expect(handled).toHaveLength(2);
});

describe("a key", () => {
  const keyOf = (name: string, body: string, id?: string) => {
    const reading = readEvent(name, JSON.parse(body));
    if (!reading.ok) throw new Error(`${name}: ${reading.findings[0]?.message}`);
    return deliveryKey(reading.event, id, body);
  };
  const withMember = (json: string) => text.replace("{", `{"later":${json},`);
  const lost = JSON.stringify(make(LOST));

  test("of content does not depend on white space and the order of members", async () => {
    const key = await keyOf(NAME, text);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    const [spaced, other] = [JSON.stringify(updated, null, 2), JSON.stringify(reversed)];
    for (const same of [spaced, other, text.replaceAll("/", "\\u002f")]) {
      expect(await keyOf(NAME, same)).toBe(key);
    }
  });

  test("differs by name, by any value, by the order of a list, by id, and by its kind", async () => {
    const values = [
      "[1,2]",
      "[2,1]",
      "[[1],2]",
      '"1"',
      "1",
      "null",
      "1e400",
      '{"a":1}',
      '"\\ud800"',
    ];
    const ids = ["a", "A", "a ", " a", "a, a", "id:a", "\ud800\u0000", "__proto__"];
    const content = await keyOf(NAME, text);
    const keys = await Promise.all([
      keyOf("transaction.created", text),
      keyOf(NAME, JSON.stringify({ ...updated, metadata: { attempt: 2 } })),
      ...values.map((json) => keyOf(NAME, withMember(json))),
      ...[...ids, content ?? "", "x".repeat(1_000_000)].map((id) => keyOf(NAME, text, id)),
    ]);
    expect(new Set([...keys, content]).size).toBe(keys.length + 1);
    for (const key of keys) expect(key).toMatch(/^(id:)?[0-9a-f]{64}$/);
  });

  test("of a body that is nested too deeply is that of its text", async () => {
    const deep = withMember(`${"[".repeat(200_000)}${"]".repeat(200_000)}`);
    const key = await deliveryKey({ name: NAME, body: JSON.parse(deep) }, undefined, deep);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
  });

  test("is null if equal content can be a new event", async () => {
    expect([await keyOf(LOST, lost), await keyOf("card.frozen", "{}")]).toEqual([null, null]);
  });
});

describe("a receiver that acknowledges handled deliveries", () => {
  test("handles duplicates once, also concurrent ones and with reordered members", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const handler = vi.fn(() => promise);
    const { receiver } = counting({ on: { [NAME]: handler } });
    const sent = [updated, updated, reversed].map((body) => receiver(deliver(NAME, body)));
    await until(() => expect(handler).toHaveBeenCalledOnce());
    resolve();
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(handler).toHaveBeenCalledOnce();
  });

  test("handles the next delivery of a resource after a handler that does not end", async () => {
    const handler = vi.fn().mockReturnValueOnce(new Promise(() => {}));
    const { receiver } = counting({ on: { [NAME]: handler }, work: { timeoutMs: 20 } });
    expect((await receiver(deliver(NAME, updated))).status).toBe(500);
    await until(async () => expect((await receiver(deliver(NAME, updated))).status).toBe(204));
    expect(handler).toHaveBeenCalledTimes(2);
  });

  test("handles both losses of a bank account that is lost twice", async () => {
    const { receiver, handled } = counting();
    for (const _ of [1, 2]) await receiver(deliver(LOST, make(LOST)));
    expect(handled).toHaveLength(2);
  });

  test("handles a failed delivery again", async () => {
    const handler = vi.fn().mockRejectedValueOnce(new Error("no"));
    const { receiver } = counting({ on: { [NAME]: handler } });
    expect((await receiver(deliver(NAME, updated))).status).toBe(500);
    expect((await receiver(deliver(NAME, updated))).status).toBe(204);
    expect(handler).toHaveBeenCalledTimes(2);
  });

  test.each<[string, () => Promise<"busy">, number, string | null]>([
    ["while another process handles its resource", async () => "busy", 503, "5"],
    ["if the inbox fails", () => Promise.reject(new Error("disk full")), 500, null],
  ])("refuses a delivery %s", async (_when, once, status, retryAfter) => {
    const { receiver, inbox } = counting();
    inbox.once = once;
    const response = await receiver(deliver(NAME, updated));
    expect([response.status, response.headers.get("retry-after")]).toEqual([status, retryAfter]);
  });
});

describe("without an inbox", () => {
  const direct = { inbox: undefined as never };

  test("deliveries of a resource are handled one after another, others in parallel", async () => {
    const log: string[] = [];
    const open: (() => void)[] = [];
    const { receiver } = counting({
      ...direct,
      on: {
        [NAME]: async ({ body }) => {
          log.push(`start ${body.metadata?.["n"]}`);
          await new Promise<void>((resolve) => open.push(resolve));
        },
      },
    });
    const send = (n: number, id = updated.id) =>
      receiver(deliver(NAME, { ...updated, id, metadata: { n } }));
    const sent = [send(1), send(2), send(3, crypto.randomUUID())];
    await until(() => expect(log).toEqual(["start 1", "start 3"]));
    for (const resolve of open.splice(0)) resolve();
    await until(() => expect(log.at(-1)).toBe("start 2"));
    for (const resolve of open.splice(0)) resolve();
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([204, 204, 204]);
  });

  // Errors of another copy of the package have other classes.
  function inCopy(error: TxfeedError): Error {
    class Copy extends Error {
      static readonly code = error.code;
    }
    return Object.defineProperties(new Copy(), Object.getOwnPropertyDescriptors(error));
  }
  const later = () => new RetryLaterError("not linked", { at: new Date(Date.now() + 60_000) });
  const refusal = () => new QuarantineError("a closed subaccount");

  test.each<[string, () => Error, number, string | null, string]>([
    ["RetryLaterError", later, 503, "60", "postponed"],
    ["QuarantineError", refusal, 422, null, "quarantined"],
    ["RetryLaterError of a copy", () => inCopy(later()), 503, "60", "postponed"],
    ["QuarantineError of a copy", () => inCopy(refusal()), 422, null, "quarantined"],
  ])("a handler may throw a %s", async (_name, errorOf, status, retryAfter, outcome) => {
    const error = errorOf();
    const { receiver, outcomes } = counting({
      ...direct,
      on: { [NAME]: () => Promise.reject(error) },
    });
    const response = await receiver(deliver(NAME, updated));
    expect([response.status, response.headers.get("retry-after")]).toEqual([status, retryAfter]);
    expect(await response.text()).not.toContain(error.message);
    expect(outcomes()).toEqual([outcome]);
  });

  test("a handler that exceeds its time limit fails", async () => {
    const on = { [NAME]: () => new Promise(() => {}) };
    const { receiver } = counting({ ...direct, on, work: { timeoutMs: 10 } });
    expect((await receiver(deliver(NAME, updated))).status).toBe(500);
  });
});
