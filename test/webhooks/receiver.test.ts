import { describe, expect, test, vi } from "vitest";
import type { FeedEvent } from "../../src/contract/index.ts";
import {
  createReceiver,
  hmacSha256,
  sharedSecret,
  standardWebhooks,
} from "../../src/webhooks/index.ts";
import { memoryInbox } from "../../src/webhooks/sqlite/index.ts";
import { deliver } from "../support/payloads.ts";
import { NAME, type Options, startReceiver, updated } from "./receiving.ts";

/** A receiver that records what it handles and reports. */
function recording(options: Options = {}) {
  const events: FeedEvent[] = [];
  const keep = (event: FeedEvent) => void events.push(event);
  return { events, ...startReceiver(keep, { fallback: keep, ...options }) };
}

const text = JSON.stringify(updated);

describe("a valid delivery", () => {
  test("reaches its handler and gets a 204 without a body", async () => {
    const { receiver, events, reports } = recording();
    const response = await receiver(deliver(NAME, updated));
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expect(events).toEqual([{ name: NAME, body: updated }]);
    expect(reports).toEqual([{ event: NAME, outcome: "handled", durationMs: expect.any(Number) }]);
  });

  test("is accepted and dropped if it has no handler", async () => {
    const { receiver, events, reports } = recording({ on: {} });
    expect((await receiver(deliver(NAME, updated))).status).toBe(204);
    expect([events, reports[0]?.outcome]).toEqual([[], "ignored"]);
  });

  test.each([
    ["with a charset", text, "application/json; charset=utf-8"],
    ["of a type in upper case", text, "Application/JSON"],
    ["of a type that ends in +json", text, "application/vnd.feed.v2+json"],
    ["with a byte order mark", `\ufeff${text}`, "application/json ;charset=UTF-8"],
    ["with members of prototypes", text.replace("{", '{"__proto__":{"a":1},'), "application/json"],
  ])("is accepted %s", async (_what, body, contentType) => {
    const { receiver, events } = recording();
    expect((await receiver(deliver(NAME, body, { contentType }))).status).toBe(204);
    expect(Object.getPrototypeOf(events[0]?.body)).toBe(Object.prototype);
  });
});

test.each(["card.frozen", "__proto__", "constructor", "toString", "unknown"])(
  "an event called %s goes to the fallback and causes a notice",
  async (name) => {
    const onFinding = vi.fn();
    const { receiver, events } = recording({ onFinding });
    expect((await receiver(deliver(name, { id: 1 }))).status).toBe(204);
    expect(events).toEqual([{ name: "unknown", receivedName: name, body: { id: 1 } }]);
    expect(onFinding).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ requirement: "WHK-01", level: "notice" }),
      {
        headers: { "webhook-event-type": name },
        body: { id: 1 },
        receivedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    );
  },
);

const LONG = "x".repeat(10_000);
const coded = (coding: string) => {
  const request = deliver(NAME, updated);
  request.headers.set("content-encoding", coding);
  return request;
};
const refusals: [Request, number, reason: string, headers?: Record<string, string>][] = [
  [deliver(NAME, null, { method: "GET" }), 405, 'the method is "GET"', { allow: "POST" }],
  [deliver(NAME, updated, { method: "PUT" }), 405, 'the method is "PUT", not POST'],
  [deliver(NAME, updated, { contentType: "text/plain" }), 415, 'is "text/plain", not JSON'],
  [deliver(NAME, updated, { contentType: "application/jsonp" }), 415, '"application/jsonp", not'],
  [coded("gzip"), 415, 'is "gzip", not identity', { "accept-encoding": "identity" }],
  [coded("identity, br"), 415, 'the content-encoding is "identity, br", not identity'],
  [coded('"x"'), 415, 'the content-encoding is "\\"x\\"", not identity'],
  [coded(LONG), 415, `the content-encoding is "${"x".repeat(80)}…", not identity`],
  [deliver(NAME, "{"), 400, "the body is not JSON"],
  [deliver(NAME, ""), 400, "the body is not JSON"],
  [deliver(NAME, new Uint8Array([0x22, 0xff, 0x22])), 400, "the body is not UTF-8"],
  [deliver(null, updated), 400, "the header webhook-event-type is missing"],
  [deliver(" ", updated), 400, 'the header webhook-event-type is "", not one event'],
  [deliver("a, b", updated), 400, 'the header webhook-event-type is "a, b", not one event'],
  [deliver(NAME, LONG), 413, "the body has more than 5000 bytes"],
];
test.each(refusals)("%o is refused with %i: %s", async (request, status, reason, headers = {}) => {
  const { receiver, events, reports } = recording({ limitBytes: 5000 });
  const response = await receiver(request);
  expect(response.status).toBe(status);
  const type = { "content-type": "application/problem+json" };
  expect(Object.fromEntries(response.headers)).toMatchObject({ ...type, ...headers });
  const problem = { title: expect.any(String), status, detail: expect.any(String) };
  expect(await response.json()).toEqual(problem);
  expect(events).toEqual([]);
  expect(reports).toMatchObject([{ outcome: "refused", reason: expect.stringContaining(reason) }]);
});

