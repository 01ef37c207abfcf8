import { describe, expect, test } from "vitest";
import { START_MS } from "../test-service.ts";
import { gate, startReceiver } from "./receiver.ts";
import { startHarness } from "./start-harness.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The delay before each attempt after the first. */
const DELAYS_MS = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR],
];

describe("retries on a frozen clock", () => {
  test("are sent on schedule to the millisecond; then the delivery fails", async () => {
    const harness = startHarness();
    const receiver = await startReceiver(() => 500);
    await harness.control.addEndpoint({ url: receiver.url });
    harness.announce(1);
    await harness.control.settle();
    const expectedMs = [START_MS];
    for (const [retries, delayMs] of DELAYS_MS.entries()) {
      const dueMs = harness.engine.clock.now() + delayMs;
      expect(harness.scheduler.nextDueMs()).toBe(dueMs);
      expect((await harness.log())[0]).toMatchObject({
        state: "waiting",
        dueAt: new Date(dueMs).toISOString(),
      });
      await harness.control.advance(`${delayMs - 1}ms`);
      expect(receiver.arrivals).toHaveLength(retries + 1);
      await harness.control.advance("1ms");
      expect(receiver.arrivals).toHaveLength(retries + 2);
      expectedMs.push(dueMs);
    }
    const [delivery] = await harness.log();
    expect(delivery).toMatchObject({ state: "failed", dueAt: null });
    expect(delivery?.attempts.map(({ at }) => Date.parse(at))).toEqual(expectedMs);
    await harness.control.advance("300d");
    expect(receiver.arrivals).toHaveLength(8);
  });

  test("are all sent, each at its time, when the clock advances far", async () => {
    const harness = startHarness();
    const receiver = await startReceiver(() => 500);
    await harness.control.addEndpoint({ url: receiver.url });
    harness.announce(1);
    const { now, nextDue } = await harness.control.advance("3d");
    expect(nextDue).toBeNull();
    expect(Date.parse(now)).toBe(START_MS + 72 * HOUR);
    const [delivery] = await harness.log();
    const times = delivery?.attempts.map(({ at }) => Date.parse(at) - START_MS) ?? [];
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(gaps).toEqual(DELAYS_MS);
  });

  test("end with the first success, on any attempt", async () => {
    for (let successAt = 1; successAt <= 8; successAt += 1) {
      const harness = startHarness();
      const receiver = await startReceiver(() =>
        receiver.arrivals.length === successAt ? 200 : 500,
      );
      await harness.control.addEndpoint({ url: receiver.url });
      harness.announce(1);
      await harness.control.advance("3d");
      expect(await harness.states()).toEqual(["delivered"]);
      expect(receiver.arrivals).toHaveLength(successAt);
    }
  });
});

test("the retry delay starts at the end of the previous attempt", async () => {
  const harness = startHarness();
  const { opened, open } = gate();
  const receiver = await startReceiver(async () => {
    await opened;
    return 500;
  });
  await harness.control.addEndpoint({ url: receiver.url });
  harness.announce(1);
  await harness.control.setClock({ mode: "frozen", now: new Date(START_MS + HOUR).toISOString() });
  open();
  await harness.control.settle();
  expect(harness.scheduler.nextDueMs()).toBe(START_MS + HOUR + 5 * SECOND);
  expect((await harness.log())[0]?.attempts[0]?.at).toBe(new Date(START_MS).toISOString());
});

test("a delivery waiting for its retry is not sent with due ones", async () => {
  const harness = startHarness();
  const receiver = await startReceiver(() => 500);
  await harness.control.addEndpoint({ url: receiver.url });
  for (const n of [1, 2, 3]) {
    harness.announce(n);
    await harness.control.settle();
    expect(receiver.arrivals).toHaveLength(n);
  }
});

test.each([200, 201, 202, 204, 226, 299])("%i is a success", async (status) => {
  const harness = startHarness();
  const receiver = await startReceiver(() => status);
  await harness.control.addEndpoint({ url: receiver.url });
  harness.announce(1);
  await harness.control.advance("3d");
  expect(receiver.arrivals).toHaveLength(1);
  const [delivery] = await harness.log();
  expect(delivery).toMatchObject({ state: "delivered", attempts: [{ status, error: null }] });
});

// 410 is retried like any other status: an endpoint is removed only by its owner.
test.each([300, 304, 400, 401, 404, 410, 429, 500, 503])("%i is retried", async (status) => {
  const harness = startHarness();
  const receiver = await startReceiver(() => status);
  await harness.control.addEndpoint({ url: receiver.url });
  harness.announce(1);
  await harness.control.settle();
  const [delivery] = await harness.log();
  expect(delivery).toMatchObject({ state: "waiting", attempts: [{ status, error: null }] });
  receiver.setReply(() => 204);
  await harness.control.advance("5s");
  expect(await harness.states()).toEqual(["delivered"]);
});

test("does not follow redirects", async () => {
  const harness = startHarness();
  const elsewhere = await startReceiver();
  const receiver = await startReceiver((_, response) => {
    response.writeHead(307, { location: elsewhere.url }).end();
    return undefined;
  });
  await harness.control.addEndpoint({ url: receiver.url });
  harness.announce(1);
  await harness.control.advance("3d");
  expect(elsewhere.arrivals).toEqual([]);
  expect(receiver.arrivals).toHaveLength(8);
  expect(await harness.states()).toEqual(["failed"]);
});

test("ignores a receiver's Retry-After", async () => {
  const harness = startHarness();
  const receiver = await startReceiver((_, response) => {
    response.writeHead(429, { "retry-after": "3600" }).end();
    return undefined;
  });
  await harness.control.addEndpoint({ url: receiver.url });
  harness.announce(1);
  await harness.control.advance("5s");
  expect(receiver.arrivals).toHaveLength(2);
});

test("retries run by themselves on a running clock", async () => {
  const harness = startHarness({ clock: "real" });
  const again = Promise.withResolvers<void>();
  const receiver = await startReceiver(() => {
    if (receiver.arrivals.length === 1) return 500;
    again.resolve();
    return 204;
  });
  await harness.control.addEndpoint({ url: receiver.url });
  harness.announce(1);
  await harness.control.settle();
  await harness.control.advance("4900ms");
  await again.promise;
  await harness.control.settle();
  expect(await harness.states()).toEqual(["delivered"]);
});
