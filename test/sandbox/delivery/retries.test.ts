import { expect, test } from "vitest";
import { START_MS } from "../test-sandbox.ts";
import { gate, type Reply, startDelivering, startReceiver } from "./receiver.ts";

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** The delay before each attempt after the first. */
const DELAYS_MS = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR],
];

/** Announces an event to a receiver. */
async function announceTo(reply: Reply) {
  const started = await startDelivering({ reply });
  started.sandbox.announce(1);
  return started;
}

test("retries are sent on schedule to the millisecond; then the delivery fails", async () => {
  const { sandbox, control, receiver } = await announceTo(() => 500);
  await control.settle();
  const expectedMs = [START_MS];
  for (const [retries, delayMs] of DELAYS_MS.entries()) {
    const dueMs = sandbox.engine.clock.now() + delayMs;
    expect(sandbox.scheduler.nextDueMs()).toBe(dueMs);
    const dueAt = new Date(dueMs).toISOString();
    expect((await sandbox.log())[0]).toMatchObject({ state: "waiting", dueAt });
    await control.advance(`${delayMs - 1}ms`);
    expect(receiver.arrivals).toHaveLength(retries + 1);
    await control.advance("1ms");
    expect(receiver.arrivals).toHaveLength(retries + 2);
    expectedMs.push(dueMs);
  }
  const [delivery] = await sandbox.log();
  expect(delivery).toMatchObject({ state: "failed", dueAt: null });
  expect(delivery?.attempts.map(({ at }) => Date.parse(at))).toEqual(expectedMs);
  await control.advance("300d");
  expect(receiver.arrivals).toHaveLength(8);
});

test("retries are all sent, each at its time, when the clock advances far", async () => {
  const { sandbox, control } = await announceTo(() => 500);
  const { now, nextDue } = await control.advance("3d");
  expect([Date.parse(now), nextDue]).toEqual([START_MS + 72 * HOUR, null]);
  const [delivery] = await sandbox.log();
  const times = delivery?.attempts.map(({ at }) => Date.parse(at)) ?? [];
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(gaps).toEqual(DELAYS_MS);
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])("retries end with a success on attempt %i", async (nth) => {
  let count = 0;
  const { sandbox, control, receiver } = await announceTo(() => {
    count += 1;
    return count === nth ? 200 : 500;
  });
  await control.advance("3d");
  expect(await sandbox.states()).toEqual(["delivered"]);
  expect(receiver.arrivals).toHaveLength(nth);
});

test("the retry delay starts at the end of the previous attempt", async () => {
  const { opened, open } = gate();
  const { sandbox, control } = await announceTo(() => opened.then(() => 500));
  await control.setClock({ mode: "frozen", now: new Date(START_MS + HOUR).toISOString() });
  open();
  await control.settle();
  expect(sandbox.scheduler.nextDueMs()).toBe(START_MS + HOUR + 5 * SECOND);
  expect((await sandbox.log())[0]?.attempts[0]?.at).toBe(new Date(START_MS).toISOString());
});

test("a delivery waiting for its retry is not sent with due ones", async () => {
  const { sandbox, control, receiver } = await announceTo(() => 500);
  for (const n of [2, 3]) {
    sandbox.announce(n);
    await control.settle();
    expect(receiver.arrivals).toHaveLength(n);
  }
});

// 410 is retried like any other status: an endpoint is removed only by its owner.
test.each([
  ...[200, 201, 202, 204, 226, 299].map((status) => [status, "delivered"] as const),
  ...[300, 304, 400, 401, 404, 410, 429, 500, 503].map((status) => [status, "waiting"] as const),
])("after %i, a delivery is %s", async (status, state) => {
  const { sandbox, control, receiver } = await announceTo(() => status);
  await control.settle();
  const [delivery] = await sandbox.log();
  expect(delivery).toMatchObject({ state, attempts: [{ status, error: null }] });
  receiver.setReply(() => 204);
  await control.advance("3d");
  expect(await sandbox.states()).toEqual(["delivered"]);
  expect(receiver.arrivals).toHaveLength(state === "waiting" ? 2 : 1);
});

test("redirects are not followed", async () => {
  const elsewhere = await startReceiver();
  const { sandbox, control, receiver } = await announceTo((_, response) => {
    response.writeHead(307, { location: elsewhere.url }).end();
    return undefined;
  });
  await control.advance("3d");
  expect([elsewhere.arrivals.length, receiver.arrivals.length]).toEqual([0, 8]);
  expect(await sandbox.states()).toEqual(["failed"]);
});

test("a receiver's Retry-After is ignored", async () => {
  const { control, receiver } = await announceTo((_, response) => {
    response.writeHead(429, { "retry-after": "3600" }).end();
    return undefined;
  });
  await control.advance("5s");
  expect(receiver.arrivals).toHaveLength(2);
});

test("retries run by themselves on a running clock", async () => {
  const { sandbox, control, receiver } = await startDelivering({ clock: "real" });
  const again = Promise.withResolvers<void>();
  receiver.setReply(() => {
    if (receiver.arrivals.length === 1) return 500;
    again.resolve();
    return 204;
  });
  sandbox.announce(1);
  await control.settle();
  await control.advance("4900ms");
  await again.promise;
  await control.settle();
  expect(await sandbox.states()).toEqual(["delivered"]);
});
