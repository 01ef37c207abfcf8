import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Inbox, Lease, Settlement } from "../../../src/webhooks/inbox.ts";
import { InboxModel } from "./model.ts";
import { delivery, drain, handled, MINUTE, type OpenInbox, settle } from "./store.ts";

const keys = fc.option(fc.constantFrom("a", "b", "c", "d", "e", "f"));
const lanes = fc.option(fc.constantFrom("one", "two", "three"));
const index = fc.nat(20);
const filters = fc.record(
  {
    state: fc.constantFrom("waiting" as const, "quarantined" as const),
    lane: fc.constantFrom("one", "two"),
    limit: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: ["limit"] },
);
const next = fc.oneof(
  fc.constant("stay" as const),
  fc.constant("quarantine" as const),
  fc.record({ delayMs: fc.constantFrom(0, MINUTE / 2, 2 * MINUTE), isFailure: fc.boolean() }),
);

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("add" as const), key: keys, lane: lanes }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("take" as const),
      limit: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("settle" as const), index, count: fc.nat(2), next }),
  },
  fc.record({ do: fc.constant("renew" as const), index }),
  fc.record({ do: fc.constant("once" as const), key: keys, lane: lanes, succeeds: fc.boolean() }),
  fc.record({ do: fc.constantFrom("replay" as const, "drop" as const), filter: filters }),
  fc.record({ do: fc.constant("advance" as const), ms: fc.constantFrom(MINUTE / 2, MINUTE) }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Compares random calls of an inbox with a model; `runs` is how many sequences. */
export function testRandomCalls<Tx>(name: string, open: OpenInbox<Tx>, runs: number): void {
  test(`${name} does what the model does in random calls`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: "max" }), async (steps) => {
        const keepMs = 3 * MINUTE;
        const { inbox, advance } = await open({ keepMs });
        const model = new InboxModel(keepMs);
        const leases: Lease[] = [];
        for (const each of steps) {
          await run(each, inbox, model, leases);
          if (each.do === "advance") {
            await advance(each.ms);
            model.now += each.ms;
          }
          expect(await inbox.list()).toEqual(model.rows);
          const { oldestAgeMs, ...status } = await inbox.status();
          expect(status).toEqual(model.status());
        }
        await inbox.close();
      }),
      { numRuns: runs },
    );
  });
}

async function run<Tx>(
  step: Step,
  inbox: Inbox<Tx>,
  model: InboxModel,
  leases: Lease[],
): Promise<void> {
  if (step.do === "add") {
    const added = delivery(step.key, step.lane);
    const result = await inbox.add(added);
    expect(result).toBe(model.add(step.key));
    if (result !== "added") return;
    const id = (await inbox.list()).at(-1)?.id ?? 0;
    model.addRow({ ...added, id, failures: 0, state: "waiting", reason: null });
  } else if (step.do === "take") {
    const taken = await inbox.take(step.limit, MINUTE);
    model.take(step.limit, MINUTE, taken);
    leases.push(...taken);
  } else if (step.do === "settle" || step.do === "renew") {
    const lease = leases[step.index % leases.length];
    if (!lease) return;
    const isCurrent = model.isCurrent(lease);
    if (step.do === "renew") {
      expect(await inbox.renew([lease], MINUTE)).toEqual(isCurrent ? [] : [lease]);
      if (isCurrent) model.renew(lease, MINUTE);
      return;
    }
    const settlement = settlementOf(lease, step);
    const ending = settle(inbox, settlement);
    if (!isCurrent) return expect(ending).rejects.toMatchObject({ code: "lease-lost" });
    await ending;
    const isolated = settlement.quarantined.map(({ id }) => id);
    model.settle(lease, settlement.handled, isolated, settlement.retry);
  } else if (step.do === "once") {
    const { key, lane, succeeds } = step;
    const work = () => (succeeds ? Promise.resolve() : Promise.reject(new Error("no")));
    const result = await inbox.once({ key, lane }, work).catch(() => "failed");
    expect(result).toBe(model.once(key, lane, succeeds));
  } else if (step.do === "replay" || step.do === "drop") {
    const ids = (await inbox.list(step.filter)).map(({ id }) => id);
    // When the lane of such a lease is freed depends on the inbox.
    if (step.do === "drop" && model.emptiesLease(ids)) return;
    expect(await inbox[step.do](step.filter)).toBe(ids.length);
    model[step.do](ids);
  }
}

function settlementOf(lease: Lease, { count, next }: Step & { do: "settle" }): Settlement {
  const handledIds = handled(lease, count).handled;
  const following = lease.deliveries[count]?.id;
  const isRetry = typeof next === "object" && following !== undefined;
  return {
    lease,
    handled: handledIds,
    quarantined:
      next === "quarantine" && following !== undefined ? [{ id: following, reason: "no" }] : [],
    ...(isRetry && { retry: { id: following, reason: "later", ...next } }),
  };
}

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
        await own.transaction(async (runPart) => {
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
