import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { FeedEvent } from "../../src/contract/index.ts";
import { BodyConsumedError, TxfeedError } from "../../src/errors.ts";
import { make } from "../../src/fixtures/index.ts";
import {
  createReceiver,
  type DeliveryReport,
  memoryInbox,
  type ReceiverOptions,
} from "../../src/webhooks/index.ts";
import { deliver } from "../support/payloads.ts";

/** A receiver that records what it handles and reports. */
function recording(options: Partial<ReceiverOptions> = {}) {
  const events: FeedEvent[] = [];
  const reports: DeliveryReport[] = [];
  const keep = (event: FeedEvent) => void events.push(event);
  const receiver = createReceiver({
    on: { "transaction.updated": keep, "bankaccount.state_changed": keep },
    fallback: keep,
    onDelivery: (report) => reports.push(report),
    ...options,
  });
  return { receiver, events, reports };
}

const updated = make("transaction.updated");

describe("a valid delivery", () => {
  test("reaches its handler and gets a 204 without a body", async () => {
    const { receiver, events, reports } = recording();
    const response = await receiver(deliver("transaction.updated", updated));
    expect(response.status).toBe(204);
    expect(await response.text()).toBe("");
    expect(events).toEqual([{ name: "transaction.updated", body: updated }]);
    expect(reports).toEqual([
      { event: "transaction.updated", outcome: "handled", durationMs: expect.any(Number) },
    ]);
  });

  test("gets its response after its handler completed", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let isAnswered = false;
    const { receiver } = recording({ on: { "transaction.updated": () => promise } });
    const pending = receiver(deliver("transaction.updated", updated)).then((response) => {
      isAnswered = true;
      return response;
    });
    await new Promise((through) => setTimeout(through, 20));
    expect(isAnswered).toBe(false);
    resolve();
    expect((await pending).status).toBe(204);
  });

  test("is accepted and dropped if it has no handler", async () => {
    const { receiver, events, reports } = recording({ on: {} });
    expect((await receiver(deliver("transaction.updated", updated))).status).toBe(204);
    expect(events).toEqual([]);
    expect(reports[0]?.outcome).toBe("ignored");
  });

  test.each([
    "application/json; charset=utf-8",
    "Application/JSON",
    "application/vnd.feed.v2+json",
    "application/json ;charset=UTF-8",
  ])("may be %s", async (contentType) => {
    const { receiver } = recording();
    const request = deliver("transaction.updated", updated, { contentType });
    expect((await receiver(request)).status).toBe(204);
  });

  test("may begin with a byte order mark", async () => {
    const { receiver, events } = recording();
    await receiver(deliver("transaction.updated", `\ufeff${JSON.stringify(updated)}`));
    expect(events).toHaveLength(1);
  });

  test("may have members __proto__ and constructor", async () => {
    const { receiver, events } = recording({ inbox: memoryInbox(), acknowledge: "handled" });
    const hostile = `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},`;
    const text = JSON.stringify(updated).replace("{", hostile);
    expect((await receiver(deliver("transaction.updated", text))).status).toBe(204);
    expect(Object.getPrototypeOf(events[0]?.body)).toBe(Object.prototype);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

describe("an unknown event", () => {
  test("goes to the fallback and causes a notice", async () => {
    const onFinding = vi.fn();
    const { receiver, events } = recording({ onFinding });
    expect((await receiver(deliver("card.frozen", { id: 1 }))).status).toBe(204);
    expect(events).toEqual([{ name: "unknown", receivedName: "card.frozen", body: { id: 1 } }]);
    expect(onFinding).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ requirement: "WHK-01", level: "notice" }),
      {
        headers: { "webhook-event-type": "card.frozen" },
        body: { id: 1 },
        receivedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    );
  });

  test.each(["__proto__", "constructor", "toString", "unknown"])(
    "called %s is unknown too",
    async (name) => {
      const { receiver, events } = recording();
      expect((await receiver(deliver(name, {}))).status).toBe(204);
      expect(events).toEqual([{ name: "unknown", receivedName: name, body: {} }]);
    },
  );
});

describe("an error response", () => {
  const refusals: [string, number, Request][] = [
    ["to another method", 405, deliver("transaction.updated", null, { method: "GET" })],
    ["to PUT", 405, deliver("transaction.updated", updated, { method: "PUT" })],
    ["to text", 415, deliver("transaction.updated", updated, { contentType: "text/plain" })],
    ["to jsonp", 415, deliver("x", updated, { contentType: "application/jsonp" })],
    ["to a body that is not JSON", 400, deliver("transaction.updated", "{")],
    ["to an empty body", 400, deliver("transaction.updated", "")],
    [
      "to a body that is not UTF-8",
      400,
      deliver("transaction.updated", new Uint8Array([0x22, 0xff, 0x22])),
    ],
    ["to a missing event name", 400, deliver(null, updated)],
    ["to an empty event name", 400, deliver(" ", updated)],
    ["to two event names", 400, deliver("transaction.updated, transaction.updated", updated)],
  ];
  test.each(refusals)("%s is %i, as problem+json", async (_what, status, request) => {
    const { receiver, events, reports } = recording();
    const response = await receiver(request);
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await response.json()).toEqual({
      title: expect.any(String),
      status,
      detail: expect.any(String),
    });
    expect(events).toEqual([]);
    expect(reports.map(({ outcome }) => outcome)).toEqual(["refused"]);
  });

  test("to a wrong method names the allowed one", async () => {
    const { receiver } = recording();
    const response = await receiver(deliver("x", null, { method: "GET" }));
    expect(response.headers.get("allow")).toBe("POST");
  });

  test("to a body over the limit is 413", async () => {
    const { receiver } = recording({ limitBytes: 10 });
    expect((await receiver(deliver("card.frozen", `"12345678"`))).status).toBe(204);
    expect((await receiver(deliver("card.frozen", `"123456789"`))).status).toBe(413);
  });

  test("to a body over 1 MB is 413 by default", async () => {
    const { receiver } = recording();
    const text = (length: number) => `"${"x".repeat(length - 2)}"`;
    expect((await receiver(deliver("card.frozen", text(1_048_576)))).status).toBe(204);
    expect((await receiver(deliver("card.frozen", text(1_048_577)))).status).toBe(413);
  });

  test("to an incomplete body is 408", async () => {
    const { receiver, reports } = recording();
    const error = new Error("reset");
    const body = new ReadableStream({ pull: (controller) => controller.error(error) });
    const { url, headers } = deliver("transaction.updated", updated);
    const init = { method: "POST", headers, body, duplex: "half" };
    const { status } = await receiver(new Request(url, init));
    expect(status).toBe(408);
    expect(reports).toMatchObject([
      { outcome: "refused", error: { code: "body-incomplete", cause: error } },
    ]);
  });
});

