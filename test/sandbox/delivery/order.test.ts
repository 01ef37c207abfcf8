import { expect, test, vi } from "vitest";
import { START_MS } from "../test-service.ts";
import { gate, startReceiver } from "./receiver.ts";
import { startHarness } from "./start-harness.ts";

test("a delivery waits for its resource's earlier ones, including their retries", async () => {
  const harness = startHarness();
  const receiver = await startReceiver(({ id }) => (id === first ? 500 : 204));
  await harness.control.addEndpoint({ url: receiver.url });
  const first = harness.announce(1, { resource: "one" });
  const second = harness.announce(2, { resource: "one" });
  const third = harness.announce(3, { resource: "one" });
  const other = harness.announce(4, { resource: "another" });
  await harness.control.settle();
  expect(receiver.ids().sort()).toEqual([first, other]);
  const log = await harness.log();
  const dueAt = new Date(START_MS + 5_000).toISOString();
  expect(log.map((delivery) => delivery.dueAt)).toEqual([dueAt, null, null, null]);

  await harness.control.advance("27h");
  expect(receiver.ids().filter((id) => id !== first)).toEqual([other]);
  await harness.control.advance("1h");
  expect(await harness.states()).toEqual(["failed", "delivered", "delivered", "delivered"]);
  expect(receiver.ids().filter((id) => id !== first)).toEqual([other, second, third]);
});

test("a delivery is sent at once when the one before it is delivered", async () => {
  const harness = startHarness();
  const receiver = await startReceiver(() => (receiver.arrivals.length === 1 ? 500 : 204));
  await harness.control.addEndpoint({ url: receiver.url });
  const ids = [1, 2, 3].map((n) => harness.announce(n, { resource: "one" }));
  await harness.control.settle();
  expect(receiver.ids()).toEqual(ids.slice(0, 1));
  await harness.control.advance("5s");
  expect(receiver.ids()).toEqual([ids[0], ...ids]);
  expect(harness.sinceStartMs).toBe(5_000);
});

test("a resource's deliveries are sent one after the other", async () => {
  const harness = startHarness();
  const { opened, open } = gate();
  const receiver = await startReceiver(async () => {
    await opened;
    return 204;
  });
  await harness.control.addEndpoint({ url: receiver.url });
  const ids = Array.from({ length: 20 }, (_, n) => harness.announce(n, { resource: "one" }));
  await vi.waitFor(() => expect(receiver.arrivals).toHaveLength(1));
  // Another resource's deliveries arrive meanwhile, which shows that there was enough time.
  receiver.setReply(() => 204);
  for (let n = 100; n < 110; n += 1) harness.announce(n, { resource: "another" });
  await vi.waitFor(() => expect(receiver.arrivals).toHaveLength(11));
  open();
  await harness.control.settle();
  expect(receiver.ids().filter((id) => ids.includes(id))).toEqual(ids);
});

test("an endpoint's failures do not block other endpoints", async () => {
  const harness = startHarness();
  const [good, bad] = [await startReceiver(), await startReceiver(() => 500)];
  await harness.control.addEndpoint({ url: bad.url });
  await harness.control.addEndpoint({ url: good.url });
  const ids = [1, 2, 3].map((n) => harness.announce(n, { resource: "one" }));
  await harness.control.settle();
  expect(good.ids()).toEqual(ids);
  expect(bad.ids()).toEqual(ids.slice(0, 1));
});

test("an unordered endpoint gets each delivery independently", async () => {
  const harness = startHarness();
  const receiver = await startReceiver(({ id }) => (id === first ? 500 : 204));
  await harness.control.addEndpoint({ url: receiver.url, ordered: false });
  const first = harness.announce(1, { resource: "one" });
  const second = harness.announce(2, { resource: "one" });
  await harness.control.settle();
  expect(receiver.ids().sort()).toEqual([first, second]);
  expect(await harness.states()).toEqual(["waiting", "delivered"]);
});

test("32 resources are sent concurrently, the rest as slots become free", async () => {
  const harness = startHarness();
  const { opened, open } = gate();
  let [pending, most] = [0, 0];
  const receiver = await startReceiver(async () => {
    pending += 1;
    most = Math.max(most, pending);
    if (receiver.arrivals.length >= 32) open();
    await opened;
    // Wait, so that any request over the limit would arrive.
    await new Promise(setImmediate);
    pending -= 1;
    return 204;
  });
  await harness.control.addEndpoint({ url: receiver.url });
  const ids = Array.from({ length: 200 }, (_, n) => harness.announce(n));
  // Deliveries that wait for a slot do not cause a busy loop.
  expect(harness.scheduler.nextDueMs()).toBeUndefined();
  await harness.control.settle();
  expect(most).toBe(32);
  expect(receiver.ids().sort()).toEqual(ids);
});

test("an endpoint without a free slot does not use others' slots", async () => {
  const harness = startHarness();
  const { opened, open } = gate();
  const stuck = await startReceiver(async () => {
    await opened;
    return 204;
  });
  const free = await startReceiver();
  await harness.control.addEndpoint({ url: stuck.url });
  await harness.control.addEndpoint({ url: free.url });
  for (let n = 0; n < 100; n += 1) harness.announce(n);
  await vi.waitFor(() => expect(free.arrivals).toHaveLength(100));
  expect(stuck.arrivals.length).toBeLessThanOrEqual(32);
  open();
  await harness.control.settle();
  expect(stuck.arrivals).toHaveLength(100);
});
