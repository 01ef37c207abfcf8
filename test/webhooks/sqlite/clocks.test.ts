import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { type SqliteInboxOptions, sqliteInbox } from "../../../src/webhooks/sqlite/index.ts";
import { onFinished } from "../../support/on-finished.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { delivery, drain, handled, retried, settle, takeOne } from "../inbox/store.ts";

const directory = tempDir();
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

function open(file: string, options: Partial<SqliteInboxOptions> = {}) {
  const inbox = sqliteInbox({ path: join(directory, file), ...options });
  onFinished(() => inbox.close());
  return inbox;
}

test.each([YEAR_MS, -YEAR_MS])(
  "a failure while the wall clock is %i ms off is retried after its delay",
  async (offsetMs) => {
    setWallClock(offsetMs);
    const inbox = open(`off-${offsetMs}.db`);
    await inbox.add(delivery("a", "lane"));
    await settle(inbox, retried(await takeOne(inbox), 300));
    expect(await inbox.take(1, 1000)).toEqual([]);
    setWallClock(0);
    expect(await inbox.take(1, 1000)).toEqual([]);
    await wait(310);
    expect(await inbox.take(1, 1000)).toHaveLength(1);
  },
);

test("a lease expires on time after the wall clock was set back", async () => {
  setWallClock(YEAR_MS);
  const before = open("lease.db");
  await before.add(delivery("a", "lane"));
  // The process ends while it has a lease.
  await before.take(1, 200);
  setWallClock(0);
  const after = open("lease.db");
  await wait(210);
  expect(await after.take(1, 200)).toHaveLength(1);
});

test("setting the wall clock ahead expires no lease and no claim", async () => {
  const inbox = open("ahead.db");
  await inbox.add(delivery("a", "lane"));
  await inbox.take(1, 60_000);
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const running = inbox.once(delivery("b", "other"), 60_000, () => promise);
  await wait(10);
  setWallClock(YEAR_MS);
  // A second process starts under the new wall clock.
  for (const each of [inbox, open("ahead.db")]) {
    expect(await each.take(1, 60_000)).toEqual([]);
    expect(await each.once(delivery("b", "other"), 60_000, async () => {})).toBe("busy");
  }
  end();
  expect(await running).toBe("handled");
});

test("a restart of the machine restarts delays and leases", async () => {
  const clock = { now: YEAR_MS };
  const now = () => clock.now;
  const first = open("restart.db", { now });
  await first.add(delivery("a", "delayed"));
  await settle(first, retried(await takeOne(first), 200));
  await first.add(delivery("b", "leased"));
  await takeOne(first, 100);
  await first.add(delivery("c", "due"));
  first.close();
  clock.now = 0;
  const second = open("restart.db", { now });
  expect(await drain(second)).toEqual(["c"]);
  clock.now = 99;
  expect(await drain(second)).toEqual([]);
  clock.now = 100;
  expect(await drain(second)).toEqual(["b"]);
  clock.now = 199;
  expect(await drain(second)).toEqual([]);
  clock.now = 200;
  expect(await drain(second)).toEqual(["a"]);
});

test("a clock that goes back restarts the delays of an open inbox", async () => {
  const clock = { now: YEAR_MS };
  const inbox = open("open.db", { now: () => clock.now });
  await inbox.add(delivery("a"));
  await inbox.take(1, 1000);
  clock.now = 5;
  expect(await inbox.take(1, 1000)).toEqual([]);
  clock.now = 1004;
  expect(await inbox.take(1, 1000)).toEqual([]);
  clock.now = 1005;
  expect(await inbox.take(1, 1000)).toHaveLength(1);
});

test("deliveries handled while the clock was ahead expire normally", async () => {
  const keepMs = 1000;
  const at = (nowMs: number) => open("done.db", { keepMs, now: () => nowMs });
  const ahead = at(YEAR_MS);
  await ahead.add(delivery("a"));
  await settle(ahead, handled(await takeOne(ahead)));
  ahead.close();
  const back = at(0);
  expect(await back.add(delivery("a"))).toBe("handled");
  back.close();
  expect(await at(keepMs - 1).add(delivery("a"))).toBe("handled");
  expect(await at(keepMs).add(delivery("a"))).toBe("added");
});

test("expired keys are removed from the file", async () => {
  const clock = { now: 0 };
  const inbox = open("expired.db", { keepMs: 1000, now: () => clock.now });
  for (const key of ["a", "b"])
    expect(await inbox.once(delivery(key), 60_000, async () => {})).toBe("handled");
  clock.now = 100_000;
  await inbox.take(1, 1);
  clock.now = 500;
  // The clock went back, but the keys are gone.
  expect(await inbox.add(delivery("a"))).toBe("added");
});