test("the content-encoding identity is accepted", async () => {
  expect((await recording().receiver(coded("Identity, identity"))).status).toBe(204);
});

test.each([
  [1_048_576, 204],
  [1_048_577, 413],
])("a body of %i bytes gets %i by default", async (length, status) => {
  const body = `"${"x".repeat(length - 2)}"`;
  expect((await recording().receiver(deliver("card.frozen", body))).status).toBe(status);
});

describe("verification", () => {
  test("gets the head and the unchanged bytes", async () => {
    const verify = vi.fn(() => false);
    const { receiver, reports } = recording({ verify });
    const rawBody = new Uint8Array([0xff, 0x7b]);
    expect((await receiver(deliver(NAME, rawBody))).status).toBe(401);
    const head = { url: "https://consumer.example/feed", method: "POST" };
    expect(verify).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(head), rawBody);
    const reason = "verify returned false";
    expect(reports).toMatchObject([{ event: null, outcome: "unverified", reason }]);
  });

  const noKey = new Error("no key");
  test.each<[string, verify: () => unknown, number, string]>([
    ["true", async () => true, 204, "handled"],
    ["a verified delivery", () => ({ verified: true, eventName: NAME }), 204, "handled"],
    ["another truthy value", () => ({ id: 1 }), 401, "unverified"],
    ["a text", () => ({ verified: "true" }), 401, "unverified"],
    ["nothing", () => undefined, 401, "unverified"],
    ["another event's name", () => ({ verified: true, eventName: "a" }), 401, "unverified"],
    ["a misspelled member", () => ({ verified: true, eventname: NAME }), 500, "failed"],
    ["an id that is no text", () => ({ verified: true, deliveryId: 12 }), 500, "failed"],
    ["an error", () => Promise.reject(noKey), 500, "failed"],
    ["no result, but throws", vi.fn().mockThrow(noKey), 500, "failed"],
  ])("that returns %s", async (_what, verify, status, outcome) => {
    const { receiver, events, outcomes } = recording({ verify: verify as never });
    const response = await receiver(deliver(NAME, updated));
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain("no key");
    expect([events.length, outcomes()]).toEqual([status === 204 ? 1 : 0, [outcome]]);
  });
});

describe("a delivery that breaks the contract", () => {
  const broken = { ...updated, transactionSettledAmount: "12.30" };

  test("is 422 with its findings, after onInvalid completed, and is not stored", async () => {
    let isDone = false;
    const onInvalid = vi.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      isDone = true;
    });
    const inbox = memoryInbox();
    const { receiver, reports } = recording({ onInvalid, inbox, work: false });
    const response = await receiver(deliver(NAME, broken));
    expect([response.status, isDone]).toEqual([422, true]);
    const finding = expect.objectContaining({ level: "error", path: "/transactionSettledAmount" });
    expect(await response.json()).toEqual({
      title: "Unprocessable Content",
      status: 422,
      detail: "transaction.updated breaks the contract; findings: 1",
      findings: [finding],
    });
    const delivery = expect.objectContaining({ body: broken });
    expect(onInvalid).toHaveBeenCalledExactlyOnceWith(delivery, [finding]);
    expect(reports).toMatchObject([{ event: NAME, outcome: "invalid" }]);
    expect(await inbox.count()).toBe(0);
  });

  test("gets the first 50 of many findings", async () => {
    const messages = Array.from({ length: 80 }, () => ({}));
    const body = { ...updated, _embedded: { messages } };
    const response = await recording().receiver(deliver(NAME, body));
    const { detail, findings } = (await response.json()) as { detail: string; findings: [] };
    expect(findings).toHaveLength(50);
    expect(detail).toMatch(/findings: \d{2,}; the first 50 are listed$/);
  });
});

