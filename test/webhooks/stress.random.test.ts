import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { createReceiver, type Inbox } from "../../src/webhooks/index.ts";
import { memoryInbox, sqliteInbox } from "../../src/webhooks/sqlite/index.ts";
import { randomFrom } from "../generate/mutation.ts";
import { bankTransaction, deliver } from "../support/payloads.ts";
import { tempDir } from "../support/temp-dir.ts";

const directory = tempDir();
const DELIVERIES = 10_000;
const NAME = "banktransaction.created";

/** Every 50th delivery breaks the contract. */
const isBroken = (n: number) => n % 50 === 7;
/** The handler of every 50th delivery always fails. */
const isPoison = (n: number) => n % 50 === 11;

const bodyOf = (n: number) =>
  isBroken(n) ? { ...bankTransaction(n), pending: "no" } : bankTransaction(n);
const idsOf = (keep: (n: number) => boolean) =>
  Array.from({ length: DELIVERIES }, (_, n) => n)
    .filter(keep)
    .map((n) => bankTransaction(n).id);

/**
 * A handler that fails at random after a few event-loop turns, and records its successes. The
 * result of a delivery's n-th attempt does not depend on timing.
 */
function randomHandler(alwaysFails: (id: string) => boolean) {
  const handled: string[] = [];
  const randoms = new Map<string, () => number>();
  const handler = async ({ body: { id } }: { body: { id: string } }) => {
    const random = randoms.get(id) ?? randomFrom(Number(id.slice(-12)));
    randoms.set(id, random);
    const [turns, luck] = [Math.floor(random() * 3), random()];
    for (let turn = 0; turn < turns; turn += 1) await nextTurn();
    if (luck < 0.3 || alwaysFails(id)) throw new Error("out of order");
    handled.push(id);
  };
  return { handled, handler };
}

// The handlers don't use the transaction, so its type does not matter.
type Open = (file: string) => Inbox<unknown>;

const inboxes: [string, Open][] = [
  ["memoryInbox", () => memoryInbox() as Inbox<unknown>],
  ["sqliteInbox", (file) => sqliteInbox({ path: join(directory, file) }) as Inbox<unknown>],
];

test.each(inboxes)(
  "10,000 deliveries sent twice are handled once each, with %s",
  async (_name, open) => {
    const inbox = open("handled.db");
    const { handled, handler } = randomHandler(() => false);
    const quarantined: string[] = [];
    const receiver = createReceiver<unknown>({
      on: { [NAME]: handler },
      inbox,
      acknowledge: "handled",
      onInvalid: ({ body }) => quarantined.push((body as { id: string }).id),
    });
    const statuses = new Set<number>();
    const send = async (n: number) => {
      while (true) {
        const { status } = await receiver(deliver(NAME, bodyOf(n)));
        statuses.add(status);
        if (status === 204 || status === 422) return;
        await wait(5);
      }
    };
    const twice = Array.from({ length: 2 * DELIVERIES }, (_, n) => send(n % DELIVERIES));
    await Promise.all(twice);
    expect(handled.sort()).toEqual(idsOf((n) => !isBroken(n)));
    // Invalid deliveries are refused each time.
    expect(quarantined).toHaveLength(2 * idsOf(isBroken).length);
    expect([...new Set(quarantined)].sort()).toEqual(idsOf(isBroken));
    expect([...statuses].sort()).toEqual([204, 422, 500]);
    await inbox.close();
  },
);

test.each(inboxes)(
  "10,000 stored deliveries are each handled or quarantined once, with %s",
  async (_name, open) => {
    const inbox = open("stored.db");
    const poison = new Set(idsOf(isPoison));
    const { handled, handler } = randomHandler((id) => poison.has(id));
    const onInvalid = vi.fn();
    const receiver = createReceiver<unknown>({
      on: { [NAME]: handler },
      inbox,
      // Enough retries that random failures never lead to quarantine.
      work: { concurrency: 100, pollMs: 5, retryDelaysMs: Array(15).fill(1) },
      onInvalid,
    });
    const sends = Array.from({ length: DELIVERIES }, async (_, n) => {
      const { status } = await receiver(deliver(NAME, bodyOf(n)));
      expect(status).toBe(isBroken(n) ? 422 : 202);
    });
    await Promise.all(sends);
    const good = idsOf((n) => !isBroken(n) && !isPoison(n));
    await vi.waitFor(
      async () => {
        expect(handled.length).toBeGreaterThanOrEqual(good.length);
        expect(await inbox.status()).toMatchObject({ waiting: 0, quarantined: poison.size });
      },
      { timeout: 50_000, interval: 50 },
    );
    await receiver.close();
    expect(handled.sort()).toEqual(good);
    expect(onInvalid).toHaveBeenCalledTimes(idsOf(isBroken).length);
    const isolated = (await inbox.list()).map(({ body }) => JSON.parse(body).id);
    expect(isolated.sort()).toEqual([...poison].sort());
    expect(await inbox.take(1, 1)).toEqual([]);
    await inbox.close();
  },
);
