import { describe, expect, test, vi } from "vitest";
import type { Observer, Receipt, Telemetry } from "../../src/webhooks/index.ts";
import { memoryInbox } from "../../src/webhooks/sqlite/index.ts";
import { deliver } from "../support/payloads.ts";
import { NAME, startReceiver, updated } from "./receiving.ts";

/** A telemetry whose functions do nothing, except for some. */
function telemetryOf(observer: Partial<Observer>, receipt: Partial<Receipt> = {}): Telemetry {
  const run = (work: () => Promise<unknown>) => void work();
  const none = { attempted() {}, workerFailed() {}, interrupted() {}, close() {} };
  const quiet: Observer = {
    ...none,
    receipt: () => ({ run, headers: ({ headers }) => headers, end() {}, ...receipt }),
    handle: (_delivery, _attempt, work) => run(work),
  };
  return { observe: () => ({ ...quiet, ...observer }) };
}

/** A telemetry that runs the work of requests and handlers in its own way. */
const running = (run: (work: () => Promise<unknown>) => void) =>
  telemetryOf({ handle: (_delivery, _attempt, work) => run(work) }, { run });

/** A telemetry all of whose functions do the same. */
const all = (call: () => never) =>
  telemetryOf(
    { handle: call, attempted: call, workerFailed: call, interrupted: call, close: call },
    { run: call, end: call },
  );

const fail = (): never => {
  throw new Error("telemetry");
};
const thenFail = running((work) => {
  void work();
  fail();
});

const telemetries: [string, Telemetry][] = [
  ["can't observe", { observe: fail }],
  ["observes nothing", { observe: () => undefined as never }],
  ["has no receipts", telemetryOf({ receipt: fail })],
  ["has no headers", telemetryOf({}, { headers: fail })],
  ["throws", all(fail)],
  ["rejects", all(() => Promise.reject(new Error("telemetry")) as never)],
  ["runs nothing", running(() => {})],
  [
    "runs twice",
    running((work) => {
      void work();
      void work();
    }),
  ],
  ["runs and throws", thenFail],
];

describe.each([
  ["stored", 202],
  ["handled", 204],
] as const)("with acknowledge: %s", (acknowledge, status) => {
  test.each(telemetries)("telemetry that %s fails no delivery", async (_how, telemetry) => {
    const inbox = memoryInbox();
    const add = vi.spyOn(inbox, "add");
    const handler = vi.fn();
    const { receiver } = startReceiver(handler, { inbox, acknowledge, telemetry });
    expect((await receiver(deliver(NAME, updated))).status).toBe(status);
    await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
    expect(add).toHaveBeenCalledTimes(acknowledge === "stored" ? 1 : 0);
    expect(await receiver.health()).toMatchObject({ ok: true, problems: [] });
    await vi.waitFor(async () => expect(await inbox.list()).toEqual([]));
  });
});

test("the error of a handler stays that of the handler", async () => {
  const error = new Error("handler");
  const { receiver, reports } = startReceiver(() => Promise.reject(error), { telemetry: thenFail });
  expect((await receiver(deliver(NAME, updated))).status).toBe(500);
  expect(reports).toEqual([expect.objectContaining({ outcome: "failed", error })]);
});
