import { expect, onTestFinished, test, vi } from "vitest";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/index.ts";
import { startReceiver } from "./delivery/receiver.ts";

/** A sandbox that is closed with the test, and its events since its start. */
async function start(options: SandboxOptions = {}) {
  const sandbox = await createSandbox({ clock: "frozen", validate: true, ...options });
  onTestFinished(() => sandbox.close());
  const { counts } = await sandbox.status();
  const sent = () => sandbox.events({ after: counts.events, limit: 10_000 });
  const completed = async () => (await sent()).find(({ name }) => name === "banklink.completed");
  return { sandbox, sent, completed };
}

/** Starts a bank link, which a job completes by polling. Returns the time of the job. */
async function linkByPolling(sandbox: Sandbox): Promise<string> {
  const { bankLinkId } = (await sandbox.trigger("link-start")).result;
  await sandbox.trigger("link-complete", { bankLinkId, by: "polling" });
  return (await sandbox.readClock()).nextDue ?? "";
}

const shifted = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();
const START = "2026-01-05T09:00:00.000Z";
const DAY_MS = 86_400_000;

test("advancing completes everything due: jobs, events, deliveries and retries", async () => {
  const { sandbox, completed } = await start();
  // Every delivery succeeds on its third attempt.
  const attempts = new Map<unknown, number>();
  const receiver = await startReceiver(({ headers }) => {
    const count = (attempts.get(headers["webhook-id"]) ?? 0) + 1;
    attempts.set(headers["webhook-id"], count);
    return count < 3 ? 503 : 204;
  });
  await sandbox.addEndpoint({ url: receiver.url });
  const dueAt = await linkByPolling(sandbox);
  await sandbox.advance("1d");
  // Each at its own time.
  expect((await completed())?.at).toBe(dueAt);
  const deliveries = await sandbox.deliveries({ limit: 1000 });
  expect(deliveries.map(({ state }) => state)).toEqual(deliveries.map(() => "delivered"));
  expect(receiver.arrivals.length).toBe(3 * deliveries.length);
  const { now, nextDue } = await sandbox.readClock();
  expect(now).toBe(shifted(START, DAY_MS));
  expect(nextDue === null || nextDue > now).toBe(true);
});

test("advancing completes everything due over ten years", async () => {
  const { sandbox } = await start();
  await sandbox.addEndpoint({ url: "http://127.0.0.1:9/" });
  await sandbox.trigger("purchase");
  await linkByPolling(sandbox);
  const { now, nextDue } = await sandbox.advance("3650d");
  expect({ now, nextDue }).toEqual({ now: shifted(START, 3650 * DAY_MS), nextDue: null });
  expect((await sandbox.deliveries({ state: "waiting" })).length).toBe(0);
});

test("advancing completes everything due while verbs are triggered", async () => {
  const { sandbox, sent } = await start();
  const receiver = await startReceiver();
  await sandbox.addEndpoint({ url: receiver.url });
  const advancing = sandbox.advance("30d");
  const outcomes = [];
  for (let count = 0; count < 30; count += 1) {
    outcomes.push(await sandbox.trigger("purchase", { amount: 10 + count }));
    outcomes.push(await sandbox.trigger("bank-post", { amount: 10 + count }));
    await new Promise(setImmediate);
  }
  await advancing;
  await sandbox.settle();
  const events = await sent();
  expect(events).toEqual(expect.arrayContaining(outcomes.flatMap((outcome) => outcome.events)));
  expect(receiver.arrivals.length).toBe(events.length);
  const times = events.map(({ at }) => at);
  expect(times).toEqual(times.toSorted());
});

test("concurrent clock changes run in turn; one that fails does not block the next", async () => {
  const { sandbox } = await start();
  await Promise.all(["1h", "2h", "3h"].map((by) => sandbox.advance(by)));
  expect((await sandbox.readClock()).now).toBe(shifted(START, DAY_MS / 4));
  await sandbox.setClock({ mode: "frozen", now: "2999-12-31T00:00:00.000Z" });
  const [failed, done] = await Promise.allSettled(["2d", "1h"].map((by) => sandbox.advance(by)));
  expect(failed).toMatchObject({ reason: { status: 400 } });
  expect(done).toMatchObject({ value: { now: "2999-12-31T01:00:00.000Z" } });
});

test("setting the clock back while it advances stops it there", async () => {
  const { sandbox } = await start();
  const receiver = await startReceiver(async () => {
    await sandbox.setClock({ mode: "frozen", now: "2026-01-01T00:00:00.000Z" });
    return 204;
  });
  await linkByPolling(sandbox);
  await sandbox.addEndpoint({ url: receiver.url });
  const { now } = await sandbox.advance("90d");
  expect(receiver.arrivals.length).toBeGreaterThan(0);
  expect(now).toBe("2026-01-01T00:00:00.000Z");
});

test("setting the clock forward runs due work; setting it back does not", async () => {
  const { sandbox, completed } = await start();
  await linkByPolling(sandbox);
  for (const [now, expected] of [
    ["2026-01-01T00:00:00.000Z", undefined],
    ["2027-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"],
  ] as const) {
    await sandbox.setClock({ mode: "frozen", now });
    await sandbox.settle();
    expect((await completed())?.at).toBe(expected);
  }
});

test.each(["real", "frozen"] as const)(
  "due work runs by itself on a running clock that was %s",
  async (clock) => {
    const { sandbox, completed } = await start({ clock });
    // Just before the due time, so that the timer runs it.
    const now = shifted(await linkByPolling(sandbox), -50);
    if (clock === "frozen") {
      await sandbox.setClock({ mode: "frozen", now });
      await sandbox.setClock({ mode: "real" });
    } else await sandbox.setClock({ mode: "real", now });
    await vi.waitFor(async () => expect(await completed()).toBeDefined(), 10_000);
  },
);
