import { expect, test, vi } from "vitest";
import type { DeliveryFault } from "../../../src/sandbox/control/control.ts";
import { FaultInjector } from "../../../src/sandbox/fault-injector.ts";
import { uuid } from "../../support/payloads.ts";
import {
  advance,
  announce,
  announceAll,
  arrived,
  type DeliveryStep,
  gate,
  replay,
  reply,
  settle,
  startDelivering,
  startReceiver,
  states,
} from "./receiver.ts";

interface Row {
  readonly title: string;
  readonly steps: readonly DeliveryStep[];
  readonly faults?: readonly DeliveryFault[];
  readonly ordered?: boolean;
}

/** Responds with 500 until the n-th request. */
const failUntil = (n: number) => reply((_, count) => (count < n ? 500 : 204));
/** Responds with 500 to all attempts of an event. */
const fail = (n: number) => reply(({ id }) => (id === uuid(n) ? 500 : 204));
const accept = reply(() => 204);
const setFault = (kind: DeliveryFault["kind"]): DeliveryStep => {
  return ({ control }) => control.setFaults({ deliveries: [{ kind, times: 1 }] });
};
const dueAt = (n: number, expected: string | null): DeliveryStep => {
  return async ({ sandbox }) => expect((await sandbox.log())[n - 1]?.dueAt).toBe(expected);
};
const attempts = (...counts: number[]): DeliveryStep => {
  return async ({ sandbox }) => {
    expect((await sandbox.log()).map((delivery) => delivery.attempts.length)).toEqual(counts);
  };
};
const inOrder = (...numbers: number[]): DeliveryStep => {
  return ({ receiver }) => expect([...new Set(receiver.ids())]).toEqual(numbers.map(uuid));
};

const IN_A_ROW: Row[] = [
  {
    title: "a delivery waits for its resource's earlier ones, including their retries",
    steps: [
      ...[fail(1), announce(1), settle, announce(2), announce(3), announce(4, "another"), settle],
      ...[arrived(1, 4), dueAt(1, "2026-01-05T09:00:05.000Z"), dueAt(2, null), dueAt(3, null)],
      ...[advance("27h"), inOrder(1, 4), advance("1h"), inOrder(1, 4, 2, 3)],
      states("failed", "delivered", "delivered", "delivered"),
    ],
  },
  {
    title: "a delivery is sent at once when the one before it is delivered",
    steps: [
      ...[failUntil(2), announceAll(1, 2, 3), settle, arrived(1)],
      ...[advance("5s"), arrived(1, 1, 2, 3)],
    ],
  },
  {
    title: "an unordered endpoint gets each delivery independently",
    ordered: false,
    steps: [
      ...[fail(1), announce(1), settle, announce(2), settle],
      ...[arrived(1, 2), states("waiting", "delivered")],
    ],
  },
  {
    title: "a replay keeps the order of a resource, behind pending deliveries",
    steps: [
      ...[announceAll(1, 2, 3), settle, failUntil(5), announce(4), settle],
      ...[replay("all"), settle, arrived(1, 2, 3, 4)],
      ...[advance("5s"), arrived(1, 2, 3, 4, 4, 1, 2, 3)],
    ],
  },
  {
    title: "a replay waits for an earlier replay of the same resource in any event order",
    steps: [
      ...[announceAll(1, 2, 3), settle, failUntil(5)],
      ...[replay(3), replay(2), replay(1), advance("5s"), arrived(1, 2, 3, 3, 3, 2, 1)],
    ],
  },
];

