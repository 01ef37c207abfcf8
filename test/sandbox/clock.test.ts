import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/index.ts";
import { startReceiver } from "./delivery/receiver.ts";

/** A sandbox that is closed with the test. */
async function start(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await createSandbox({ clock: "frozen", validate: true, ...options });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** The time elapsed on a frozen clock. */
async function elapsedMs(sandbox: Sandbox): Promise<number> {
  const { now } = await sandbox.readClock();
  return Date.parse(now) - Date.parse("2026-01-05T09:00:00.000Z");
}

const HOUR_MS = 3_600_000;

/** Starts a bank link, which a job completes by polling. */
async function linkByPolling(sandbox: Sandbox): Promise<string> {
  const { result } = await sandbox.trigger("link-start");
  await sandbox.trigger("link-complete", { bankLinkId: result.bankLinkId, by: "polling" });
  return result.bankLinkId;
}

async function namesSince(sandbox: Sandbox, after: number): Promise<string[]> {
  return (await sandbox.events({ after })).map(({ name }) => name);
}

describe("advancing the clock completes everything due:", () => {
  test("jobs, their events, deliveries and retries", async () => {
    const sandbox = await start();
    // Every delivery succeeds on its third attempt.
    const attempts = new Map<unknown, number>();
    const receiver = await startReceiver(({ headers }) => {
      const count = (attempts.get(headers["webhook-id"]) ?? 0) + 1;
      attempts.set(headers["webhook-id"], count);
      return count < 3 ? 503 : 204;
    });
    await sandbox.addEndpoint({ url: receiver.url });
    const { events } = await sandbox.status().then(({ counts }) => counts);
    await linkByPolling(sandbox);
    await sandbox.advance("1d");
    expect(await elapsedMs(sandbox)).toBe(24 * HOUR_MS);
    expect(await namesSince(sandbox, events)).toContain("banklink.completed");
    const deliveries = await sandbox.deliveries({ limit: 1000 });
    expect(deliveries.map(({ state }) => state)).toEqual(deliveries.map(() => "delivered"));
    expect(receiver.arrivals.length).toBe(3 * deliveries.length);
    const { now, nextDue } = await sandbox.readClock();
    expect(nextDue === null || nextDue > now).toBe(true);
  });

  test("each at its own time", async () => {
    const sandbox = await start();
    await linkByPolling(sandbox);
    const { nextDue } = await sandbox.readClock();
    await sandbox.advance("2d");
    const [completed] = (await sandbox.events({ name: "banklink.completed" })).slice(-1);
    expect(completed?.at).toBe(nextDue);
  });

  test("over ten years", async () => {
    const sandbox = await start();
    await sandbox.addEndpoint({ url: "http://127.0.0.1:9/" });
    await sandbox.trigger("purchase");
    await linkByPolling(sandbox);
    await sandbox.advance("3650d");
    expect(await elapsedMs(sandbox)).toBe(3650 * 24 * HOUR_MS);
    expect((await sandbox.readClock()).nextDue).toBeNull();
    expect((await sandbox.deliveries({ state: "waiting" })).length).toBe(0);
  });

  test("while verbs are triggered", async () => {
    const sandbox = await start();
    const receiver = await startReceiver();
    await sandbox.addEndpoint({ url: receiver.url });
    const { counts } = await sandbox.status();
    const advancing = sandbox.advance("30d");
    const outcomes = [];
    for (let count = 0; count < 30; count += 1) {
      outcomes.push(await sandbox.trigger("purchase", { amount: 10 + count }));
      outcomes.push(await sandbox.trigger("bank-post", { amount: 10 + count }));
      await new Promise(setImmediate);
    }
    await advancing;
    await sandbox.settle();
    const events = await sandbox.events({ after: counts.events, limit: 10_000 });
    for (const event of outcomes.flatMap(({ events }) => events)) {
      expect(events).toContainEqual(event);
    }
    expect(receiver.arrivals.length).toBe(events.length);
    const times = events.map(({ at }) => at);
    expect(times).toEqual(times.toSorted());
  });
});

test("concurrent clock changes run one after the other", async () => {
  const sandbox = await start();
  const readings = await Promise.all(["1h", "2h", "3h"].map((by) => sandbox.advance(by)));
  expect(await elapsedMs(sandbox)).toBe(6 * HOUR_MS);
  expect(readings).toHaveLength(3);
});

test("a failed clock change does not block the next", async () => {
  const sandbox = await start();
  await sandbox.setClock({ mode: "frozen", now: "2999-12-31T00:00:00.000Z" });
  const changes = ["2d", "1h"].map((by) => sandbox.advance(by));
  const [failed, done] = await Promise.allSettled(changes);
  expect(failed).toMatchObject({ reason: { status: 400 } });
  expect(done).toMatchObject({ value: { now: "2999-12-31T01:00:00.000Z" } });
});

test("setting the clock back while it advances stops it there", async () => {
  const sandbox = await start();
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
  const sandbox = await start();
  const { events } = await sandbox.status().then(({ counts }) => counts);
  await linkByPolling(sandbox);
  await sandbox.setClock({ mode: "frozen", now: "2026-01-01T00:00:00.000Z" });
  await sandbox.settle();
  expect(await namesSince(sandbox, events)).not.toContain("banklink.completed");
  await sandbox.setClock({ mode: "frozen", now: "2027-01-01T00:00:00.000Z" });
  await sandbox.settle();
  expect(await namesSince(sandbox, events)).toContain("banklink.completed");
  expect((await sandbox.events({ name: "banklink.completed" })).at(-1)?.at).toBe(
    "2027-01-01T00:00:00.000Z",
  );
});

test("due work runs by itself on a running clock", async () => {
  const sandbox = await start({ clock: "real" });
  const receiver = await startReceiver();
  await sandbox.addEndpoint({ url: receiver.url, events: ["banklink.completed"] });
  await linkByPolling(sandbox);
  // Just before the due time, so that the timer runs it.
  const { nextDue } = await sandbox.readClock();
  await sandbox.setClock({
    mode: "real",
    now: new Date(Date.parse(nextDue ?? "") - 50).toISOString(),
  });
  await vi.waitFor(() => expect(receiver.arrivals).toHaveLength(1), 10_000);
});

test("a frozen clock that runs again restarts its timers", async () => {
  const sandbox = await start();
  const { events } = await sandbox.status().then(({ counts }) => counts);
  await linkByPolling(sandbox);
  const { nextDue } = await sandbox.readClock();
  const now = new Date(Date.parse(nextDue ?? "") - 50).toISOString();
  await sandbox.setClock({ mode: "frozen", now });
  await sandbox.setClock({ mode: "real" });
  await vi.waitFor(async () => {
    expect(await namesSince(sandbox, events)).toContain("banklink.completed");
  }, 10_000);
});
