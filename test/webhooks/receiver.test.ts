import { describe, expect, test, vi } from "vitest";
import type { FeedEvent } from "../../src/contract/index.ts";
import { BodyConsumedError } from "../../src/errors.ts";
import { make } from "../../src/fixtures/index.ts";
import {
  createReceiver,
  type DeliveryReport,
  hmacSha256,
  type Inbox,
  type ReceiverOptions,
  sharedSecret,
  standardWebhooks,
} from "../../src/webhooks/index.ts";
import { memoryInbox } from "../../src/webhooks/sqlite/index.ts";
import { deliver } from "../support/payloads.ts";

/** A receiver that records what it handles and reports. */
function recording(options: Partial<ReceiverOptions<never>> = {}) {
  const events: FeedEvent[] = [];
  const reports: DeliveryReport[] = [];
  const keep = (event: FeedEvent) => void events.push(event);
  const receiver = createReceiver<never>({
    on: { "transaction.updated": keep, "bankaccount.state_changed": keep },
    fallback: keep,
    onDelivery: (report) => reports.push(report),
    ...options,
  });
  return { receiver, events, reports };
}

const NAME = "transaction.updated";
const updated = make(NAME);
const text = JSON.stringify(updated);

describe("a valid delivery", () => {
  test("reaches its handler and gets a 204 without a body", async () => {
    const { receiver, events, reports } = recording();
    const response = await receiver(deliver(NAME, updated));
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expect(events).toEqual([{ name: NAME, body: updated }]);
    expect(reports).toEqual([{ event: NAME, outcome: "handled", durationMs: expect.any(Number) }]);
  });

  test("gets its response after its handler completed", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { receiver } = recording({ on: { [NAME]: () => promise } });
    const pending = receiver(deliver(NAME, updated));
    const early = new Promise((through) => setTimeout(through, 20, "early"));
    expect(await Promise.race([pending, early])).toBe("early");
    resolve();
    expect((await pending).status).toBe(204);
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
const withEncoding = (coding: string) => {
  const request = deliver(NAME, updated);
  request.headers.set("content-encoding", coding);
  return request;
};
const refusals: [Request, number, string][] = [
  [deliver(NAME, null, { method: "GET" }), 405, 'the method is "GET", not POST'],
  [deliver(NAME, updated, { method: "PUT" }), 405, 'the method is "PUT", not POST'],
  [deliver(NAME, updated, { contentType: "text/plain" }), 415, 'is "text/plain", not JSON'],
  [deliver(NAME, updated, { contentType: "application/jsonp" }), 415, '"application/jsonp", not'],
  [withEncoding("gzip"), 415, 'the content-encoding is "gzip", not identity'],
  [deliver(NAME, "{"), 400, "the body is not JSON"],
  [deliver(NAME, ""), 400, "the body is not JSON"],
  [deliver(NAME, new Uint8Array([0x22, 0xff, 0x22])), 400, "the body is not UTF-8"],
  [deliver(null, updated), 400, "the header webhook-event-type is missing"],
  [deliver(" ", updated), 400, 'the header webhook-event-type is "", not one event'],
  [deliver("a, b", updated), 400, 'the header webhook-event-type is "a, b", not one event'],
  [deliver(NAME, LONG), 413, "the body has more than 5000 bytes"],
];
test.each(refusals)("%o is refused with %i: %s", async (request, status, reason) => {
  const { receiver, events, reports } = recording({ limitBytes: 5000 });
  const response = await receiver(request);
  expect(response.status).toBe(status);
  expect(response.headers.get("allow")).toBe(status === 405 ? "POST" : null);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  const { title, detail } = (await response.json()) as Record<string, unknown>;
  expect([typeof title, typeof detail]).toEqual(["string", "string"]);
  expect(events).toEqual([]);
  expect(reports).toMatchObject([{ outcome: "refused", reason: expect.stringContaining(reason) }]);
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
    expect(verify).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ url: "https://consumer.example/feed", method: "POST" }),
      rawBody,
    );
    expect(reports).toMatchObject([
      { event: null, outcome: "unverified", reason: "verify returned false" },
    ]);
  });

  test.each<[string, () => unknown, number, string]>([
    ["true", async () => true, 204, "handled"],
    ["a verified delivery", () => ({ verified: true, eventName: NAME }), 204, "handled"],
    ["an id", () => ({ verified: true, deliveryId: "msg_1" }), 204, "handled"],
    ["an empty id", () => ({ verified: true, deliveryId: "", eventName: NAME }), 204, "handled"],
    ["another truthy value", () => ({ id: 1 }), 401, "unverified"],
    ["a text", () => ({ verified: "true" }), 401, "unverified"],
    ["nothing", () => undefined, 401, "unverified"],
    ["another event's name", () => ({ verified: true, eventName: "a" }), 401, "unverified"],
    ["a misspelled member", () => ({ verified: true, eventname: NAME }), 500, "failed"],
    ["an id that is no text", () => ({ verified: true, deliveryId: 12 }), 500, "failed"],
    ["an error", () => Promise.reject(new Error("no key")), 500, "failed"],
    [
      "no result, but throws",
      () => {
        throw new Error("no key");
      },
      500,
      "failed",
    ],
  ])("that returns %s", async (_what, verify, status, outcome) => {
    const { receiver, events, reports } = recording({ verify: verify as never });
    const response = await receiver(deliver(NAME, updated));
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain("no key");
    expect([events.length, reports[0]?.outcome]).toEqual([status === 204 ? 1 : 0, outcome]);
  });
});