describe.each<[string, () => unknown]>([
  ["rejects", () => Promise.reject(new Error("secret: s3cr3t"))],
  ["throws", vi.fn().mockThrow(new Error("secret: s3cr3t"))],
])("a function that %s", (_how, fail) => {
  test.each([NAME, "card.frozen"])(
    "as the handler of %s is a 500 without details",
    async (name) => {
      const { receiver, reports } = recording({ on: { [NAME]: fail }, fallback: fail });
      const response = await receiver(deliver(name, updated));
      expect(response.status).toBe(500);
      expect(await response.text()).not.toMatch(/s3cr3t|receiver\.test|Error:/);
      const error = expect.objectContaining({ message: "secret: s3cr3t" });
      expect(reports).toEqual([expect.objectContaining({ outcome: "failed", error })]);
    },
  );

  test("as a hook changes no response, and none prints anything", async () => {
    const prints = (["error", "log", "warn"] as const).map((name) => vi.spyOn(console, name));
    const on = { [NAME]: fail };
    const { receiver } = recording({ on, onFinding: fail, onInvalid: fail, onDelivery: fail });
    expect((await receiver(deliver(NAME, updated))).status).toBe(500);
    expect((await receiver(deliver(NAME, {}))).status).toBe(422);
    expect((await receiver(deliver("card.frozen", {}))).status).toBe(204);
    for (const print of prints) expect(print).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });
});

