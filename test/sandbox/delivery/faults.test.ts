import { describe, expect, test, vi } from "vitest";
import type { DeliveryFault } from "../../../src/sandbox/control/control.ts";
import { FaultInjector } from "../../../src/sandbox/fault-injector.ts";
import { uuid } from "../../support/payloads.ts";
import type { Harness } from "./harness.ts";
import { gate, startReceiver, type TestReceiver } from "./receiver.ts";
import { startHarness } from "./start-harness.ts";

async function startFaulty(
  deliveries: readonly DeliveryFault[],
  { ordered = true, seed = 1 } = {},
): Promise<{ harness: Harness; receiver: TestReceiver }> {
  const harness = startHarness({ seed });
  const receiver = await startReceiver();
  await harness.control.addEndpoint({ url: receiver.url, ordered });
  await harness.control.setFaults({ deliveries });
  return { harness, receiver };
}

const ids = (...numbers: number[]) => numbers.map(uuid);
const IN_ONE = { resource: "one" };

describe("duplicate", () => {
  test("sends a delivery twice, the second time as if unanswered", async () => {
    const { harness, receiver } = await startFaulty([{ kind: "duplicate", times: 1 }]);
    for (const n of [1, 2]) harness.announce(n, IN_ONE);
    await harness.control.settle();
    expect(receiver.ids()).toEqual(ids(1, 1, 2));
    const [first, second] = receiver.arrivals.map(({ headers }) => headers["webhook-id"]);
    expect(second).toBe(first);
    const log = await harness.log();
    expect(log.map(({ attempts }) => attempts.length)).toEqual([2, 1]);
    expect(await harness.states()).toEqual(["delivered", "delivered"]);
  });

  test("begins when the first round has succeeded", async () => {
    const { harness, receiver } = await startFaulty([{ kind: "duplicate" }]);
    receiver.setReply(() => (receiver.arrivals.length === 2 ? 204 : 500));
    harness.announce(1);
    await harness.control.advance("3d");
    // Two attempts of the first round and all eight of the second.
    expect(receiver.arrivals).toHaveLength(10);
    expect(await harness.states()).toEqual(["failed"]);
  });
});

describe("drop", () => {
  test("never sends the delivery and blocks no other", async () => {
    const { harness, receiver } = await startFaulty([{ kind: "drop", times: 1 }]);
    for (const n of [1, 2]) harness.announce(n, IN_ONE);
    await harness.control.advance("3d");
    expect(receiver.ids()).toEqual(ids(2));
    expect(await harness.states()).toEqual(["dropped", "delivered"]);
    expect((await harness.log())[0]).toMatchObject({ attempts: [], dueAt: null });
  });

  test("is undone by a replay", async () => {
    const { harness, receiver } = await startFaulty([{ kind: "drop", times: 1 }]);
    harness.announce(1);
    await harness.control.replay((await harness.log())[0]?.id ?? "");
    await harness.control.settle();
    expect(receiver.ids()).toEqual(ids(1));
  });
});

describe("delay", () => {
  test("delays a delivery by the clock, and later ones after it", async () => {
    const { harness, receiver } = await startFaulty([{ kind: "delay", delayMs: 60_000, times: 1 }]);
    for (const n of [1, 2]) harness.announce(n, IN_ONE);
    harness.announce(3);
    await harness.control.advance("59999ms");
    expect(receiver.ids()).toEqual(ids(3));
    await harness.control.advance("1ms");
    expect(receiver.ids()).toEqual(ids(3, 1, 2));
  });

  test("lets later deliveries overtake if the endpoint is unordered", async () => {
    const fault = { kind: "delay", times: 1 } as const;
    const { harness, receiver } = await startFaulty([fault], { ordered: false });
    for (const n of [1, 2]) harness.announce(n, IN_ONE);
    await harness.control.advance("1d");
    expect(receiver.ids()).toEqual(ids(2, 1));
    expect((await harness.log())[0]?.attempts[0]?.at).toBe("2026-01-05T09:00:30.000Z");
  });
});

