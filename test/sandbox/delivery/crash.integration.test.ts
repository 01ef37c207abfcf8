import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryDirectory } from "../../webhooks/directory.ts";
import { idOf } from "./harness.ts";
import { startReceiver } from "./receiver.ts";
import type { SenderSettings } from "./sender.ts";
import { startRig } from "./start-harness.ts";

const directory = temporaryDirectory();
const RESOURCES = 40;
/** How many arrivals end a sender. */
const ARRIVALS = 300;

/** Runs a sender; tells the numbers that it has announced, all of them once it has ended. */
function startSender(settings: SenderSettings): { child: ChildProcess; said: () => number[] } {
  const program = join(import.meta.dirname, "sender.ts");
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  child.stdout?.on("data", (chunk) => (text += chunk));
  // A line that is not through to its end says nothing.
  return { child, said: () => text.split("\n").slice(0, -1).map(Number) };
}

test("each announced event arrives though the sandbox is killed while it delivers", async () => {
  const file = join(directory, "crash.db");
  const receiver = await startReceiver();
  const announced: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const arrivedBefore = receiver.arrivals.length;
    const from = (announced.at(-1) ?? 0) + 1000;
    const { child, said } = startSender({ file, url: receiver.url, from, resources: RESOURCES });
    receiver.answer(async () => {
      if (receiver.arrivals.length - arrivedBefore >= ARRIVALS) child.kill("SIGKILL");
      // What is under way when the sender is killed gets no answer any more.
      return child.killed ? undefined : 204;
    });
    await once(child, "close");
    announced.push(...said());
  }
  expect(announced.length).toBeGreaterThan(3 * RESOURCES);
  await vi.waitFor(async () => expect(await receiver.open()).toBe(0));
  const missing = () => announced.map(idOf).filter((id) => !receiver.ids().includes(id));

  receiver.answer(() => 204);
  const harness = startRig({ file, clock: "real" });
  const owed = (await harness.log()).filter(({ state }) => state === "waiting");
  // The kill hit a sender that owed something.
  expect(owed.length).toBeGreaterThan(0);
  await harness.control.settle();
  expect(missing()).toEqual([]);

  // Neither lost the log an event that was acknowledged, nor the outbox one that the log has.
  const events = await harness.control.events({ limit: 1_000_000 });
  const arrived = new Set(receiver.ids());
  for (const { body } of events) expect(arrived.has((body as { id: string }).id)).toBe(true);
  const log = await harness.log();
  expect(log).toHaveLength(events.length);
  expect(new Set(log.map(({ state }) => state))).toEqual(new Set(["delivered"]));

  // The order of a resource holds across the crashes.
  for (let resource = 0; resource < RESOURCES; resource += 1) {
    const ofResource = (ids: string[]) =>
      ids.filter((id) => Number(id.slice(-12)) % RESOURCES === resource);
    expect(ofResource([...arrived])).toEqual(
      ofResource(events.map(({ body }) => (body as { id: string }).id)),
    );
  }
});
