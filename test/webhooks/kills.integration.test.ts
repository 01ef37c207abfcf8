import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { sqliteInbox } from "../../src/webhooks/sqlite/index.ts";
import { bankTransaction } from "../support/payloads.ts";
import { tempDir } from "../support/temp-dir.ts";
import { effectsIn, idsIn, sendUntilAcknowledged, start } from "./program.ts";

const directory = tempDir();
/** Set KILLS for a longer test. */
const KILLS = Number(process.env["KILLS"] ?? 4);
const EACH = 100;

test(`after ${KILLS} kills during handlers nothing is lost or quarantined`, {
  timeout: 30_000 + KILLS * 5000,
}, async () => {
  const log = join(directory, "kills.log");
  const path = join(directory, "kills.db");
  // There are fewer retries than kills.
  const times = { handlerMs: 40, leaseMs: 300, retryDelaysMs: [20, 20] };
  const settings = { path, log, acknowledge: "stored", ...times } as const;
  let service = await start(settings);
  let acknowledged = 0;
  const startedSince = (before: number) => idsIn("started", log).length - before;

  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = idsIn("started", log).length;
    const sends = Array.from({ length: EACH }, async (_, n) => {
      await sendUntilAcknowledged(() => service.port, kill * EACH + n);
      acknowledged += 1;
    });
    await vi.waitFor(() => expect(startedSince(before)).toBeGreaterThan(0), {
      timeout: 10_000,
      interval: 5,
    });
    // Each kill is at another moment while handlers run.
    await wait((kill * 37) % 120);
    await service.kill();
    service = await start(settings);
    await Promise.all(sends);
  }
  expect(acknowledged).toBe(KILLS * EACH);

  await vi.waitFor(() => expect(new Set(idsIn("handled", log)).size).toBe(KILLS * EACH), {
    timeout: 20_000,
    interval: 100,
  });
  const inbox = sqliteInbox({ path });
  await vi.waitFor(async () => expect(await inbox.list()).toEqual([]), { timeout: 10_000 });
  inbox.close();
  const handled = idsIn("handled", log);
  const interrupted = idsIn("started", log).length - handled.length;
  expect(interrupted).toBeGreaterThan(0);
  const twice = handled.length - new Set(handled).size;
  // At most 20 per kill, whose handler completed but was not recorded.
  expect(twice).toBeLessThanOrEqual(KILLS * 20);
  const wanted = Array.from({ length: KILLS * EACH }, (_, n) => bankTransaction(n).id);
  expect([...new Set(handled)].sort()).toEqual(wanted);
  // What handlers wrote in the transaction took effect exactly once.
  expect(effectsIn(path)).toEqual(wanted);
  if (KILLS > 4) console.log({ kills: KILLS, acknowledged, interrupted, twice });
});

test(
  "a delivery whose handlers are killed is handled by the surviving process",
  async () => {
    const log = join(directory, "one.log");
    const path = join(directory, "one.db");
    const settings = {
      path,
      log,
      acknowledge: "stored",
      leaseMs: 100,
      retryDelaysMs: [],
    } as const;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const hanging = await start({ ...settings, handlerMs: null });
      if (kill === 0) await sendUntilAcknowledged(() => hanging.port, 1);
      await vi.waitFor(() => expect(idsIn("started", log)).toHaveLength(kill + 1), {
        timeout: 10_000,
      });
      await hanging.kill();
    }
    const { port } = await start({ ...settings, handlerMs: 0 });
    // A redelivery changes nothing.
    await sendUntilAcknowledged(() => port, 1);
    await vi.waitFor(() => expect(idsIn("handled", log)).toEqual([bankTransaction(1).id]), {
      timeout: 10_000,
    });
  },
  30_000 + KILLS * 5000,
);
