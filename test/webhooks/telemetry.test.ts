import { afterEach, describe, expect, test, vi } from "vitest";
import { make } from "../../src/fixtures/index.ts";
import {
  createReceiver,
  type FeedReceiver,
  type Observer,
  type Receipt,
  type Telemetry,
} from "../../src/webhooks/index.ts";
import { memoryInbox } from "../../src/webhooks/sqlite/index.ts";
import { deliver } from "../support/payloads.ts";

const NAME = "transaction.updated";
const updated = make(NAME);
const receivers: FeedReceiver[] = [];

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close({ graceMs: 0 })));
});

/** A telemetry whose functions do nothing, except for some. */
function telemetryOf(observer: Partial<Observer>, receipt: Partial<Receipt> = {}): Telemetry {
  const quiet: Receipt = {
    run: (work) => void work(),
    headers: ({ headers }) => headers,
    end() {},
    ...receipt,
  };
  return {
    observe: () => ({
      receipt: () => quiet,
      handle: (_delivery, _attempt, work) => void work(),
      attempted() {},
      workerFailed() {},
      interrupted() {},
      close() {},
      ...observer,
    }),
  };
}

const fail = (): never => {
  throw new Error("telemetry");
};
const reject = (): never => Promise.reject(new Error("telemetry")) as never;
const twice = (work: () => Promise<unknown>) => {
  void work();
  void work();
};
const thenFail = (work: () => Promise<unknown>) => {
  void work();
  fail();
};
type Handle = Observer["handle"];
const inHandle =
  (run: (work: () => Promise<unknown>) => void): Handle =>
  (_delivery, _attempt, work) =>
    run(work);
const all = (call: () => never) => ({
  handle: call,
  attempted: call,
  workerFailed: call,
  interrupted: call,
  close: call,
});

describe.each(["stored", "handled"] as const)("with acknowledge: %s", (acknowledge) => {
  test.each([
    ["can't observe", { observe: fail }],
    ["observes nothing", { observe: () => undefined as never }],
    ["has no receipts", telemetryOf({ receipt: fail })],
    ["throws", telemetryOf(all(fail), { run: fail, headers: fail, end: fail })],
    ["rejects", telemetryOf(all(reject), { run: reject, end: reject })],
    ["runs nothing", telemetryOf({ handle() {} }, { run() {} })],
    ["runs twice", telemetryOf({ handle: inHandle(twice) }, { run: twice })],
    ["runs and throws", telemetryOf({ handle: inHandle(thenFail) }, { run: thenFail })],
  ] satisfies [string, Telemetry][])(
    "telemetry that %s fails no delivery",
    async (_, telemetry) => {
      const inbox = memoryInbox();
      const add = vi.spyOn(inbox, "add");
      const handler = vi.fn();
      const on = { [NAME]: handler };
      const receiver = createReceiver({ on, inbox, acknowledge, telemetry });
      receivers.push(receiver);
      const status = acknowledge === "stored" ? 202 : 204;
      expect((await receiver(deliver(NAME, updated))).status).toBe(status);
      await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
      expect(add).toHaveBeenCalledTimes(acknowledge === "stored" ? 1 : 0);
      expect(await receiver.health()).toMatchObject({ ok: true, problems: [] });
      await vi.waitFor(async () => expect(await inbox.list()).toEqual([]));
    },
  );
});

test("the error of a handler stays that of the handler", async () => {
  const telemetry = telemetryOf({ handle: inHandle(thenFail) });
  const onDelivery = vi.fn();
  const handler = () => Promise.reject(new Error("handler"));
  const receiver = createReceiver({ on: { [NAME]: handler }, telemetry, onDelivery });
  expect((await receiver(deliver(NAME, updated))).status).toBe(500);
  expect(onDelivery).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ outcome: "failed", error: new Error("handler") }),
  );
});

test("a telemetry must have the function observe", () => {
  expect(() => createReceiver({ on: {}, telemetry: {} as never })).toThrow(
    "telemetry must be a telemetry, such as openTelemetry(); got [object Object]",
  );
});
