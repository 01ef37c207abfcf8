import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { sqliteInbox } from "../../../src/webhooks/sqlite/index.ts";
import { onFinished } from "../../support/on-finished.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { delivery, drain, MINUTE, retried, settle, takeOne } from "../inbox/store.ts";

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

/** Returns a function that opens the same file, as another process or after a restart. */
function file(options: { readonly now?: () => number; readonly keepMs?: number } = {}) {
  const path = join(directory, `${randomUUID()}.db`);
  return () => {
    const inbox = sqliteInbox({ path, ...options });
    onFinished(() => inbox.close());
    return inbox;
  };
}

test.each([YEAR_MS, -YEAR_MS])(
  "delays and leases that begin while the wall clock is %i ms off end on time",
  async (offsetMs) => {
    setWallClock(offsetMs);
    const open = file();
    const inbox = open();
    await inbox.add(delivery("a", "delayed"));
    await settle(inbox, retried(await takeOne(inbox), 500));
    await inbox.add(delivery("b", "leased"));
    await inbox.take(1, 500);
    for (const each of [inbox, open()]) expect(await each.take(2, MINUTE)).toEqual([]);
    setWallClock(0);
    for (const each of [inbox, open()]) expect(await each.take(2, MINUTE)).toEqual([]);
    await wait(510);
    expect(await open().take(2, MINUTE)).toHaveLength(2);
  },
);

test("setting the wall clock ahead expires no lease of a call of once", async () => {
  const open = file();
  const inbox = open();
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const running = inbox.once(delivery("b", "other"), MINUTE, () => promise);
  await wait(10);
  setWallClock(YEAR_MS);
  for (const each of [inbox, open()]) {
    expect(await each.once(delivery("b", "other"), MINUTE, async () => {})).toBe("busy");
  }
  end();
  expect(await running).toBe("handled");
});

test.each([false, true])(
  "a restart of the machine restarts times; reopened: %s",
  async (isReopened) => {
    let now = YEAR_MS;
    const open = file({ now: () => now });
    let inbox = open();
    await inbox.add(delivery("a", "delayed"));
    await settle(inbox, retried(await takeOne(inbox), 200));
    await inbox.add(delivery("b", "leased"));
    await takeOne(inbox, 100);
    await inbox.add(delivery("c", "due"));
    if (isReopened) inbox = open();
    now = 0;
    const due: unknown[] = [];
    for (now of [0, 99, 100, 199, 200]) due.push(await drain(inbox));
    expect(due).toEqual([["c"], [], ["b"], [], ["a"]]);
  },
);

test("deliveries handled while the clock was ahead are remembered for keepMs from now", async () => {
  let now = YEAR_MS;
  const open = file({ keepMs: 1000, now: () => now });
  await open().once(delivery("a"), MINUTE, async () => {});
  const results: string[] = [];
  for (now of [0, 999, 1000]) results.push(await open().add(delivery("a")));
  expect(results).toEqual(["handled", "handled", "added"]);
});

test("expired keys are removed from the file", async () => {
  let now = 0;
  const inbox = file({ keepMs: 1000, now: () => now })();
  await inbox.once(delivery("a"), MINUTE, async () => {});
  now = 100_000;
  await inbox.take(1, 1);
  now = 500;
  // The clock went back, but the key is gone.
  expect(await inbox.add(delivery("a"))).toBe("added");
});
