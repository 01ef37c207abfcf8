import { describe, expect, test } from "vitest";
import { gate, startReceiver } from "./receiver.ts";
import { idOf } from "./rig.ts";
import { startRig } from "./start-rig.ts";

const ids = (...numbers: number[]) => numbers.map(idOf);

/** One delivered, one failed, one dropped and one waiting, each of its own resource. */
async function startWithOneEach() {
  const rig = startRig();
  const receiver = await startReceiver(({ id }) => (id === idOf(1) ? 204 : 500));
  const endpoint = await rig.control.addEndpoint({ url: receiver.url });
  rig.announce(1);
  rig.announce(2);
  await rig.control.setFaults({ deliveries: [{ kind: "drop", times: 1 }] });
  rig.announce(3);
  await rig.control.advance("2d");
  rig.announce(4, { name: "transaction.created" });
  await rig.control.settle();
  expect(await rig.states()).toEqual(["delivered", "failed", "dropped", "waiting"]);
  return { rig, receiver, endpoint };
}

describe("the log", () => {
  test("has each delivery with its event and its attempts, the latest first", async () => {
    const { rig, endpoint } = await startWithOneEach();
    const events = await rig.control.events();
    const log = await rig.control.deliveries();
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

  test("tells those of a state, of an event, and so many", async () => {
    const { rig } = await startWithOneEach();
    const seqs = async (query: Parameters<typeof rig.control.deliveries>[0]) =>
      (await rig.control.deliveries(query)).map(({ event }) => event.seq);
    expect(await seqs({ state: "failed" })).toEqual([2]);
    expect(await seqs({ event: "transaction.created" })).toEqual([4]);
    expect(await seqs({ event: "transaction.created", state: "failed" })).toEqual([]);
    expect(await seqs({ limit: 2 })).toEqual([4, 3]);
  });
});

describe("a replay", () => {
  test("of all sends what has ended again, in the order of the events, and nothing else", async () => {
    const { rig, receiver } = await startWithOneEach();
    receiver.answer(() => 204);
    receiver.arrivals.length = 0;
    expect(await rig.control.replay("all")).toEqual({ replayed: 3 });
    await rig.control.settle();
    expect(receiver.ids().sort()).toEqual(ids(1, 2, 3));
    expect(await rig.states()).toEqual(["delivered", "delivered", "delivered", "waiting"]);
  });

  test("of one is a fresh round of eight attempts", async () => {
    const { rig, receiver } = await startWithOneEach();
    const [, failed] = await rig.log();
    receiver.arrivals.length = 0;
    expect(await rig.control.replay(failed?.id ?? "")).toEqual({ replayed: 1 });
    await rig.control.advance("2d");
    expect(receiver.ids().filter((id) => id === idOf(2))).toHaveLength(8);
    const again = (await rig.log())[1];
    expect(again).toMatchObject({ id: failed?.id, state: "failed" });
    expect(again?.attempts).toHaveLength(16);
  });

  test("of one that waits for a retry is a fresh round now", async () => {
    const { rig, receiver } = await startWithOneEach();
    const waiting = (await rig.log())[3];
    await rig.control.advance("10m");
    receiver.arrivals.length = 0;
    await rig.control.replay(waiting?.id ?? "");
    await rig.control.settle();
    expect(receiver.ids()).toEqual(ids(4));
    await rig.control.advance("5s");
    expect(receiver.ids()).toEqual(ids(4, 4));
  });

  test("keeps the order of a resource, behind what waits already", async () => {
    const rig = startRig();
    const receiver = await startReceiver();
    await rig.control.addEndpoint({ url: receiver.url });
    for (const n of [1, 2, 3]) rig.announce(n, { resource: "one" });
    await rig.control.settle();
    receiver.answer(() => (receiver.arrivals.length === 4 ? 500 : 204));
    rig.announce(4, { resource: "one" });
    await rig.control.settle();
    await rig.control.replay("all");
    await rig.control.settle();
    expect(receiver.ids()).toEqual(ids(1, 2, 3, 4));
    await rig.control.advance("5s");
    expect(receiver.ids()).toEqual(ids(1, 2, 3, 4, 4, 1, 2, 3));
  });

  test("after another of the same resource waits for it, whichever event was earlier", async () => {
    const rig = startRig();
    const receiver = await startReceiver();
    await rig.control.addEndpoint({ url: receiver.url });
    for (const n of [1, 2, 3]) rig.announce(n, { resource: "one" });
    await rig.control.settle();
    const [first, second, third] = await rig.log();
    receiver.answer(() => (receiver.arrivals.length === 4 ? 500 : 204));
    for (const one of [third, second, first]) await rig.control.replay(one?.id ?? "");
    await rig.control.advance("5s");
    expect(receiver.ids()).toEqual(ids(1, 2, 3, 3, 3, 2, 1));
  });

  test("while the delivery is under way changes nothing of that attempt", async () => {
    const rig = startRig();
    const { opened, open } = gate();
    const arrived = gate();
    const receiver = await startReceiver(async () => {
      arrived.open();
      await opened;
      return 500;
    });
    await rig.control.addEndpoint({ url: receiver.url });
    rig.announce(1);
    await arrived.opened;
    await rig.control.replay((await rig.log())[0]?.id ?? "");
    open();
    await rig.control.settle();
    expect(receiver.arrivals).toHaveLength(1);
    await rig.control.advance("3d");
    expect(receiver.arrivals).toHaveLength(8);
  });

  test("of what is not there, or has lost its endpoint, is refused", async () => {
    const { rig, endpoint } = await startWithOneEach();
    const [delivered] = await rig.log();
    await expect(rig.control.replay("msg_none")).rejects.toMatchObject({ status: 404 });
    await rig.control.removeEndpoint(endpoint.id);
    const refused = rig.control.replay(delivered?.id ?? "");
    await expect(refused).rejects.toMatchObject({ status: 409 });
    expect(await rig.control.replay("all")).toEqual({ replayed: 0 });
  });
});
