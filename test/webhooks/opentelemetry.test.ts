import { type Link, metrics, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { type Inbox, QuarantineError, RetryLaterError } from "../../src/webhooks/index.ts";
import { openTelemetry } from "../../src/webhooks/opentelemetry.ts";
import { memoryInbox } from "../../src/webhooks/sqlite/index.ts";
import { onFinished } from "../support/on-finished.ts";
import { type Recorder, recordTelemetry } from "../support/opentelemetry.ts";
import { deliver } from "../support/payloads.ts";
import { delivery } from "./inbox/store.ts";
import {
  another,
  endless,
  NAME,
  type Options,
  startReceiver,
  type Tx,
  updated,
} from "./receiving.ts";

const SENDER = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };

let inbox: Inbox<Tx>;
let clock: { now: number };
let recorder: Recorder;

beforeEach(() => {
  clock = { now: 1_000_000 };
  inbox = memoryInbox({ now: () => clock.now });
  recorder = recordTelemetry();
  onFinished(() => recorder.close());
});

/** A receiver whose telemetry is recorded. It polls the inbox all the time, unless it stores only. */
function observed(handler: (...args: never[]) => unknown, { work, ...options }: Options = {}) {
  const { meter, tracer } = recorder;
  const telemetry = openTelemetry({ meter, tracer });
  const polling = work === false ? work : { pollMs: 1, ...work };
  return startReceiver(handler, { inbox, telemetry, ...options, work: polling });
}

function fromSender(headers: Record<string, string> = {}): Request {
  const request = deliver(NAME, updated);
  request.headers.set("traceparent", `00-${SENDER.traceId}-${SENDER.spanId}-01`);
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
  return request;
}

/** Waits for the total of a metric. */
const totalOf = (metric: string, total: number) =>
  vi.waitFor(async () => {
    clock.now += 1000;
    const values = Object.entries(await recorder.values());
    const own = values.filter(([name]) => name.startsWith(metric));
    expect(own.reduce((sum, [, value]) => sum + value, 0)).toBe(total);
  });

const spanNamed = (name: string) =>
  vi.waitFor(() => {
    const found = recorder.spans().find((span) => span.name === name);
    if (!found) throw new Error(`no span ${name}`);
    return found;
  });
const idsOf = ({ traceId, spanId }: ReturnType<Span["spanContext"]>) => ({ traceId, spanId });
const linksOf = ({ links }: ReadableSpan) => links.map(({ context }: Link) => idsOf(context));