const FAULTS: Row[] = [
  {
    title: "duplicate sends a delivery twice, the second time as if unanswered",
    faults: [{ kind: "duplicate", times: 1 }],
    steps: [
      ...[announceAll(1, 2), settle, arrived(1, 1, 2), attempts(2, 1)],
      ({ receiver }) => {
        const [first, second] = receiver.arrivals.map(({ headers }) => headers["webhook-id"]);
        expect(second).toBe(first);
      },
      states("delivered", "delivered"),
    ],
  },
  {
    title: "duplicate begins when the first round has succeeded",
    faults: [{ kind: "duplicate" }],
    // Two attempts of the first round and all eight of the second.
    steps: [
      ...[reply((_, count) => (count === 2 ? 204 : 500)), announce(1), advance("3d")],
      ...[attempts(10), states("failed")],
    ],
  },
  {
    title: "drop never sends the delivery and blocks no other",
    faults: [{ kind: "drop", times: 1 }],
    steps: [
      ...[announceAll(1, 2), advance("3d"), arrived(2), states("dropped", "delivered")],
      ...[attempts(0, 1), dueAt(1, null)],
    ],
  },
  {
    title: "drop is undone by a replay",
    faults: [{ kind: "drop", times: 1 }],
    steps: [announce(1), replay(1), settle, arrived(1)],
  },
  {
    title: "delay delays a delivery by the clock, and later ones after it",
    faults: [{ kind: "delay", delayMs: 60_000, times: 1 }],
    steps: [
      ...[announceAll(1, 2), announce(3, "another"), advance("59999ms"), arrived(3)],
      ...[advance("1ms"), arrived(3, 1, 2)],
    ],
  },
  {
    title: "delay lets later deliveries overtake if the endpoint is unordered",
    faults: [{ kind: "delay", times: 1 }],
    ordered: false,
    steps: [
      ...[announceAll(1, 2), advance("29999ms"), arrived(2)],
      ...[advance("1ms"), arrived(2, 1)],
    ],
  },
  {
    title: "a swap excludes dropped deliveries",
    faults: [{ kind: "reorder", times: 1 }],
    steps: [
      ...[announce(1), setFault("drop"), announce(2), settle, arrived()],
      ...[announce(3), settle, arrived(3, 1)],
    ],
  },
  {
    title: "a swap keeps a delivery's own delay",
    faults: [
      { kind: "reorder", times: 1 },
      { kind: "delay", delayMs: 10_000, times: 1 },
    ],
    steps: [announceAll(1, 2), advance("9999ms"), arrived(2), advance("1ms"), arrived(2, 1)],
  },
];

const SWAPS = [true, false].flatMap((ordered): Row[] => [
  {
    title: "reorder swaps a delivery with the next one of its resource",
    ordered,
    steps: [
      ...[announce(1), announce(2, "another"), settle, announce(3), settle],
      ...[announce(4, "another"), settle, arrived(2, 3, 1, 4)],
    ],
  },
  {
    title: "reorder swaps events of one change",
    ordered,
    steps: [announceAll(1, 2), settle, arrived(2, 1)],
  },
  {
    title: "reorder sends a delivery after a short time if no other follows",
    ordered,
    steps: [
      ...[announce(1), advance("1999ms"), arrived(), advance("1ms"), arrived(1)],
      ...[announce(2), settle, arrived(1, 2)],
    ],
  },
  {
    title: "reorder still waits for the previous delivery, and then for its replacement",
    ordered,
    steps: [
      ...[failUntil(2), announce(1), announce(2), settle, fail(2), announce(3), advance("3d")],
      ordered ? inOrder(2, 1, 3) : inOrder(2, 3, 1),
      ({ receiver }) => {
        const ids = receiver.ids();
        expect(ids.indexOf(uuid(1))).toBeGreaterThan(ids.lastIndexOf(uuid(2)));
      },
    ],
  },
]);

test.each([
  ...[...IN_A_ROW, ...FAULTS],
  ...SWAPS.map((row): Row => ({ ...row, faults: [{ kind: "reorder", times: 1 }] })),
])("$title, ordered: $ordered", async ({ faults, ordered, steps }) => {
  const on = await startDelivering({ faults, ordered });
  for (const step of steps) await step(on);
});

test.each([true, false])("reorder swaps pair after pair, ordered: %s", async (ordered) => {
  const faults = [{ kind: "reorder", times: 2 }] as const;
  const { sandbox, control, receiver } = await startDelivering({ faults, ordered });
  announceAll(1, 2, 3, 4, 5)({ sandbox, control, receiver, endpoint: {} as never });
  await control.settle();
  const places = [2, 1, 4, 3].map((n) => receiver.ids().indexOf(uuid(n)));
  expect(places[0]).toBeLessThan(places[1] ?? 0);
  expect(places[2]).toBeLessThan(places[3] ?? 0);
  if (ordered) expect(receiver.ids()).toEqual([2, 1, 4, 3, 5].map(uuid));
  expect((await control.faults()).deliveries).toEqual([]);
});

test("a swap excludes deliveries in progress or already tried", async () => {
  const { opened, open } = gate();
  const on = await startDelivering({
    faults: [{ kind: "reorder", times: 1 }],
    reply: () => opened.then(() => 500),
  });
  announce(1)(on);
  const advanced = on.control.advance("2s");
  await vi.waitFor(() => arrived(1)(on));
  announce(2)(on);
  open();
  await advanced;
  const rest = [announce(3), accept, advance("4999ms"), arrived(1), advance("1ms")];
  for (const step of [...rest, arrived(1, 1, 2, 3)]) await step(on);
});

