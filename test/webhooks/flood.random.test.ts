import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { bankTransaction } from "../support/payloads.ts";
import { tempDir } from "../support/temp-dir.ts";

const directory = tempDir();
/** Set FLOOD_SECONDS for a longer test. */
const SECONDS = Number(process.env["FLOOD_SECONDS"] ?? 1);
const CONNECTIONS = 32;
const LIMIT_BYTES = 1_048_576;
const MB = 1_000_000;

interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
}

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** The n-th delivery, of the maximum size. */
function largest(n: number): string {
  const empty = JSON.stringify({ ...bankTransaction(n), metadata: { fill: "" } });
  return empty.replace('"fill":""', `"fill":"${"x".repeat(LIMIT_BYTES - empty.length)}"`);
}

async function ask(child: ChildProcess, what: "memory" | "collect"): Promise<Memory> {
  child.send(what);
  const [memory] = await once(child, "message");
  return memory;
}

test.each(["plain", "handled", "stored"])(
  `the memory of a receiver stays bounded in a flood of the largest bodies: %s, ${SECONDS} s`,
  async (kind) => {
    const program = join(import.meta.dirname, "flood-service.ts");
    const child = fork(program, [kind, directory]);
    children.push(child);
    const [port] = await once(child, "message");
    const before = await ask(child, "collect");
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const statuses = new Set<number>();
    const end = performance.now() + SECONDS * 1000;
    let sent = 0;
    let mostRss = 0;

    const post = (body: string) =>
      new Promise<void>((resolve, reject) => {
        const headers = {
          "content-type": "application/json",
          "webhook-event-type": "banktransaction.created",
        };
        const to = { port, host: "127.0.0.1", method: "POST", headers, agent };
        const sending = request(to, (response) => {
          statuses.add(response.statusCode ?? 0);
          response.resume().on("end", resolve);
        });
        sending.on("error", reject).end(body);
      });
    const sender = async () => {
      while (performance.now() < end) await post(largest(sent++));
    };
    const watch = async () => {
      while (performance.now() < end) {
        mostRss = Math.max(mostRss, (await ask(child, "memory")).rss);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    await Promise.all([...Array.from({ length: CONNECTIONS }, sender), watch()]);
    agent.destroy();
    let grownBytes = 0;
    const isDown = async () => {
      const after = await ask(child, "collect");
      grownBytes = after.heapUsed + after.external - before.heapUsed - before.external;
      // The remaining memory belongs to no body.
      expect(grownBytes).toBeLessThan(CONNECTIONS * LIMIT_BYTES);
    };
    // The inbox still has deliveries when the flood ends.
    await vi.waitFor(isDown, { timeout: 15_000, interval: 500 });
    if (SECONDS > 1) {
      const [rss, most, grown] = [before.rss, mostRss, grownBytes].map((bytes) =>
        Math.round(bytes / MB),
      );
      console.log({ kind, sent, rssBeforeMB: rss, mostRssMB: most, grownAfterMB: grown });
    }
    expect([...statuses]).toEqual([kind === "stored" ? 202 : 204]);
    // Each body exists as bytes, as text and parsed, plus uncollected garbage.
    expect(mostRss - before.rss).toBeLessThan(12 * CONNECTIONS * LIMIT_BYTES);
  },
  20_000 + SECONDS * 4000,
);
