import { join } from "node:path";
import { readCall } from "../../src/cli/command.ts";
import { progressOn } from "../../src/cli/progress.ts";
import { queue, queueCallIn } from "../../src/cli/queue.ts";
import { runVerb } from "../../src/cli/queue-verbs.ts";
import { styleFor } from "../../src/cli/terminal.ts";
import { type Delivery, NOT_STORED } from "../../src/webhooks/delivery.ts";
import type { Inbox } from "../../src/webhooks/inbox.ts";
import { memoryInbox, sqliteInbox } from "../../src/webhooks/sqlite/index.ts";
import { onFinished } from "../support/on-finished.ts";
import { tempDir } from "../support/temp-dir.ts";

/** The inboxes of one process, by name. */
export const stores: [string, (now: () => number) => Inbox<never>][] = [
  ["memory", (now) => memoryInbox({ now }) as Inbox<never>],
  [
    "SQLite",
    (now) => {
      const inbox = sqliteInbox({ path: join(tempDir(), "feed.db"), now });
      onFinished(() => inbox.close());
      return inbox as unknown as Inbox<never>;
    },
  ],
];

/** Parses the arguments of `txfeed queue`, at 2025-03-04T13:00:00Z. */
export function parsed(...args: string[]) {
  return queueCallIn(readCall(queue, args), Date.UTC(2025, 2, 4, 13));
}

/** Runs `txfeed queue` on an inbox of this process. */
export async function call<Tx>(inbox: Inbox<Tx>, ...args: string[]) {
  let [stdout, stderr] = ["", ""];
  const status = await runVerb(inbox, parsed(...args), {
    out: {
      isClosed: false,
      write: async (text) => {
        stdout += text;
      },
    },
    progress: progressOn(undefined),
    warn: (line) => {
      stderr += `${line}\n`;
    },
    style: styleFor({}),
  });
  return { status, stdout, stderr };
}

const MINUTE = 60_000;

/** A delivery, received at 12:00 UTC and that many minutes. */
export function received(minute: number, changes: Partial<Delivery> = {}): Delivery {
  return {
    key: `key ${minute}`,
    lane: `transaction:${minute}`,
    event: "transaction.updated",
    body: `{"id":"${minute}"}`,
    headers: { "webhook-id": `msg_${minute}` },
    deliveryId: `msg_${minute}`,
    receivedAt: new Date(Date.UTC(2025, 2, 4, 12, minute)).toISOString(),
    ...NOT_STORED,
    ...changes,
  };
}

/**
 * Fills an empty inbox: 1 and 2 are in quarantine, 3 is delayed after a failure, 4 and 5 wait.
 *
 * @returns the ids in that order.
 */
export async function fill<Tx>(inbox: Inbox<Tx>): Promise<number[]> {
  for (const minute of [1, 2]) await inbox.add(received(minute));
  for (const lease of await inbox.take(2, MINUTE)) {
    const quarantined = lease.deliveries.map(({ id }) => ({ id, reason: "no money" }));
    await inbox.transaction(MINUTE, async () => [{ lease, handled: [], quarantined }]);
  }
  await inbox.add(received(3));
  for (const lease of await inbox.take(1, MINUTE)) {
    const id = lease.deliveries[0]?.id ?? 0;
    const retry = { id, delayMs: 10 * MINUTE, reason: "the bank is closed", isFailure: true };
    await inbox.transaction(MINUTE, async () => [{ lease, handled: [], quarantined: [], retry }]);
  }
  await inbox.add(received(4, { event: "bankaccount.state_changed", key: null, lane: null }));
  await inbox.add(received(5, { lane: "transaction:3" }));
  return (await inbox.list()).map(({ id }) => id);
}