test("a fault applies only to the events it names, for the given number of times", async () => {
  const fault = { kind: "drop", event: "transaction.created", times: 2 } as const;
  const { sandbox, control } = await startDelivering({ faults: [fault] });
  sandbox.announce(1, { name: "transaction.updated" });
  for (const n of [2, 3, 4]) sandbox.announce(n, { name: "transaction.created" });
  await control.settle();
  expect(await sandbox.states()).toEqual(["delivered", "dropped", "dropped", "delivered"]);
});

test("faults are drawn by the seed, apart from those of requests, anew with each plan", () => {
  const deliveries = [{ kind: "drop", rate: 0.5 }] as const;
  const met = (plan: FaultInjector, alsoApi = false) => {
    plan.set({ deliveries, api: [{ kind: "500", rate: 0.5 }] });
    return Array.from({ length: 40 }, () => {
      if (alsoApi) plan.takeApi("/transactions");
      return plan.takeDelivery("transaction.created").length;
    });
  };
  const plan = new FaultInjector(1);
  const first = met(plan);
  expect([met(plan), met(new FaultInjector(1)), met(plan, true)]).toEqual([first, first, first]);
  expect(met(new FaultInjector(2))).not.toEqual(first);
  const dropped = first.filter((count) => count > 0).length;
  expect(dropped).toBeGreaterThan(5);
  expect(dropped).toBeLessThan(35);
});

test("a resource's deliveries are sent one after the other, apart from others", async () => {
  const { opened, open } = gate();
  const { sandbox, control, receiver } = await startDelivering({
    reply: () => opened.then(() => 204),
  });
  const ids = Array.from({ length: 20 }, (_, n) => sandbox.announce(n, { resource: "one" }));
  await vi.waitFor(() => expect(receiver.arrivals).toHaveLength(1));
  // Another resource's deliveries arrive meanwhile, which shows that there was enough time.
  receiver.setReply(() => 204);
  for (let n = 100; n < 110; n += 1) sandbox.announce(n, { resource: "another" });
  await vi.waitFor(() => expect(receiver.arrivals).toHaveLength(11));
  open();
  await control.settle();
  expect(receiver.ids().filter((id) => ids.includes(id))).toEqual(ids);
});

test("an endpoint's failures do not block other endpoints", async () => {
  const { sandbox, control, receiver: bad } = await startDelivering({ reply: () => 500 });
  const good = await startReceiver();
  await control.addEndpoint({ url: good.url });
  const ids = [1, 2, 3].map((n) => sandbox.announce(n, { resource: "one" }));
  await control.settle();
  expect([good.ids(), bad.ids()]).toEqual([ids, ids.slice(0, 1)]);
});

test("32 resources are sent concurrently, the rest as slots become free", async () => {
  const { opened, open } = gate();
  let [pending, most] = [0, 0];
  const { sandbox, control, receiver } = await startDelivering({
    reply: async () => {
      pending += 1;
      most = Math.max(most, pending);
      if (pending >= 32) open();
      await opened;
      // Wait, so that any request over the limit would arrive.
      await new Promise(setImmediate);
      pending -= 1;
      return 204;
    },
  });
  const ids = Array.from({ length: 200 }, (_, n) => sandbox.announce(n));
  // Deliveries that wait for a slot do not cause a busy loop.
  expect(sandbox.scheduler.nextDueMs()).toBeUndefined();
  await control.settle();
  expect(most).toBe(32);
  expect(receiver.ids().sort()).toEqual(ids);
});

test("an endpoint without a free slot does not use others' slots", async () => {
  const { opened, open } = gate();
  const {
    sandbox,
    control,
    receiver: stuck,
  } = await startDelivering({
    reply: () => opened.then(() => 204),
  });
  const free = await startReceiver();
  await control.addEndpoint({ url: free.url });
  for (let n = 0; n < 100; n += 1) sandbox.announce(n);
  await vi.waitFor(() => expect(free.arrivals).toHaveLength(100));
  expect(stuck.arrivals.length).toBeLessThanOrEqual(32);
  open();
  await control.settle();
  expect(stuck.arrivals).toHaveLength(100);
});
