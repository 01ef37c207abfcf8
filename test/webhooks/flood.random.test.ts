import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { onFinished } from "../support/on-finished.ts";
import { bankTransaction } from "../support/payloads.ts";
import { tempDir } from "../support/temp-dir.ts";

const DURATION_MS = 1000;
const SENDERS = 32;
const LIMIT_BYTES = 1_048_576;
const HEADERS = {
  "content-type": "application/json",
  "webhook-event-type": "banktransaction.created",
};

/** The n-th delivery, of the maximum size. */
function largest(n: number): string {
  const empty = JSON.stringify({ ...bankTransaction(n), metadata: { fill: "" } });
  return empty.replace('"fill":""', `"fill":"${"x".repeat(LIMIT_BYTES - empty.length)}"`);
}

async function ask(child: ChildProcess, what: "memory" | "collect"): Promise<NodeJS.MemoryUsage> {
  child.send(what);
  const [memory] = await once(child, "message");
  return memory;
}

test.each([
  ["plain", 204],
  ["handled", 204],
  ["stored", 202],
])(
  "the memory of a receiver stays bounded in a flood of the largest bodies: %s",
  async (kind, status) => {
    const child = fork(join(import.meta.dirname, "flood-service.ts"), [kind, tempDir()]);
    onFinished(() => child.kill("SIGKILL"));
    const [port] = await once(child, "message");
    const before = await ask(child, "collect");
    const statuses = new Set<number>();
    const end = performance.now() + DURATION_MS;
    let sent = 0;
    let mostRss = 0;

    const send = async () => {
      while (performance.now() < end) {
        const init = { method: "POST", headers: HEADERS, body: largest(sent++) };
        statuses.add((await fetch(`http://127.0.0.1:${port}`, init)).status);
      }
    };
    const watch = async () => {
      while (performance.now() < end) {
        mostRss = Math.max(mostRss, (await ask(child, "memory")).rss);
        await wait(100);
      }
    };
    await Promise.all([...Array.from({ length: SENDERS }, send), watch()]);
    expect([...statuses]).toEqual([status]);
    // Each body exists as bytes, as text and parsed, plus uncollected garbage.
    expect(mostRss - before.rss).toBeLessThan(12 * SENDERS * LIMIT_BYTES);
    const isDown = async () => {
      const after = await ask(child, "collect");
      const grownBytes = after.heapUsed + after.external - before.heapUsed - before.external;
      // The remaining memory belongs to no body.
      expect(grownBytes).toBeLessThan(SENDERS * LIMIT_BYTES);
    };
    // The inbox still has deliveries when the flood ends.
    await vi.waitFor(isDown, { timeout: 15_000, interval: 500 });
  },
);
