import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { uuid } from "../../support/payloads.ts";
import { startNode } from "../../support/program.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { startReceiver } from "./receiver.ts";
import type { SenderSettings } from "./sender.ts";
import { startHarness } from "./start-harness.ts";

const directory = tempDir();
const RESOURCES = 40;
/** The number of arrivals per sender. */
const ARRIVALS = 300;

/** Starts a sender, which announces events until it is killed. */
function startSender(settings: SenderSettings) {
  return startNode([join(import.meta.dirname, "sender.ts"), JSON.stringify(settings)]);
}

test("each announced event arrives even if the sandbox is killed while sending", async () => {
  const file = join(directory, "crash.db");
  const receiver = await startReceiver();
  const announced: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const arrivedBefore = receiver.arrivals.length;
    const from = (announced.at(-1) ?? 0) + 1000;
    const { child, ended } = startSender({ file, url: receiver.url, from, resources: RESOURCES });
    receiver.setReply(async () => {
      if (receiver.arrivals.length - arrivedBefore >= ARRIVALS) child.kill("SIGKILL");
      // Requests in flight when the sender is killed get no response.
      return child.killed ? undefined : 204;
    });
    const { stdout } = await ended;
    // Ignore an incomplete last line.
    announced.push(...stdout.split("\n").slice(0, -1).map(Number));
  }
  expect(announced.length).toBeGreaterThan(3 * RESOURCES);
  await vi.waitFor(async () => expect(await receiver.open()).toBe(0));
  const missing = () => announced.map(uuid).filter((id) => !receiver.ids().includes(id));

  receiver.setReply(() => 204);
  const harness = startHarness({ file, clock: "real" });
  const owed = (await harness.log()).filter(({ state }) => state === "waiting");
  // Deliveries were pending when the sender was killed.
  expect(owed.length).toBeGreaterThan(0);
  await harness.control.settle();
  expect(missing()).toEqual([]);

  // The log lost no acknowledged event, and the outbox lost no logged event.
  const events = await harness.control.events({ limit: 1_000_000 });
  const arrived = new Set(receiver.ids());
  for (const { body } of events) expect(arrived.has((body as { id: string }).id)).toBe(true);
  const log = await harness.log();
  expect(log).toHaveLength(events.length);
  expect(new Set(log.map(({ state }) => state))).toEqual(new Set(["delivered"]));

  // The order of a resource's events is kept across crashes.
  for (let resource = 0; resource < RESOURCES; resource += 1) {
    const ofResource = (ids: string[]) =>
      ids.filter((id) => Number(id.slice(-12)) % RESOURCES === resource);
    expect(ofResource([...arrived])).toEqual(
      ofResource(events.map(({ body }) => (body as { id: string }).id)),
    );
  }
});