describe("a delivery that breaks the contract", () => {
  const broken = { ...updated, transactionSettledAmount: "12.30" };

  test("is 422 with its findings, after onInvalid completed", async () => {
    let isStored = false;
    const onInvalid = vi.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      isStored = true;
    });
    const { receiver, events, reports } = recording({ onInvalid });
    const response = await receiver(deliver(NAME, broken));
    expect([response.status, isStored]).toEqual([422, true]);
    const finding = expect.objectContaining({ level: "error", path: "/transactionSettledAmount" });
    expect(await response.json()).toEqual({
      title: "Unprocessable Content",
      status: 422,
      detail: "transaction.updated breaks the contract; findings: 1",
      findings: [finding],
    });
    expect(onInvalid).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ body: broken }), [
      finding,
    ]);
    expect(events).toEqual([]);
    expect(reports).toMatchObject([{ event: NAME, outcome: "invalid" }]);
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

describe("a failure", () => {
  const failing = [
    () => Promise.reject(new Error("secret: s3cr3t")),
    () => {
      throw new Error("secret: s3cr3t");
    },
  ];

  test.each(failing)("of a handler or the fallback is 500 without details", async (fail) => {
    const { receiver, reports } = recording({ on: { [NAME]: fail }, fallback: fail });
    for (const name of [NAME, "card.frozen"]) {
      const response = await receiver(deliver(name, updated));
      expect(response.status).toBe(500);
      expect(await response.text()).not.toMatch(/s3cr3t|receiver\.test|Error:/);
      expect(reports.pop()).toEqual(
        expect.objectContaining({
          outcome: "failed",
          error: expect.objectContaining({ message: "secret: s3cr3t" }),
        }),
      );
    }
  });

  test.each(failing)("of a hook does not change the response", async (hook) => {
    const { receiver } = recording({ onFinding: hook, onInvalid: hook, onDelivery: hook });
    expect((await receiver(deliver(NAME, updated))).status).toBe(204);
    expect((await receiver(deliver(NAME, {}))).status).toBe(422);
    expect((await receiver(deliver("card.frozen", {}))).status).toBe(204);
  });

  test("of a framework that read the body rejects", async () => {
    const eaten = new BodyConsumedError("the body was read before");
    const readBody = () => Promise.reject(eaten);
    const received = recording().receiver.receive({ request: deliver(NAME, updated), readBody });
    await expect(received).rejects.toBe(eaten);
  });

  test("prints nothing", async () => {
    const prints = (["error", "log", "warn"] as const).map((name) => vi.spyOn(console, name));
    const { receiver } = recording({ on: { [NAME]: () => Promise.reject(1) } });
    await receiver(deliver(NAME, updated));
    await receiver(deliver(NAME, {}));
    for (const print of prints) expect(print).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });
});

describe("deliveries that wait", () => {
  /** Sends bodies of 1 MB until the first refusal, and returns how many were accepted. */
  async function flood(receiver: ReturnType<typeof recording>["receiver"]) {
    const sent: Promise<Response>[] = [];
    for (let n = 0; n < 40; n += 1) {
      const pending = receiver(deliver("card.frozen", `"${n}${"x".repeat(1_000_000)}"`));
      const early = new Promise<"waits">((resolve) => setTimeout(resolve, 5, "waits"));
      const first = await Promise.race([pending, early]);
      if (first !== "waits") return { sent, refused: first };
      sent.push(pending);
    }
    throw new Error("none was refused");
  }

  test.each(["stored", "handled"] as const)("to be %s are bounded", async (acknowledge) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const inbox = memoryInbox();
    inbox.add = () => promise.then(() => "added" as const);
    const options = acknowledge === "stored" ? { inbox } : { fallback: () => promise };
    const { receiver, reports } = recording({ ...(options as object) });
    const { sent, refused } = await flood(receiver);
    expect(sent).toHaveLength(33);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(reports).toMatchObject([{ outcome: "busy", reason: expect.stringMatching(/ bytes$/) }]);
    resolve();
    for (const each of sent) expect((await each).ok).toBe(true);
    expect((await receiver(deliver("card.frozen", "1"))).ok).toBe(true);
    await receiver.close();
  });

  test("are not stored if their sender has gone", async () => {
    const inbox = memoryInbox();
    const { receiver, reports } = recording({ inbox: inbox as Inbox<never>, work: false });
    const bytes = new TextEncoder().encode(text);
    const readBody = async () => bytes;
    for (const isGone of [() => true, () => false]) {
      await receiver.receive({ request: deliver(NAME, updated), readBody, isGone });
    }
    expect(reports.map(({ outcome }) => outcome)).toEqual(["refused", "stored"]);
    expect(await inbox.count()).toBe(1);
  });
});

