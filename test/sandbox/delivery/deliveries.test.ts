import { expect, test } from "vitest";
import { uuid } from "../../support/payloads.ts";
import { gate, startDelivering } from "./receiver.ts";

/** One delivery each: delivered, failed, dropped and pending, each of its own resource. */
async function startWithOneEach() {
  const on = await startDelivering({ reply: ({ id }) => (id === uuid(1) ? 204 : 500) });
  const { sandbox, control, receiver } = on;
  sandbox.announce(1);
  sandbox.announce(2);
  await control.setFaults({ deliveries: [{ kind: "drop", times: 1 }] });
  sandbox.announce(3);
  await control.advance("2d");
  sandbox.announce(4, { name: "transaction.created" });
  await control.settle();
  expect(await sandbox.states()).toEqual(["delivered", "failed", "dropped", "waiting"]);
  receiver.arrivals.length = 0;
  return on;
}

test("the log has each delivery with its event and its attempts, the latest first", async () => {
  const { control, endpoint } = await startWithOneEach();
  const events = await control.events();
  const log = await control.deliveries();
  expect(log.map(({ event }) => event.seq)).toEqual([4, 3, 2, 1]);
  for (const delivery of log) {
    const { body, ...event } = events[delivery.event.seq - 1] ?? { body: null };
    expect(delivery).toMatchObject({ event, endpointId: endpoint.id });
  }
  expect(log.map(({ attempts }) => attempts.length)).toEqual([1, 0, 8, 1]);
  expect(log.at(-1)?.attempts).toEqual([
    { at: "2026-01-05T09:00:00.000Z", status: 204, error: null, durationMs: expect.any(Number) },
  ]);
  expect(log[0]?.dueAt).toBe("2026-01-07T09:00:05.000Z");
});

test("the log filters by state and event, and limits the number", async () => {
  const { control } = await startWithOneEach();
  const seqs = async (query: Parameters<typeof control.deliveries>[0]) =>
    (await control.deliveries(query)).map(({ event }) => event.seq);
  expect(await seqs({ state: "failed" })).toEqual([2]);
  expect(await seqs({ event: "transaction.created" })).toEqual([4]);
  expect(await seqs({ event: "transaction.created", state: "failed" })).toEqual([]);
  expect(await seqs({ limit: 2 })).toEqual([4, 3]);
});

test("a replay of all resends only ended deliveries", async () => {
  const { sandbox, control, receiver } = await startWithOneEach();
  receiver.setReply(() => 204);
  expect(await control.replay("all")).toEqual({ replayed: 3 });
  await control.settle();
  expect(receiver.ids().sort()).toEqual([1, 2, 3].map(uuid));
  expect(await sandbox.states()).toEqual(["delivered", "delivered", "delivered", "waiting"]);
});

test("a replay of one starts a new round of eight attempts", async () => {
  const { sandbox, control, receiver } = await startWithOneEach();
  const [, failed] = await sandbox.log();
  expect(await control.replay(failed?.id ?? "")).toEqual({ replayed: 1 });
  await control.advance("2d");
  expect(receiver.ids().filter((id) => id === uuid(2))).toHaveLength(8);
  const again = (await sandbox.log())[1];
  expect(again).toMatchObject({ id: failed?.id, state: "failed" });
  expect(again?.attempts).toHaveLength(16);
});

test("a replay of one that waits for a retry starts a new round now", async () => {
  const { sandbox, control, receiver } = await startWithOneEach();
  const waiting = (await sandbox.log())[3];
  await control.advance("10m");
  receiver.arrivals.length = 0;
  await control.replay(waiting?.id ?? "");
  await control.settle();
  expect(receiver.ids()).toEqual([uuid(4)]);
  await control.advance("5s");
  expect(receiver.ids()).toEqual([uuid(4), uuid(4)]);
});

test("a replay during an attempt does not affect that attempt", async () => {
  const { opened, open } = gate();
  const arrived = gate();
  const { sandbox, control, receiver } = await startDelivering({
    reply: () => {
      arrived.open();
      return opened.then(() => 500);
    },
  });
  sandbox.announce(1);
  await arrived.opened;
  await control.replay((await sandbox.log())[0]?.id ?? "");
  open();
  await control.settle();
  expect(receiver.arrivals).toHaveLength(1);
  await control.advance("3d");
  expect(receiver.arrivals).toHaveLength(8);
});

test("a replay of an unknown delivery, or one without its endpoint, is refused", async () => {
  const { sandbox, control, endpoint } = await startWithOneEach();
  const [delivered] = await sandbox.log();
  await expect(control.replay("msg_none")).rejects.toMatchObject({ status: 404 });
  await control.removeEndpoint(endpoint.id);
  await expect(control.replay(delivered?.id ?? "")).rejects.toMatchObject({ status: 409 });
  expect(await control.replay("all")).toEqual({ replayed: 0 });
});