describe("deliveries that wait", () => {
  const inboxOf = (add: Promise<"added">) => Object.assign(memoryInbox(), { add: () => add });
  test.each<[string, (end: Promise<"added">) => Options]>([
    ["stored", (end) => ({ inbox: inboxOf(end), work: false })],
    ["handled", (end) => ({ fallback: () => end })],
  ])("to be %s are bounded", async (_for, optionsOf) => {
    const { promise, resolve } = Promise.withResolvers<"added">();
    const { receiver, reports } = recording(optionsOf(promise));
    const sent: Promise<Response>[] = [];
    const send = (n: number) => receiver(deliver("card.frozen", `"${n}${"x".repeat(1_000_000)}"`));
    for (let n = 0; n < 40 && reports.length === 0; n += 1) {
      sent.push(send(n));
      // Longer than a refusal takes.
      await new Promise((next) => setTimeout(next, 30));
    }
    expect(sent).toHaveLength(34);
    const refused = await sent.pop();
    expect([refused?.status, refused?.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(reports).toMatchObject([{ outcome: "busy", reason: expect.stringMatching(/ bytes$/) }]);
    resolve("added");
    for (const each of sent) expect((await each).ok).toBe(true);
    expect((await send(99)).ok).toBe(true);
  });

  test("are not stored if their sender has gone", async () => {
    const inbox = memoryInbox();
    const { receiver, outcomes } = recording({ inbox, work: false });
    const readBody = async () => new TextEncoder().encode(text);
    for (const isGone of [() => true, () => false]) {
      await receiver.receive({ request: deliver(NAME, updated), readBody, isGone });
    }
    expect(outcomes()).toEqual(["refused", "stored"]);
    expect(await inbox.count()).toBe(1);
  });
});

class Handlers {
  [NAME]() {}
}
const inbox = { add: vi.fn(), take: vi.fn(async () => []) };
const DURATIONS = ["leaseMs", "timeoutMs", "pollMs"];
const invalidOptions: [options: object | undefined | null, message: string][] = [
  [undefined, "createReceiver: options must be an object; got undefined"],
  [{ on: undefined }, "createReceiver: on must be an object; got undefined: give a handler"],
  [{ on: null }, "createReceiver: on must be an object; got null"],
  [{ on: { "transaction.deleted": () => {} } }, 'no event "transaction.deleted"'],
  [{ on: { unknown: () => {} } }, 'there is no event "unknown"; events: '],
  [{ on: { [NAME]: undefined } }, `the handler of "${NAME}" is not a function`],
  [{ on: new Handlers() }, "methods of a class are not found"],
  [{ on: [{ [NAME]() {} }, { [NAME]() {} }] }, `"${NAME}" has two handlers`],
  [{ oninvalid: () => {} }, 'did you mean "onInvalid"?'],
  [{ verify: null }, "createReceiver: verify must be a function; got null"],
  [{ networks: { A: "x" } }, 'networks: unknown option "A"; did you mean'],
  [{ inbox: "feed.db" }, "inbox must be an inbox, such as sqliteInbox("],
  [{ acknowledge: "later" }, 'must be "stored" or "handled"; got later'],
  [{ acknowledge: "stored" }, 'acknowledge: "stored" needs an inbox'],
  [{ work: false }, "work can only be false if deliveries are stored"],
  [{ work: false, inbox, acknowledge: "handled" }, "work can only be false if deliveries are"],
  [{ keepHeaders: "a" }, "keepHeaders must be a list of names; got a"],
  [{ telemetry: {} }, "telemetry must be a telemetry, such as openTelemetry(); got [object"],
  [{ work: { orderBy: "a" } }, '"resource", "none" or a function; got a'],
  [{ work: { retryDelayMs: 1 } }, 'did you mean "retryDelaysMs"?'],
  [{ inbox, work: { retryDelaysMs: [1, -1] } }, "work.retryDelaysMs must"],
  ...[0, -1, 1.5, Number.NaN].flatMap((value): typeof invalidOptions => [
    [{ limitBytes: value }, `limitBytes must be an integer of at least 1; got ${value}`],
    ...["concurrency", ...DURATIONS].map((name): (typeof invalidOptions)[number] => [
      { inbox, work: { [name]: value } },
      `work.${name} must be an integer of at least 1; got ${value}`,
    ]),
  ]),
  ...[2 ** 31, Number.POSITIVE_INFINITY].flatMap((value) =>
    DURATIONS.map((name): (typeof invalidOptions)[number] => [
      { inbox, work: { [name]: value } },
      `work.${name} must be an`,
    ]),
  ),
];
test.each(invalidOptions)("createReceiver refuses %o", (options, message) => {
  const all = options && { on: {}, ...options };
  expect(() => createReceiver(all as never)).toThrow(
    expect.objectContaining({ code: "usage", message: expect.stringContaining(message) }),
  );
  expect(inbox.take).not.toHaveBeenCalled();
});

test.each<[(options: never) => unknown, object, string]>([
  [standardWebhooks, { secret: "YQ==" }, 'did you mean "secrets"?'],
  [hmacSha256, { header: "a", secret: "b", encoding: "hex", prefx: "" }, 'did you mean "prefix"?'],
  [sharedSecret, { header: "a", secrets: "b" }, 'did you mean "secret"?'],
])("%o refuses %o", (create, options, message) => {
  expect(() => create(options as never)).toThrow(message);
});

test.each<[object, string]>([
  [{ graceMS: 1 }, 'did you mean "graceMs"?'],
  [{ graceMs: Number.NaN }, "close: graceMs must be an integer of at least 0; got NaN"],
  [{ graceMs: 2 ** 31 }, "close: graceMs must be an integer of at most 2147483647"],
])("close refuses %o", async (options, message) => {
  await expect(createReceiver({ on: {} }).close(options)).rejects.toThrow(message);
});

test("undefined is a valid value of every option but `on`", async () => {
  const names = ["fallback", "verify", "limitBytes", "inbox", "acknowledge", "keepHeaders", "work"];
  const hooks = ["now", "networks", "telemetry", "onFinding", "onInvalid", "onDelivery"];
  const options = Object.fromEntries([...names, ...hooks].map((name) => [name, undefined]));
  const receiver = createReceiver({ on: {}, ...options });
  expect((await receiver(deliver(NAME, updated))).status).toBe(204);
});