describe("metrics", () => {
  test("show the inbox", async () => {
    const receivedAt = new Date(Date.now() - 90_000).toISOString();
    const add = (lane: string) => inbox.add(delivery(null, lane, { receivedAt }));
    const lanes = ["quarantined", "delayed", "stalled", "running", "running too", "due"];
    for (const lane of [...lanes, "delayed"]) await add(lane);
    const [quarantined, delayed] = await inbox.take(2, 1000);
    await inbox.take(1, 1);
    await inbox.take(2, 1000);
    clock.now += 1;
    const retry = { id: 2, delayMs: 1000, reason: "no", isFailure: true };
    await inbox.settle([
      { lease: quarantined as never, handled: [], quarantined: [{ id: 1, reason: "no" }] },
      { lease: delayed as never, handled: [], quarantined: [], retry },
    ]);
    observed(() => {}, { work: false });
    expect(await recorder.values()).toMatchObject({
      "txfeed.inbox.waiting": 6,
      "txfeed.inbox.quarantined": 1,
      "txfeed.inbox.delayed": 1,
      "txfeed.inbox.stalled": 1,
      "txfeed.inbox.running": 2,
    });
    clock.now += 5000;
    const values = await recorder.values();
    expect(values).toMatchObject({ "txfeed.inbox.lag": 5.001 });
    expect(Math.floor((values["txfeed.inbox.oldest_age"] ?? 0) / 10)).toBe(9);
    await inbox.drop({});
    expect(await recorder.values()).toMatchObject({
      "txfeed.inbox.waiting": 0,
      "txfeed.inbox.oldest_age": 0,
      "txfeed.inbox.lag": 0,
    });
  });

  test("count requests and attempts by event and outcome", async () => {
    const handler = vi
      .fn()
      .mockRejectedValueOnce(new TypeError("no"))
      .mockRejectedValueOnce(new RetryLaterError("later", { at: new Date() }))
      .mockRejectedValueOnce(new QuarantineError("never"));
    const { receiver, send } = observed(handler, { work: { retryDelaysMs: [1] } });
    const settled = (count: number) => totalOf("txfeed.receiver.attempts", count);
    await send(updated);
    await settled(3);
    await send({ ...updated, metadata: {} });
    await settled(4);
    await send({ ...updated, metadata: {} }, {});
    await receiver(deliver(null, {}));
    for (const n of [1, 2, 3]) await receiver(deliver(`event.${n}`, {}));
    await settled(7);
    expect(await recorder.values()).toMatchObject({
      [`txfeed.receiver.deliveries{${NAME},stored}`]: 2,
      [`txfeed.receiver.deliveries{${NAME},duplicate}`]: 1,
      [`txfeed.receiver.deliveries{${NAME},invalid}`]: 1,
      "txfeed.receiver.deliveries{unknown,refused}": 1,
      "txfeed.receiver.deliveries{unknown,stored}": 3,
      [`txfeed.receiver.attempts{${NAME},failed}`]: 1,
      [`txfeed.receiver.attempts{${NAME},postponed}`]: 1,
      [`txfeed.receiver.attempts{${NAME},quarantined}`]: 1,
      [`txfeed.receiver.attempts{${NAME},handled}`]: 1,
      "txfeed.receiver.attempts{unknown,ignored}": 3,
    });
  });

  test("have the duration of handlers in seconds, by the type of the error", async () => {
    const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 30));
    const error = Object.assign(new Error("no"), { code: "23505" });
    const handler = vi.fn(() => pause().then(() => Promise.reject(error)));
    await observed(handler.mockImplementationOnce(pause as never)).send(another(), another());
    const durations = await vi.waitFor(async () => {
      const found = await recorder.points("messaging.process.duration");
      expect(found).toHaveLength(2);
      return found;
    });
    const expected = {
      "messaging.system": "txfeed",
      "messaging.operation.name": "process",
      "messaging.destination.name": NAME,
    };
    const attributes = durations.map((point) => point.attributes);
    expect(attributes).toEqual(
      expect.arrayContaining([expected, { ...expected, "error.type": "23505" }]),
    );
    for (const { value } of durations) {
      const { sum = 0, count } = value as { sum: number; count: number };
      expect(count).toBe(1);
      expect(sum).toBeGreaterThan(0.025);
      expect(sum).toBeLessThan(5);
    }
  });

  test("have at most 50 types of errors", async () => {
    let n = 0;
    const handler = () => Promise.reject(Object.assign(new Error("no"), { code: `E${n++}` }));
    const { send } = observed(handler, { acknowledge: "handled" });
    await send(...Array.from({ length: 60 }, () => another()));
    const points = await recorder.points("messaging.process.duration");
    const types = points.map(({ attributes }) => attributes["error.type"]);
    expect(types).toHaveLength(51);
    expect([types[0], types.at(-1)]).toEqual(["E0", "_OTHER"]);
  });

  test("show a hung handler and hung polls", async () => {
    const handler = vi.fn(endless);
    await observed(handler).send(updated);
    await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
    const { promise: taking, resolve: endPoll } = Promise.withResolvers<[]>();
    vi.spyOn(inbox, "take").mockReturnValue(taking);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const values = await recorder.values();
    for (const name of ["longest_run", "poll_age"]) {
      expect(values[`txfeed.worker.${name}`]).toBeGreaterThan(0.04);
      expect(values[`txfeed.worker.${name}`]).toBeLessThan(5);
    }
    endPoll([]);
  });

  test("count failed polls, which are reported, and lanes that were taken over", async () => {
    const error = new TypeError("no connection");
    vi.spyOn(inbox, "take").mockRejectedValueOnce(error);
    const { receiver, reports } = observed(() => {});
    await totalOf("txfeed.worker.errors{TypeError}", 1);
    expect(reports).toEqual([{ event: null, outcome: "failed", error, durationMs: 0 }]);
    expect(await recorder.values()).not.toHaveProperty("txfeed.worker.interruptions");
    await receiver.close();
    await observed(() => {}, { work: false }).send(updated);
    await inbox.take(1, 1);
    clock.now += 1;
    observed(() => {});
    await totalOf("txfeed.worker.interruptions", 1);
  });

  test("ask the inbox once per collection, and end with close", async () => {
    const status = vi.spyOn(inbox, "status");
    const { receiver } = observed(() => {});
    await recorder.values();
    const last = await recorder.values();
    expect(last).toHaveProperty(["txfeed.worker.poll_age"]);
    expect(status).toHaveBeenCalledTimes(2);
    await receiver.close();
    // The SDK repeats the last values of what is not observed any more.
    expect(await recorder.values()).toEqual(last);
    expect(status).toHaveBeenCalledTimes(2);
  });

  test("show the worker if the inbox does not respond", async () => {
    vi.spyOn(inbox, "status").mockImplementation(endless);
    observed(() => {});
    const found = Object.keys(await recorder.values({ timeoutMillis: 50 }));
    expect(found.toSorted()).toEqual(["txfeed.worker.longest_run", "txfeed.worker.poll_age"]);
  });

  test("have the attributes of the receiver", async () => {
    const { meter, tracer } = recorder;
    const attributes = { "txfeed.receiver": "cards" };
    await observed(() => {}, { telemetry: openTelemetry({ meter, tracer, attributes }) }).send(
      updated,
    );
    const names = ["txfeed.inbox.waiting", "txfeed.worker.poll_age", "txfeed.receiver.deliveries"];
    for (const name of names) {
      expect((await recorder.points(name))[0]?.attributes).toMatchObject(attributes);
    }
    expect((await spanNamed(`process ${NAME}`)).attributes).toMatchObject(attributes);
  });
});