const HEADER = { header: "x-signature", secret: "a" };
const inbox = { add: vi.fn(), take: vi.fn(async () => []) };
const invalidOptions: [(options: never) => unknown, object | undefined | null, string][] = [
  [createReceiver, undefined, "createReceiver: options must be an object; got undefined"],
  [createReceiver, {}, "createReceiver: on must be an object; got undefined: give a handler"],
  [createReceiver, { on: null }, "createReceiver: on must be an object; got null"],
  [createReceiver, { on: { "transaction.deleted": () => {} } }, 'no event "transaction.deleted"'],
  [createReceiver, { on: { unknown: () => {} } }, 'there is no event "unknown"; events: '],
  [createReceiver, { on: { [NAME]: undefined } }, `the handler of "${NAME}" is not a function`],
  [
    createReceiver,
    {
      on: new (class {
        [NAME]() {}
      })(),
    },
    "methods of a class are not found",
  ],
  [createReceiver, { on: [{ [NAME]() {} }, { [NAME]() {} }] }, `"${NAME}" has two handlers`],
  [createReceiver, { on: {}, oninvalid: () => {} }, 'did you mean "onInvalid"?'],
  [createReceiver, { on: {}, verify: null }, "createReceiver: verify must be a function; got null"],
  [createReceiver, { on: {}, networks: { A: "x" } }, 'networks: unknown option "A"; did you mean'],
  [createReceiver, { on: {}, inbox: "feed.db" }, "inbox must be an inbox, such as sqliteInbox("],
  [createReceiver, { on: {}, acknowledge: "later" }, 'must be "stored" or "handled"; got later'],
  [createReceiver, { on: {}, acknowledge: "stored" }, 'acknowledge: "stored" needs an inbox'],
  [createReceiver, { on: {}, work: false }, "work can only be false if deliveries are stored"],
  [createReceiver, { on: {}, keepHeaders: "a" }, "keepHeaders must be a list of names; got a"],
  [createReceiver, { on: {}, telemetry: {} }, "telemetry must be a telemetry, such as open"],
  [createReceiver, { on: {}, work: { orderBy: "a" } }, '"resource", "none" or a function; got a'],
  [createReceiver, { on: {}, work: { retryDelayMs: 1 } }, 'did you mean "retryDelaysMs"?'],
  ...[0, -1, 1.5, Number.NaN].map((limitBytes): (typeof invalidOptions)[number] => {
    return [createReceiver, { on: {}, limitBytes }, "limitBytes must be an integer of at least 1"];
  }),
  ...(["concurrency", "leaseMs", "timeoutMs", "pollMs"] as const).flatMap((name) =>
    [0, 0.5, Number.NaN].map((value): (typeof invalidOptions)[number] => {
      const message = `work.${name} must be an integer of at least 1; got ${value}`;
      return [createReceiver, { on: {}, inbox, work: { [name]: value } }, message];
    }),
  ),
  ...[2 ** 31, Number.POSITIVE_INFINITY].flatMap((value) =>
    ["leaseMs", "timeoutMs", "pollMs"].map((name): (typeof invalidOptions)[number] => {
      return [
        createReceiver,
        { on: {}, inbox, work: { [name]: value } },
        `work.${name} must be an`,
      ];
    }),
  ),
  [createReceiver, { on: {}, inbox, work: { retryDelaysMs: [1, -1] } }, "work.retryDelaysMs must"],
  [standardWebhooks, { secret: "YQ==" }, 'did you mean "secrets"?'],
  [hmacSha256, { ...HEADER, encoding: "hex", prefx: "sha256=" }, 'did you mean "prefix"?'],
  [sharedSecret, { header: "a", secrets: "b" }, 'did you mean "secret"?'],
  [memoryInbox, { max: 1 }, 'memoryInbox: unknown option "max"; known options: '],
];
test.each(invalidOptions)("%o refuses %o", (call, options, message) => {
  expect(() => call(options as never)).toThrow(
    expect.objectContaining({ code: "usage", message: expect.stringContaining(message) }),
  );
  expect(inbox.take).not.toHaveBeenCalled();
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
