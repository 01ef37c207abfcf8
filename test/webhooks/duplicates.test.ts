import { setTimeout as wait } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { describe, expect, test, vi } from "vitest";
import { readEvent } from "../../src/contract/index.ts";
import type { TxfeedError } from "../../src/errors.ts";
import { make } from "../../src/fixtures/index.ts";
import { deliveryKey } from "../../src/webhooks/delivery.ts";
import {
  QuarantineError,
  RetryLaterError,
  sharedSecret,
  standardWebhooks,
} from "../../src/webhooks/index.ts";
import { memoryInbox } from "../../src/webhooks/sqlite/index.ts";
import { deliver } from "../support/payloads.ts";
import {
  another,
  endless,
  NAME,
  numberOf,
  type Options,
  startReceiver,
  until,
  updated,
  version,
} from "./receiving.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const LOST = "bankaccount.state_changed";
const text = JSON.stringify(updated);
const reversed = Object.fromEntries(Object.entries(updated).reverse());

/** A delivery signed by Standard Webhooks, which does not sign the event's name. */
function signed(id: string, name: string, body: unknown): Request {
  const request = deliver(name, body);
  const at = new Date();
  request.headers.set("webhook-id", id);
  request.headers.set("webhook-timestamp", String(Math.floor(at.getTime() / 1000)));
  request.headers.set("webhook-signature", new Webhook(SECRET).sign(id, at, JSON.stringify(body)));
  return request;
}

/** A receiver with an inbox that acknowledges handled deliveries. */
const direct = (handler: (...args: never[]) => unknown, options: Options = {}) =>
  startReceiver(handler, { inbox: memoryInbox(), acknowledge: "handled", ...options });

/** A receiver that counts the handled deliveries of all events. */
function counting(options: Options = {}) {
  const handled: string[] = [];
  const keep = ({ name }: { name: string }) => void handled.push(name);
  const on = { [NAME]: keep, "transaction.created": keep, [LOST]: keep };
  return { handled, ...direct(keep, { on, fallback: keep, ...options }) };
}

describe.each(["handled", "stored"] as const)("a verified webhook-id, %s", (acknowledge) => {
  test.each([
    [LOST, make(LOST), LOST],
    ["card.frozen", { id: 1 }, "card.frozen"],
    [NAME, updated, "transaction.created"],
    [NAME, updated, "card.frozen"],
  ])("deduplicates %s, also under another name or with another body", async (name, body, other) => {
    const verify = standardWebhooks({ secrets: SECRET });
    const { receiver, handled, count } = counting({ acknowledge, verify });
    await receiver(signed("msg_1", name, body));
    await until(() => expect(handled).toHaveLength(1));
    await receiver(signed("msg_1", other, body));
    await receiver(signed("msg_1", name, { ...body, metadata: { n: 2 } }));
    await until(() => expect(count("duplicate")).toBe(2));
    await receiver(signed("msg_2", name, body));
    await until(() => expect(handled).toHaveLength(2));
  });
});

test("an invalid delivery under a forged name does not use up its id", async () => {
  const { receiver, handled } = counting({ verify: standardWebhooks({ secrets: SECRET }) });
  expect((await receiver(signed("msg_1", LOST, updated))).status).toBe(422);
  expect((await receiver(signed("msg_1", NAME, updated))).status).toBe(204);
  expect(handled).toEqual([NAME]);
});

test.each<[string, Options]>([
  ["no verify", {}],
  ["a verify that returns true", { verify: () => true }],
  ["sharedSecret", { verify: sharedSecret({ header: "x-signature", secret: "open sesame" }) }],
  ["a verify that found none", { verify: () => ({ verified: true, deliveryId: null }) }],
  ["a verify that found an empty one", { verify: () => ({ verified: true, deliveryId: "" }) }],
])("a webhook-id that is not verified identifies nothing: %s", async (_, options) => {
  const { receiver, outcomes } = counting(options);
  for (const n of [1, 2, 2]) {
    const request = deliver(NAME, version(n));
    request.headers.set("webhook-id", "msg_1");
    request.headers.set("x-signature", "open sesame");
    await receiver(request);
  }
  expect(outcomes()).toEqual(["handled", "handled", "duplicate"]);
});