describe("spans", () => {
  test("of a stored delivery link from its handling to its receipt", async () => {
    const handler = vi.fn(() => {
      recorder.tracer.startSpan("SELECT").end();
    });
    const verify = () => ({ verified: true, deliveryId: "msg_1" }) as const;
    const { receiver } = observed(handler, { verify });
    const tracestate = "vendor=1";
    expect((await receiver(fromSender({ tracestate }))).status).toBe(202);

    const process = await spanNamed(`process ${NAME}`);
    const receipt = await spanNamed(`store ${NAME}`);
    const common = {
      "messaging.system": "txfeed",
      "messaging.destination.name": NAME,
      "messaging.message.id": "msg_1",
    };
    expect(receipt).toMatchObject({
      kind: SpanKind.PRODUCER,
      parentSpanContext: SENDER,
      attributes: {
        ...common,
        "messaging.operation.type": "send",
        "messaging.operation.name": "store",
        "http.response.status_code": 202,
        "txfeed.outcome": "stored",
      },
      status: { code: SpanStatusCode.UNSET },
    });
    expect(receipt.spanContext().traceId).toBe(SENDER.traceId);

    expect(process).toMatchObject({
      kind: SpanKind.CONSUMER,
      attributes: {
        ...common,
        "messaging.operation.type": "process",
        "messaging.operation.name": "process",
        "txfeed.attempt": 1,
        "txfeed.lane": `transactions:${updated.id}`,
        "txfeed.delivery.id": 1,
        "txfeed.outcome": "handled",
      },
      status: { code: SpanStatusCode.UNSET },
    });
    expect(process.parentSpanContext).toBeUndefined();
    expect(process.spanContext().traceId).not.toBe(SENDER.traceId);
    expect(linksOf(process)).toEqual([idsOf(receipt.spanContext())]);
    const query = await spanNamed("SELECT");
    expect(query.parentSpanContext).toMatchObject(idsOf(process.spanContext()));

    const { traceId, spanId } = receipt.spanContext();
    expect(handler.mock.lastCall).toMatchObject([
      {},
      { headers: { traceparent: `00-${traceId}-${spanId}-01`, tracestate } },
    ]);
  });

  test("of a stored delivery are not within the span in which the receiver was created", async () => {
    const { send } = recorder.tracer.startActiveSpan("start", (start) => {
      start.end();
      return observed(() => {});
    });
    await send(updated);
    expect((await spanNamed(`process ${NAME}`)).parentSpanContext).toBeUndefined();
  });

  test.each([
    [SENDER.spanId, [SENDER]],
    ["0000000000000000", []],
  ])("without telemetry at the receipt link to the sender %s, if valid", async (id, links) => {
    const traceparent = `00-${SENDER.traceId}-${id}-01`;
    const { receiver } = startReceiver(() => {}, { inbox, work: false });
    await receiver(fromSender({ traceparent }));
    observed(() => {});
    expect(linksOf(await spanNamed(`process ${NAME}`))).toEqual(links);
  });

  test("of each attempt link to the same receipt", async () => {
    const handler = vi.fn().mockRejectedValueOnce(new RangeError("out of order"));
    const { receiver } = observed(handler, { work: { retryDelaysMs: [1000] } });
    await receiver(fromSender());
    const first = await spanNamed(`process ${NAME}`);
    clock.now += 1000;
    await vi.waitFor(() => expect(recorder.spans()).toHaveLength(3));
    const second = recorder.spans().at(-1);
    expect(second?.attributes).toMatchObject({ "txfeed.attempt": 2, "txfeed.outcome": "handled" });
    expect(second && linksOf(second)).toEqual(linksOf(first));
  });

  const get = () => {
    throw new Error("a hostile getter");
  };
  const hostile = { message: { get }, stack: { get }, code: { get } };
  const constraint = Object.assign(new Error("a deferred constraint"), { code: "23503" });
  test.each<[string, () => unknown, string, message: string]>([
    ["an error", () => Promise.reject(new RangeError("no")), "RangeError", "no"],
    ["a failed commit", () => {}, "23503", "a deferred constraint"],
    ["the time limit", endless, "timeout", "the handler did not end within 20 ms"],
    [
      "an error that can't be shown",
      () => Promise.reject(Object.defineProperties(new Error("no"), hostile)),
      "_OTHER",
      "an error that can't be shown",
    ],
  ])("show that an attempt failed by %s", async (what, handler, type, message) => {
    const { transaction } = inbox;
    vi.spyOn(inbox, "transaction").mockImplementationOnce((leaseMs, work) =>
      transaction.call(inbox, leaseMs, async (runPart) => {
        const settlements = await work(runPart);
        if (what === "a failed commit") throw constraint;
        return settlements;
      }),
    );
    await observed(handler, { work: { timeoutMs: 20 } }).send(updated);
    const { duration, ...span } = await spanNamed(`process ${NAME}`);
    expect(span).toMatchObject({
      status: { code: SpanStatusCode.ERROR, message },
      attributes: { "error.type": type, "txfeed.outcome": "failed", "txfeed.attempt": 1 },
      events: [{ name: "exception", attributes: { "exception.message": message } }],
    });
    if (handler === endless) expect(duration[0] + duration[1] / 1e9).toBeGreaterThan(0.015);
  });

  test("of a delivery that is handled in the request are nested, also in a server's", async () => {
    const { receiver } = observed(() => {}, { acknowledge: "handled" });
    await receiver(fromSender());
    const receipt = await spanNamed(`receive ${NAME}`);
    expect(receipt).toMatchObject({ kind: SpanKind.SERVER, parentSpanContext: SENDER });
    const process = await spanNamed(`process ${NAME}`);
    expect(process).toMatchObject({ kind: SpanKind.CONSUMER, links: [] });
    expect(process.parentSpanContext).toMatchObject(idsOf(receipt.spanContext()));
    recorder.reset();
    await recorder.tracer.startActiveSpan("POST", async (server) => {
      await receiver(fromSender());
      server.end();
      const nested = { kind: SpanKind.INTERNAL, parentSpanContext: idsOf(server.spanContext()) };
      expect(await spanNamed(`receive ${NAME}`)).toMatchObject(nested);
    });
  });

  test.each([
    "",
    `00-${SENDER.traceId}-${SENDER.spanId}`,
    `ff-${SENDER.traceId}-${SENDER.spanId}-01`,
    `00-${SENDER.traceId}-${SENDER.spanId}-01-more`,
    `00-${"0".repeat(32)}-${SENDER.spanId}-01`,
    `00-${SENDER.traceId}-${"0".repeat(16)}-01`,
  ])("start a trace if the sender's context is invalid: %s", async (traceparent) => {
    const handler = vi.fn();
    await observed(handler).receiver(fromSender({ traceparent, tracestate: "vendor=1" }));
    const receipt = await spanNamed(`store ${NAME}`);
    expect(receipt.parentSpanContext).toBeUndefined();
    expect(linksOf(await spanNamed(`process ${NAME}`))).toEqual([idsOf(receipt.spanContext())]);
    expect(handler.mock.calls[0]?.[1].headers).not.toHaveProperty("tracestate");
  });

  test("end if the inbox fails or the body was read before", async () => {
    vi.spyOn(inbox, "add").mockRejectedValue(new Error("disk full"));
    const { receiver } = observed(() => {});
    expect((await receiver(fromSender())).status).toBe(500);
    expect(await spanNamed(`store ${NAME}`)).toMatchObject({
      status: { code: SpanStatusCode.ERROR, message: "disk full" },
      attributes: { "http.response.status_code": 500, "error.type": "Error" },
    });
    recorder.reset();
    const request = fromSender();
    await request.text();
    await expect(receiver(request)).rejects.toThrow("the body");
    expect(await spanNamed(`store ${NAME}`)).toMatchObject({
      attributes: { "error.type": "body-consumed" },
    });
  });
});

test("without an SDK the global API records nothing", async () => {
  await recorder.close();
  metrics.disable();
  trace.disable();
  const handler = vi.fn();
  const { receiver, send } = observed(handler, { telemetry: openTelemetry() });
  await receiver(fromSender());
  await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
  // Without spans of its own, the sender's context stays.
  const traceparent = `00-${SENDER.traceId}-${SENDER.spanId}-01`;
  expect(handler.mock.calls[0]?.[1]).toMatchObject({ headers: { traceparent } });
  await send(another());
  await vi.waitFor(() => expect(handler).toHaveBeenCalledTimes(2));
  expect(handler.mock.calls[1]?.[1].headers).not.toHaveProperty("traceparent");
  expect(recorder.spans()).toEqual([]);
});

test("an unknown option of openTelemetry is refused", () => {
  expect(() => openTelemetry({ metre: 1 } as never)).toThrow('unknown option "metre"; did you');
});
