import { expect, test } from "vitest";
import type { Inbox, Settlement } from "../../../src/webhooks/inbox.ts";
import { delivery, drain, handled, MINUTE, type OpenInbox } from "./store.ts";

/**
 * Several workers take and settle lanes while senders add deliveries: none is lost, stranded, out of
 * order or handled by two workers at a time.
 */
export function testConcurrentWorkers<Tx>(name: string, open: OpenInbox<Tx>, count: number): void {
  test(`${name} handles ${count} deliveries of concurrent senders in order`, async () => {
    const { inbox, again } = await open();
    const handles = [inbox, await again(), await again()];
    const order = new Map<string, number[]>();
    const running = new Set<string>();
    let added = 0;
    let isSending = true;

    const worker = async (own: Inbox<Tx>) => {
      for (;;) {
        const isLast = !isSending;
        const leases = await own.take(3, 60 * MINUTE);
        if (leases.length === 0 && isLast) return;
        await own.transaction(MINUTE, async (runPart) => {
          const settlements: Settlement[] = [];
          for (const [at, lease] of leases.entries()) {
            const lane = `${lease.deliveries[0]?.lane}`;
            expect(running.has(lane)).toBe(false);
            running.add(lane);
            await runPart(() => new Promise((resolve) => setImmediate(resolve)));
            // Some settlements leave deliveries behind, or nothing at all.
            const settlement = handled(lease, at === 2 ? 0 : lease.deliveries.length - at);
            const ids = settlement.handled;
            order.set(lane, [...(order.get(lane) ?? []), ...ids]);
            running.delete(lane);
            settlements.push(settlement);
          }
          return settlements;
        });
      }
    };
    const sender = async (own: Inbox<Tx>) => {
      while (added < count) {
        const n = added++;
        await own.add(delivery(`${n}`, `lane ${(n * 7) % 5}`));
      }
    };
    const working = Promise.all(handles.map(worker));
    await Promise.all(handles.map(sender));
    isSending = false;
    await working;
    expect(await drain(inbox)).toEqual([]);
    expect(await inbox.status()).toMatchObject({ waiting: 0, running: 0 });
    for (const ids of order.values()) {
      expect(ids).toEqual(ids.toSorted((one, other) => one - other));
    }
    expect([...order.values()].flat().length).toBe(count);
    expect(new Set([...order.values()].flat()).size).toBe(count);
  });
}
