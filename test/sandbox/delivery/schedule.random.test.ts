import fc from "fast-check";
import { expect, test } from "vitest";
import type { DeliveryFault } from "../../../src/sandbox/control/control.ts";
import { uuid } from "../../support/payloads.ts";
import { startSandbox } from "../test-sandbox.ts";
import { type Reply, startReceiver } from "./receiver.ts";

type Step =
  | { readonly kind: "announce"; readonly resource: number }
  | { readonly kind: "advance"; readonly by: string }
  | { readonly kind: "replay" }
  | { readonly kind: "settle" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("announce"), resource: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("advance"),
      by: fc.constantFrom("1ms", "2s", "5s", "5m", "3h", "11h"),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "settle" }) },
) as fc.Arbitrary<Step>;

const replay: fc.Arbitrary<Step> = fc.constant({ kind: "replay" });

/** The receiver's response to each request in turn: a status, or an abort. */
const responses = fc.array(fc.constantFrom(204, 204, 500, 410, null), {
  minLength: 1,
  maxLength: 30,
});

const fault = fc.record({
  kind: fc.constantFrom("duplicate", "drop", "delay"),
  rate: fc.constantFrom(0.2, 0.5),
}) as fc.Arbitrary<DeliveryFault>;
const reorder = fc.record({ kind: fc.constant("reorder"), rate: fc.constantFrom(0.3, 1) });

const script = fc.record({
  steps: fc.array(fc.oneof({ weight: 9, arbitrary: step }, { weight: 1, arbitrary: replay }), {
    maxLength: 30,
  }),
  responses,
  faults: fc.array(fault, { maxLength: 2 }),
  reorders: fc.array(reorder as fc.Arbitrary<DeliveryFault>, { maxLength: 1 }),
  ordered: fc.boolean(),
});

type Script = typeof script extends fc.Arbitrary<infer Value> ? Value : never;

/** Runs a script until all retries have ended. */
async function play(script: Script, receiver: Awaited<ReturnType<typeof startReceiver>>) {
  const sandbox = startSandbox();
  const { control } = sandbox;
  let turn = 0;
  receiver.arrivals.length = 0;
  receiver.setReply(((_, response) => {
    const reply = script.responses[turn++ % script.responses.length] as number | null;
    if (reply !== null) return reply;
    response.destroy();
    return undefined;
  }) satisfies Reply);
  await control.addEndpoint({ url: receiver.url, ordered: script.ordered });
  await control.setFaults({ deliveries: [...script.faults, ...script.reorders] });
  const resources: number[] = [];
  for (const [n, one] of script.steps.entries()) {
    if (one.kind === "announce") {
      sandbox.announce(n, { resource: `resource-${one.resource}` });
      resources[n] = one.resource;
    } else if (one.kind === "advance") await control.advance(one.by);
    else if (one.kind === "settle") await control.settle();
    else await control.replay("all");
  }
  // Each delivery of a resource may have to wait for all earlier ones.
  await control.advance(`${3 * (script.steps.length + 1)}d`);
  const { nextDue } = await control.readClock();
  const log = await sandbox.log();
  await sandbox.close();
  const ids = log.map(({ event }) => uuid(resourceIndex(event.seq, resources)));
  return { log, nextDue, resources, ids };
}

/** The number of the n-th event in the log. */
function resourceIndex(seq: number, resources: readonly number[]): number {
  return Object.keys(resources).map(Number)[seq - 1] ?? -1;
}

test("each delivery ends and each resource keeps its order despite failures", async () => {
  const receiver = await startReceiver();
  await fc.assert(
    fc.asyncProperty(script, async (script) => {
      const { log, nextDue, resources, ids } = await play(script, receiver);
      expect(nextDue).toBeNull();
      const hasReplay = script.steps.some(({ kind }) => kind === "replay");
      for (const [index, { state, attempts }] of log.entries()) {
        expect(["delivered", "failed", "dropped"]).toContain(state);
        const statuses = attempts.map(({ status }) => status);
        if (state === "delivered") expect(statuses.at(-1)).toBe(204);
        if (state === "failed") expect(statuses.slice(-8)).not.toContain(204);
        if (state === "failed") expect(statuses.length).toBeGreaterThanOrEqual(8);
        if (state === "dropped") expect(statuses).toEqual([]);
        const arrived = receiver.ids().filter((id) => id === ids[index]);
        expect(arrived).toHaveLength(attempts.length);
      }
      if (!script.ordered || script.reorders.length > 0 || hasReplay) return;
      const firstArrivals = [...new Set(receiver.ids())];
      for (const resource of [0, 1, 2]) {
        const isOfIt = (id: string) => resources[Number(id.slice(-12))] === resource;
        const sent = ids.filter((id, index) => isOfIt(id) && log[index]?.state !== "dropped");
        expect(firstArrivals.filter(isOfIt)).toEqual(sent);
        // Deliveries do not overlap: no request of an earlier one follows a later one's.
        const arrivals = receiver.ids().filter(isOfIt);
        expect(arrivals).toEqual(sent.flatMap((id) => arrivals.filter((other) => other === id)));
      }
    }),
    { numRuns: 200 },
  );
});
