import { join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { createReceiver, type ReceiverOptions } from "../../../src/webhooks/index.ts";
import {
  type SqliteQueueOptions,
  sqliteDuplicates,
  sqliteQueue,
} from "../../../src/webhooks/sqlite/index.ts";
import { bankTransaction, deliver } from "../../support/payloads.ts";
import { tempDir } from "../../support/temp-dir.ts";

const directory = tempDir();
const NAME = "banktransaction.created";
const YEAR_MS = 365 * 24 * 3600 * 1000;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Sets the wall clock. */
const setWallClock = (offsetMs: number) => {
  vi.restoreAllMocks();
  const now = Date.now;
  vi.spyOn(Date, "now").mockImplementation(() => now() + offsetMs);
};

function service(
  file: string,
  handler: (event: unknown) => unknown,
  options: Partial<ReceiverOptions> = {},
  queueOptions: Partial<SqliteQueueOptions> = {},
) {
  const path = join(directory, file);
  const queue = sqliteQueue({ path, ...queueOptions });
  const duplicates = sqliteDuplicates({ path });
  const receiver = createReceiver({
    on: { [NAME]: handler },
    queue,
    duplicates,
    now: () => Date.now(),
    ...options,
    work: { pollMs: 10, retryDelaysMs: [200], ...options.work },
  });
  const end = async () => {
    await receiver.close({ graceMs: 0 });
    queue.close();
    duplicates.close();
  };
  return { receiver, queue, end };
}

test.each([YEAR_MS, -YEAR_MS])(
  "a failure while the wall clock is %i ms off is retried after its delay",
  async (offsetMs) => {
    const handler = vi.fn().mockRejectedValueOnce(new Error("no"));
    setWallClock(offsetMs);
    const { receiver, end } = service(`off-${offsetMs}.db`, handler);
    onTestFinished(end);
    await receiver(deliver(NAME, bankTransaction(1)));
    await vi.waitFor(() => expect(handler).toHaveBeenCalledTimes(1));
    setWallClock(0);
    await vi.waitFor(() => expect(handler).toHaveBeenCalledTimes(2), { timeout: 5000 });
  },
);

test("a lease expires on time after the wall clock was set back", async () => {
  setWallClock(YEAR_MS);
  const path = join(directory, "lease.db");
  const before = sqliteQueue({ path });
  const key = "a";
  await before.add({ key, event: NAME, body: JSON.stringify(bankTransaction(1)), receivedAt: "" });
  // The process ends while it has a lease and a claim.
  const [taken] = await before.take(1, 200);
  const store = sqliteDuplicates({ path });
  expect(await store.claim(key, taken?.token)).toMatchObject({ state: "claimed" });
  before.close();
  store.close();
  setWallClock(0);
  const handler = vi.fn();
  const { end } = service("lease.db", handler);
  onTestFinished(end);
  await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce(), { timeout: 5000 });
});

test("setting the wall clock ahead expires no lease", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const handler = vi.fn(() => promise);
  const work = { leaseMs: 2000 };
  const services = ["ahead.db", "ahead.db"].map((file) => service(file, handler, { work }));
  onTestFinished(async () => {
    for (const { end } of services) await end();
  });
  await services[0]?.receiver(deliver(NAME, bankTransaction(1)));
  await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
  setWallClock(YEAR_MS);
  await new Promise((later) => setTimeout(later, 300));
  // A second service starts under the new wall clock.
  services.push(service("ahead.db", handler, { work }));
  await new Promise((later) => setTimeout(later, 300));
  expect(handler).toHaveBeenCalledOnce();
  resolve();
});

test("a restart of the machine restarts delays", async () => {
  const handler = vi.fn().mockRejectedValueOnce(new Error("no"));
  const clock = { now: YEAR_MS };
  const now = () => clock.now;
  const first = service("restart.db", handler, {}, { now });
  await first.receiver(deliver(NAME, bankTransaction(1)));
  await vi.waitFor(() => expect(handler).toHaveBeenCalledTimes(1));
  await first.end();
  clock.now = 0;
  const second = service("restart.db", handler, {}, { now });
  onTestFinished(second.end);
  await new Promise((later) => setTimeout(later, 50));
  expect(handler).toHaveBeenCalledTimes(1);
  clock.now = 200;
  await vi.waitFor(() => expect(handler).toHaveBeenCalledTimes(2));
});

test("a clock that goes back restarts the delays of an open queue", async () => {
  const clock = { now: YEAR_MS };
  const queue = sqliteQueue({ path: ":memory:", now: () => clock.now });
  onTestFinished(() => queue.close());
  await queue.add({ key: "a", event: NAME, body: "{}", receivedAt: "" });
  await queue.take(1, 1000);
  clock.now = 5;
  expect(await queue.take(1, 1000)).toEqual([]);
  clock.now = 1004;
  expect(await queue.take(1, 1000)).toEqual([]);
  clock.now = 1005;
  expect(await queue.take(1, 1000)).toHaveLength(1);
});

test("deliveries handled while the clock was ahead expire normally", async () => {
  const path = join(directory, "done.db");
  const keepMs = 1000;
  const open = (nowMs: number) => sqliteDuplicates({ path, keepMs, now: () => nowMs });
  const ahead = open(YEAR_MS);
  const claim = await ahead.claim("a");
  if (claim.state !== "claimed") throw new Error(claim.state);
  await claim.done();
  ahead.close();
  const back = open(0);
  expect(await back.claim("a")).toEqual({ state: "done" });
  back.close();
  const later = open(keepMs);
  expect(await later.claim("a")).toMatchObject({ state: "claimed" });
  later.close();
});