test("a late body gets a 408 from every server", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { receiver, reports } = recording();
  const cancel = vi.fn();
  const body = new ReadableStream({ start: (it) => it.enqueue(new Uint8Array([0x7b])), cancel });
  const { url, headers } = deliver("transaction.updated", updated);
  const init = { method: "POST", headers, body, duplex: "half" };
  const pending = receiver(new Request(url, init));
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await pending).status).toBe(408);
  expect(cancel).toHaveBeenCalledOnce();
  expect(reports).toMatchObject([
    {
      outcome: "refused",
      reason: "the body did not come in time, after 1 bytes",
      error: { code: "body-incomplete" },
    },
  ]);
  expect(vi.getTimerCount()).toBe(0);
});

describe("verification", () => {
  test("gets the head and the unchanged bytes", async () => {
    const verify = vi.fn(() => false);
    const { receiver, reports } = recording({ verify });
    const rawBody = new Uint8Array([0xff, 0x7b]);
    const response = await receiver(deliver("transaction.updated", rawBody));
    expect(response.status).toBe(401);
    expect(verify).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ url: "https://consumer.example/feed", method: "POST" }),
      rawBody,
    );
    expect(reports).toMatchObject([{ event: null, outcome: "unverified" }]);
  });

  test("accepts an authentic delivery", async () => {
    const { receiver, events } = recording({ verify: async () => true });
    expect((await receiver(deliver("transaction.updated", updated))).status).toBe(204);
    expect(events).toHaveLength(1);
  });

  test("accepts only true", async () => {
    const { receiver } = recording({ verify: (() => ({ id: 1 })) as never });
    expect((await receiver(deliver("transaction.updated", updated))).status).toBe(401);
  });

  test("that throws refuses the delivery with 500", async () => {
    const error = new Error("no key");
    const { receiver, events, reports } = recording({ verify: () => Promise.reject(error) });
    const response = await receiver(deliver("transaction.updated", updated));
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("no key");
    expect(events).toEqual([]);
    expect(reports).toMatchObject([{ outcome: "failed", error }]);
  });
});

describe("a delivery that breaks the contract", () => {
  const broken = { ...updated, transactionSettledAmount: "12.30" };

  test("is 422 with its findings, and goes to onInvalid", async () => {
    const onInvalid = vi.fn();
    const { receiver, events, reports } = recording({ onInvalid });
    const response = await receiver(deliver("transaction.updated", broken));
    expect(response.status).toBe(422);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
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
    expect(reports).toMatchObject([{ event: "transaction.updated", outcome: "invalid" }]);
  });

  test("gets its response after onInvalid completed", async () => {
    let isStored = false;
    const onInvalid = async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      isStored = true;
    };
    const { receiver } = recording({ onInvalid });
    await receiver(deliver("transaction.updated", broken));
    expect(isStored).toBe(true);
  });

  test("gets the first 50 of many findings", async () => {
    const { receiver } = recording();
    const messages = Array.from({ length: 80 }, () => ({}));
    const body = { ...updated, _embedded: { messages } };
    const response = await receiver(deliver("transaction.updated", body));
    const { detail, findings } = (await response.json()) as { detail: string; findings: [] };
    expect(findings).toHaveLength(50);
    expect(detail).toMatch(/findings: \d{2,}; the first 50 are listed$/);
  });
});