describe("a key", () => {
  const keyOf = (name: string, body: string, id?: string) => {
    const reading = readEvent(name, JSON.parse(body));
    if (!reading.ok) throw new Error(`${name}: ${reading.findings[0]?.message}`);
    return deliveryKey(reading.event, id, body);
  };
  const withMember = (json: string) => text.replace("{", `{"later":${json},`);

  test("of content does not depend on white space and the order of members", async () => {
    const key = await keyOf(NAME, text);
    const [spaced, other] = [JSON.stringify(updated, null, 2), JSON.stringify(reversed)];
    for (const same of [spaced, other, text.replaceAll("/", "\\u002f")]) {
      expect(await keyOf(NAME, same)).toBe(key);
    }
  });

  test("differs by name, by any value, by the order of a list, by id, and by its kind", async () => {
    const numbers = ["[1,2]", "[2,1]", "[[1],2]", "1", "1e400"];
    const others = ['"1"', "null", '{"a":1}', '"\\ud800"'];
    const ids = ["a", "A", "a ", " a", "a, a", "id:a", "\ud800\u0000", "__proto__"];
    const content = await keyOf(NAME, text);
    const keys = await Promise.all([
      keyOf("transaction.created", text),
      keyOf(NAME, JSON.stringify(version(2))),
      ...[...numbers, ...others].map((json) => keyOf(NAME, withMember(json))),
      ...[...ids, content ?? "", "x".repeat(1_000_000)].map((id) => keyOf(NAME, text, id)),
    ]);
    expect(new Set([...keys, content]).size).toBe(keys.length + 1);
    for (const key of [content, ...keys]) expect(key).toMatch(/^(id:)?[0-9a-f]{64}$/);
  });

  test("of a body that is nested too deeply is that of its text", async () => {
    const deep = withMember(`${"[".repeat(200_000)}${"]".repeat(200_000)}`);
    const key = await deliveryKey({ name: NAME, body: JSON.parse(deep) }, undefined, deep);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
  });

  test("is null if equal content can be a new event", async () => {
    const lost = JSON.stringify(make(LOST));
    expect([await keyOf(LOST, lost), await keyOf("card.frozen", "{}")]).toEqual([null, null]);
  });
});

describe("a receiver that acknowledges handled deliveries", () => {
  test("handles duplicates once, also concurrent ones and with reordered members", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const handler = vi.fn(() => promise);
    const { receiver } = direct(handler);
    const sent = [updated, updated, reversed].map((body) => receiver(deliver(NAME, body)));
    await until(() => expect(handler).toHaveBeenCalledOnce());
    resolve();
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(handler).toHaveBeenCalledOnce();
  });

  test.each([
    ["fails", () => Promise.reject(new Error("no")), {}],
    ["does not end in time", endless, { timeoutMs: 20 }],
  ])("handles a delivery again if its handler %s", async (_how, first, work) => {
    const handler = vi.fn().mockImplementationOnce(first);
    const { receiver } = direct(handler, { work });
    expect((await receiver(deliver(NAME, updated))).status).toBe(500);
    await until(async () => expect((await receiver(deliver(NAME, updated))).status).toBe(204));
    expect(handler).toHaveBeenCalledTimes(2);
  });

  test("handles both losses of a bank account that is lost twice", async () => {
    const { receiver, handled } = counting();
    for (const _ of [1, 2]) await receiver(deliver(LOST, make(LOST)));
    expect(handled).toHaveLength(2);
  });

  test.each<[string, () => Promise<"busy">, number, string | null]>([
    ["while another process handles its resource", async () => "busy", 503, "5"],
    ["if the inbox fails", () => Promise.reject(new Error("disk full")), 500, null],
  ])("refuses a delivery %s", async (_when, once, status, retryAfter) => {
    const { receiver } = direct(() => {}, { inbox: Object.assign(memoryInbox(), { once }) });
    const response = await receiver(deliver(NAME, updated));
    expect([response.status, response.headers.get("retry-after")]).toEqual([status, retryAfter]);
  });
});

describe("without an inbox", () => {
  test("deliveries of a resource are handled one after another, others in parallel", async () => {
    const log: number[] = [];
    const ends: (() => void)[] = [];
    const { receiver } = startReceiver(async (event: never) => {
      log.push(numberOf(event));
      await new Promise<void>((resolve) => ends.push(resolve));
      if (numberOf(event) === 1) throw new Error("no");
    });
    const sent = [version(1), version(2), another(3)].map((body) => receiver(deliver(NAME, body)));
    await until(() => expect(log).toEqual([1, 3]));
    for (const end of ends.splice(0)) end();
    await until(() => expect(log).toEqual([1, 3, 2]));
    for (const end of ends) end();
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([500, 204, 204]);
  });

  test("a delivery that waited for its whole time limit is not handled", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const handler = vi.fn(() => promise);
    const { receiver } = startReceiver(handler, { work: { timeoutMs: 20 } });
    const sent = [version(1), version(2)].map((body) => receiver(deliver(NAME, body)));
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([500, 500]);
    resolve();
    await wait(20);
    expect(handler).toHaveBeenCalledOnce();
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
    const { receiver, outcomes } = startReceiver(() => Promise.reject(error));
    const response = await receiver(deliver(NAME, updated));
    expect([response.status, response.headers.get("retry-after")]).toEqual([status, retryAfter]);
    expect(await response.text()).not.toContain(error.message);
    expect(outcomes()).toEqual([outcome]);
  });
});
