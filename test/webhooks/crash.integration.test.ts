import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { bankTransaction } from "../support/payloads.ts";
import { tempDir } from "../support/temp-dir.ts";
import { effectsIn, idsIn, send, sendUntilAcknowledged, start } from "./program.ts";

const directory = tempDir();

const count = (length: number) => Array.from({ length }, (_, n) => n);
const ids = (length: number) => count(length).map((n) => bankTransaction(n).id);

test("5,000 acknowledged deliveries survive kills of the service", async () => {
  const log = join(directory, "queue.log");
  const path = join(directory, "queue.db");
  const settings = { path, log, acknowledge: "stored", handlerMs: 10, leaseMs: 500 } as const;
  let service = await start(settings);
  let acknowledged = 0;
  let atKill = { acknowledged: 0, handled: 0 };
  let restarted: Promise<void> | undefined;
  const restart = async () => {
    await service.kill();
    atKill = { acknowledged, handled: idsIn("handled", log).length };
    service = await start(settings);
  };

  await Promise.all(
    count(5000).map(async (n) => {
      await sendUntilAcknowledged(() => service.port, n);
      acknowledged += 1;
      if (acknowledged === 2500) restarted = restart();
    }),
  );
  await restarted;
  expect(acknowledged).toBe(5000);
  // The killed service had unfinished deliveries.
  expect(atKill.acknowledged - atKill.handled).toBeGreaterThan(0);

  const wanted = ids(5000);
  await vi.waitFor(() => expect(new Set(idsIn("handled", log)).size).toBe(5000), {
    timeout: 45_000,
    interval: 100,
  });
  const handled = idsIn("handled", log);
  expect([...new Set(handled)].sort()).toEqual(wanted);
  await vi.waitFor(() => expect(effectsIn(path)).toEqual(wanted), { timeout: 10_000 });
  // At most those whose handler completed in a transaction that was not committed before the kill:
  // each of 20 transactions has as many handlers of 10 ms as fit into 50 ms.
  expect(handled.length - wanted.length).toBeLessThanOrEqual(20 * 5);
});

test("a crash between claim and success does not lose the delivery", async () => {
  const log = join(directory, "claim.log");
  const path = join(directory, "claim.db");
  const settings = { path, log, acknowledge: "handled", leaseMs: 1500 } as const;
  const hanging = await start({ ...settings, handlerMs: null });
  const unanswered = send(hanging.port, 1);
  await vi.waitFor(() => expect(idsIn("started", log)).toHaveLength(1), { timeout: 10_000 });
  await hanging.kill();
  expect(await unanswered).toBeNull();

  const { port } = await start({ ...settings, handlerMs: 0 });
  await sendUntilAcknowledged(() => port, 1);
  expect(idsIn("handled", log)).toEqual([bankTransaction(1).id]);
  expect(await send(port, 1)).toBe(204);
  expect(idsIn("handled", log)).toHaveLength(1);
  expect(effectsIn(path)).toEqual([bankTransaction(1).id]);
});

test.each(["handled", "stored"] as const)(
  "two processes handle each delivery once, acknowledged when it is %s",
  async (acknowledge) => {
    const path = join(directory, `shared-${acknowledge}.db`);
    const logs = ["a", "b"].map((name) => join(directory, `shared-${acknowledge}-${name}.log`));
    const settings = { path, acknowledge, handlerMs: 2, leaseMs: 30_000 };
    const services = await Promise.all(logs.map((log) => start({ ...settings, log })));

    // Each process handles one delivery before both compete for the rest.
    for (const [index, { port }] of services.entries()) {
      await sendUntilAcknowledged(() => port, index + 1);
    }
    const sends = services.flatMap(({ port }) =>
      count(500).map((n) => sendUntilAcknowledged(() => port, n)),
    );
    await Promise.all(sends);
    await vi.waitFor(() => expect(new Set(idsIn("handled", ...logs)).size).toBe(500), {
      timeout: 30_000,
    });
    expect(idsIn("handled", ...logs).sort()).toEqual(ids(500));
    // Either process may handle a stored delivery.
    if (acknowledge === "stored") return;
    for (const log of logs) expect(idsIn("handled", log).length).toBeGreaterThan(0);
  },
);