describe("failures", () => {
  test("of a handler are 500 without details", async () => {
    const error = new Error("secret: s3cr3t");
    const handlers = [
      () => Promise.reject(error),
      () => {
        throw error;
      },
    ];
    for (const handler of handlers) {
      const { receiver, reports } = recording({ on: { "transaction.updated": handler } });
      const response = await receiver(deliver("transaction.updated", updated));
      expect(response.status).toBe(500);
      expect(await response.text()).not.toMatch(/s3cr3t|receiver\.test|Error:/);
      expect(reports).toMatchObject([{ outcome: "failed", error }]);
    }
  });

  test("of the fallback are 500", async () => {
    const { receiver } = recording({ fallback: () => Promise.reject(new Error("no")) });
    expect((await receiver(deliver("card.frozen", {}))).status).toBe(500);
  });

  test("of hooks do not change the response", async () => {
    const hooks = [
      () => {
        throw new Error("no");
      },
      () => Promise.reject(new Error("no")),
    ];
    for (const hook of hooks) {
      const { receiver } = recording({ onFinding: hook, onInvalid: hook, onDelivery: hook });
      expect((await receiver(deliver("transaction.updated", updated))).status).toBe(204);
      expect((await receiver(deliver("transaction.updated", {}))).status).toBe(422);
      expect((await receiver(deliver("card.frozen", {}))).status).toBe(204);
    }
  });

  test("of a framework that read the body reject", async () => {
    const { receiver } = recording();
    const eaten = new BodyConsumedError("the body was read before");
    const request = deliver("transaction.updated", updated);
    const received = receiver.receive({ request, readBody: () => Promise.reject(eaten) });
    await expect(received).rejects.toBe(eaten);
  });

  test("print nothing", async () => {
    const prints = [
      vi.spyOn(console, "error"),
      vi.spyOn(console, "log"),
      vi.spyOn(console, "warn"),
    ];
    const { receiver } = recording({ on: { "transaction.updated": () => Promise.reject(1) } });
    await receiver(deliver("transaction.updated", updated));
    await receiver(deliver("transaction.updated", {}));
    for (const print of prints) expect(print).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });
});

describe("registration", () => {
  const refused = (options: unknown) => () => createReceiver(options as ReceiverOptions);

  test("refuses an unknown event in one line", () => {
    expect(refused({ on: { "transaction.deleted": () => {} } })).toThrow(
      /^createReceiver: there is no event "transaction.deleted"; events: transactionmessage\.created,.*$/,
    );
    expect(refused({ on: { unknown: () => {} } })).toThrow(TxfeedError);
  });

  test("accepts several maps and refuses a second handler", async () => {
    const events: string[] = [];
    const part = (name: "transaction.updated" | "transaction.created") => ({
      [name]: () => events.push(name),
    });
    const on = [part("transaction.updated"), part("transaction.created")];
    await recording({ on }).receiver(deliver("transaction.created", make("transaction.created")));
    expect(events).toEqual(["transaction.created"]);
    expect(refused({ on: [...on, part("transaction.updated")] })).toThrow(
      `createReceiver: "transaction.updated" has two handlers; register one that calls both`,
    );
  });

  test("refuses methods of a class, which would never be called", () => {
    class Part {
      "transaction.updated"() {}
    }
    expect(refused({ on: new Part() })).toThrow(
      "createReceiver: methods of a class are not found; give a plain object of functions",
    );
  });

  test("refuses a handler that is not a function, and a wrong limit", () => {
    expect(refused({ on: { "transaction.updated": undefined } })).toThrow(
      `createReceiver: the handler of "transaction.updated" is not a function`,
    );
    for (const limitBytes of [0, -1, 1.5, Number.NaN]) {
      expect(refused({ on: {}, limitBytes })).toThrow(
        /^createReceiver: limitBytes must be an integer of at least 1; got /,
      );
    }
  });

  test.each([
    ["concurrency", { concurrency: Number.NaN }],
    ["concurrency", { concurrency: 0 }],
    ["leaseMs", { leaseMs: 0.5 }],
    ["pollMs", { pollMs: Number.NaN }],
    ["timeoutMs", { timeoutMs: -1 }],
    ["retryDelaysMs", { retryDelaysMs: [1, Number.NaN] }],
    ["retryDelaysMs", { retryDelaysMs: [-1] }],
  ])("refuses work.%s that would stall the worker", (name, work) => {
    const inbox = { add: vi.fn(), take: vi.fn(async () => []) };
    expect(refused({ on: {}, inbox, work })).toThrow(
      expect.objectContaining({
        code: "usage",
        message: expect.stringContaining(`work.${name} must be an integer of at least `),
      }),
    );
    expect(inbox.take).not.toHaveBeenCalled();
  });
});
