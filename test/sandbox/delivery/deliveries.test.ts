import { describe, expect, test } from "vitest";
import { uuid } from "../../support/payloads.ts";
import { gate, startReceiver } from "./receiver.ts";
import { startHarness } from "./start-harness.ts";

const ids = (...numbers: number[]) => numbers.map(uuid);

/** One delivery each: delivered, failed, dropped and pending, each of its own resource. */
async function startWithOneEach() {
  const harness = startHarness();
  const receiver = await startReceiver(({ id }) => (id === uuid(1) ? 204 : 500));
  const endpoint = await harness.control.addEndpoint({ url: receiver.url });
  harness.announce(1);
  harness.announce(2);
  await harness.control.setFaults({ deliveries: [{ kind: "drop", times: 1 }] });
  harness.announce(3);
  await harness.control.advance("2d");
  harness.announce(4, { name: "transaction.created" });
  await harness.control.settle();
  expect(await harness.states()).toEqual(["delivered", "failed", "dropped", "waiting"]);
  return { harness, receiver, endpoint };
}

describe("the log", () => {
  test("has each delivery with its event and its attempts, the latest first", async () => {
    const { harness, endpoint } = await startWithOneEach();
    const events = await harness.control.events();
    const log = await harness.control.deliveries();
    expect(log.map(({ event }) => event.seq)).toEqual([4, 3, 2, 1]);
    for (const delivery of log) {
      const { body, ...event } = events[delivery.event.seq - 1] ?? { body: null };
      expect(delivery.event).toEqual(event);
      expect(delivery.endpointId).toBe(endpoint.id);
    }
    expect(log.map(({ attempts }) => attempts.length)).toEqual([1, 0, 8, 1]);
    expect(log.at(-1)?.attempts).toEqual([
      { at: "2026-01-05T09:00:00.000Z", status: 204, error: null, durationMs: expect.any(Number) },
    ]);
    expect(log[0]?.dueAt).toBe("2026-01-07T09:00:05.000Z");
  });

  test("filters by state and event, and limits the number", async () => {
    const { harness } = await startWithOneEach();
    const seqs = async (query: Parameters<typeof harness.control.deliveries>[0]) =>
      (await harness.control.deliveries(query)).map(({ event }) => event.seq);
    expect(await seqs({ state: "failed" })).toEqual([2]);
    expect(await seqs({ event: "transaction.created" })).toEqual([4]);
    expect(await seqs({ event: "transaction.created", state: "failed" })).toEqual([]);
    expect(await seqs({ limit: 2 })).toEqual([4, 3]);
  });
});

describe("a replay", () => {
  test("of all resends only ended deliveries, in the order of the events", async () => {
    const { harness, receiver } = await startWithOneEach();
    receiver.setReply(() => 204);
    receiver.arrivals.length = 0;
    expect(await harness.control.replay("all")).toEqual({ replayed: 3 });
    await harness.control.settle();
    expect(receiver.ids().sort()).toEqual(ids(1, 2, 3));
    expect(await harness.states()).toEqual(["delivered", "delivered", "delivered", "waiting"]);
  });

  test("of one starts a new round of eight attempts", async () => {
    const { harness, receiver } = await startWithOneEach();
    const [, failed] = await harness.log();
    receiver.arrivals.length = 0;
    expect(await harness.control.replay(failed?.id ?? "")).toEqual({ replayed: 1 });
    await harness.control.advance("2d");
    expect(receiver.ids().filter((id) => id === uuid(2))).toHaveLength(8);
    const again = (await harness.log())[1];
    expect(again).toMatchObject({ id: failed?.id, state: "failed" });
    expect(again?.attempts).toHaveLength(16);
  });

  test("of one that waits for a retry starts a new round now", async () => {
    const { harness, receiver } = await startWithOneEach();
    const waiting = (await harness.log())[3];
    await harness.control.advance("10m");
    receiver.arrivals.length = 0;
    await harness.control.replay(waiting?.id ?? "");
    await harness.control.settle();
    expect(receiver.ids()).toEqual(ids(4));
    await harness.control.advance("5s");
    expect(receiver.ids()).toEqual(ids(4, 4));
  });

  test("keeps the order of a resource, behind pending deliveries", async () => {
    const harness = startHarness();
    const receiver = await startReceiver();
    await harness.control.addEndpoint({ url: receiver.url });
    for (const n of [1, 2, 3]) harness.announce(n, { resource: "one" });
    await harness.control.settle();
    receiver.setReply(() => (receiver.arrivals.length === 4 ? 500 : 204));
    harness.announce(4, { resource: "one" });
    await harness.control.settle();
    await harness.control.replay("all");
    await harness.control.settle();
    expect(receiver.ids()).toEqual(ids(1, 2, 3, 4));
    await harness.control.advance("5s");
    expect(receiver.ids()).toEqual(ids(1, 2, 3, 4, 4, 1, 2, 3));
  });

  test("waits for an earlier replay of the same resource in any event order", async () => {
    const harness = startHarness();
    const receiver = await startReceiver();
    await harness.control.addEndpoint({ url: receiver.url });
    for (const n of [1, 2, 3]) harness.announce(n, { resource: "one" });
    await harness.control.settle();
    const [first, second, third] = await harness.log();
    receiver.setReply(() => (receiver.arrivals.length === 4 ? 500 : 204));
    for (const one of [third, second, first]) await harness.control.replay(one?.id ?? "");
    await harness.control.advance("5s");
    expect(receiver.ids()).toEqual(ids(1, 2, 3, 3, 3, 2, 1));
  });

  test("during an attempt does not affect that attempt", async () => {
    const harness = startHarness();
    const { opened, open } = gate();
    const arrived = gate();
    const receiver = await startReceiver(async () => {
      arrived.open();
      await opened;
      return 500;
    });
    await harness.control.addEndpoint({ url: receiver.url });
    harness.announce(1);
    await arrived.opened;
    await harness.control.replay((await harness.log())[0]?.id ?? "");
    open();
    await harness.control.settle();
    expect(receiver.arrivals).toHaveLength(1);
    await harness.control.advance("3d");
    expect(receiver.arrivals).toHaveLength(8);
  });

  test("of an unknown delivery, or one without its endpoint, is refused", async () => {
    const { harness, endpoint } = await startWithOneEach();
    const [delivered] = await harness.log();
    await expect(harness.control.replay("msg_none")).rejects.toMatchObject({ status: 404 });
    await harness.control.removeEndpoint(endpoint.id);
    const refused = harness.control.replay(delivered?.id ?? "");
    await expect(refused).rejects.toMatchObject({ status: 409 });
    expect(await harness.control.replay("all")).toEqual({ replayed: 0 });
  });
});