describe.each([true, false])("reorder, ordered: %s", (ordered) => {
  test("swaps a delivery with the next one of its resource", async () => {
    const { harness, receiver } = await startFaulty([{ kind: "reorder", times: 1 }], { ordered });
    harness.announce(1, IN_ONE);
    harness.announce(2, { resource: "another" });
    await harness.control.settle();
    harness.announce(3, IN_ONE);
    await harness.control.settle();
    harness.announce(4, { resource: "another" });
    await harness.control.settle();
    expect(receiver.ids()).toEqual(ids(2, 3, 1, 4));
    expect(harness.sinceStartMs).toBe(0);
  });

  test("swaps events of one change", async () => {
    const { harness, receiver } = await startFaulty([{ kind: "reorder", times: 1 }], { ordered });
    harness.announceAll([1, 2], "one");
    await harness.control.settle();
    expect(receiver.ids()).toEqual(ids(2, 1));
  });

  test("sends a delivery after a short time if no other follows", async () => {
    const { harness, receiver } = await startFaulty([{ kind: "reorder", times: 1 }], { ordered });
    harness.announce(1, IN_ONE);
    await harness.control.advance("1999ms");
    expect(receiver.ids()).toEqual([]);
    await harness.control.advance("1ms");
    expect(receiver.ids()).toEqual(ids(1));
    harness.announce(2, IN_ONE);
    await harness.control.settle();
    expect(receiver.ids()).toEqual(ids(1, 2));
  });

  test("still waits for the previous delivery", async () => {
    const { harness, receiver } = await startFaulty([{ kind: "reorder", times: 1 }], { ordered });
    receiver.setReply(() => (receiver.arrivals.length === 1 ? 500 : 204));
    harness.announce(1, IN_ONE);
    harness.announce(2, IN_ONE);
    await harness.control.settle();
    receiver.setReply(({ id }) => (id === uuid(2) ? 500 : 204));
    harness.announce(3, IN_ONE);
    await harness.control.advance("3d");
    const first = [...new Set(receiver.ids())];
    expect(first).toEqual(ordered ? ids(2, 1, 3) : ids(2, 3, 1));
    // The postponed delivery waits for all retries of the one that replaced it.
    expect(receiver.ids().indexOf(uuid(1))).toBeGreaterThan(receiver.ids().lastIndexOf(uuid(2)));
  });

  test("swaps pair after pair, one fault for each pair", async () => {
    const { harness, receiver } = await startFaulty([{ kind: "reorder", times: 2 }], { ordered });
    harness.announceAll([1, 2, 3, 4, 5], "one");
    await harness.control.settle();
    const order = receiver.ids();
    expect(order.indexOf(uuid(2))).toBeLessThan(order.indexOf(uuid(1)));
    expect(order.indexOf(uuid(4))).toBeLessThan(order.indexOf(uuid(3)));
    if (ordered) expect(order).toEqual(ids(2, 1, 4, 3, 5));
    expect((await harness.control.faults()).deliveries).toEqual([]);
  });
});

describe("a swap", () => {
  test("excludes deliveries in progress or already tried", async () => {
    const { harness, receiver } = await startFaulty([{ kind: "reorder", times: 1 }]);
    const { opened, open } = gate();
    receiver.setReply(async () => {
      await opened;
      return 500;
    });
    harness.announce(1, IN_ONE);
    const advanced = harness.control.advance("2s");
    await vi.waitFor(() => expect(receiver.ids()).toEqual(ids(1)));
    harness.announce(2, IN_ONE);
    open();
    await advanced;
    harness.announce(3, IN_ONE);
    receiver.setReply(() => 204);
    await harness.control.advance("4999ms");
    expect(receiver.ids()).toEqual(ids(1));
    await harness.control.advance("1ms");
    expect(receiver.ids()).toEqual(ids(1, 1, 2, 3));
  });

  test("excludes dropped deliveries", async () => {
    const { harness, receiver } = await startFaulty([{ kind: "reorder", times: 1 }]);
    harness.announce(1, IN_ONE);
    await harness.control.setFaults({ deliveries: [{ kind: "drop", times: 1 }] });
    harness.announce(2, IN_ONE);
    await harness.control.settle();
    expect(receiver.ids()).toEqual([]);
    harness.announce(3, IN_ONE);
    await harness.control.settle();
    expect(receiver.ids()).toEqual(ids(3, 1));
  });

  test("keeps a delivery's own delay", async () => {
    const { harness, receiver } = await startFaulty([
      { kind: "reorder", times: 1 },
      { kind: "delay", delayMs: 10_000, times: 1 },
    ]);
    harness.announceAll([1, 2], "one");
    await harness.control.advance("9999ms");
    expect(receiver.ids()).toEqual(ids(2));
    await harness.control.advance("1ms");
    expect(receiver.ids()).toEqual(ids(2, 1));
  });
});

test("a fault applies only to the events it names, for the given number of times", async () => {
  const fault = { kind: "drop", event: "transaction.created", times: 2 } as const;
  const { harness } = await startFaulty([fault]);
  harness.announce(1, { name: "transaction.updated" });
  for (const n of [2, 3, 4]) harness.announce(n, { name: "transaction.created" });
  await harness.control.settle();
  expect(await harness.states()).toEqual(["delivered", "dropped", "dropped", "delivered"]);
});

describe("draws", () => {
  const faults = [{ kind: "drop", rate: 0.5 }] as const;
  async function statesOf(seed: number): Promise<string[]> {
    const { harness } = await startFaulty(faults, { seed });
    for (let n = 0; n < 40; n += 1) harness.announce(n);
    await harness.control.settle();
    return harness.states();
  }

  test("are the same for the same seed, and differ for another", async () => {
    const states = await statesOf(1);
    expect(await statesOf(1)).toEqual(states);
    expect(await statesOf(2)).not.toEqual(states);
    const dropped = states.filter((state) => state === "dropped").length;
    expect(dropped).toBeGreaterThan(5);
    expect(dropped).toBeLessThan(35);
  });

  test("of deliveries and of requests are independent", () => {
    const plans = [new FaultInjector(1), new FaultInjector(1)] as const;
    const api = [{ kind: "500", rate: 0.5 }] as const;
    for (const plan of plans) plan.set({ api, deliveries: faults });
    const met = plans.map((plan, index) =>
      Array.from({ length: 40 }, () => {
        if (index === 1) plan.takeApi("/transactions");
        return plan.takeDelivery("transaction.created").length;
      }),
    );
    expect(met[1]).toEqual(met[0]);
  });

  test("restart with each plan", () => {
    const plan = new FaultInjector(1);
    const met = [1, 2].map(() => {
      plan.set({ deliveries: faults });
      return Array.from({ length: 40 }, () => plan.takeDelivery("transaction.created").length);
    });
    expect(met[1]).toEqual(met[0]);
  });
});
