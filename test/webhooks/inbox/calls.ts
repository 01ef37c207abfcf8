import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Inbox, Lease, Settlement } from "../../../src/webhooks/inbox.ts";
import { InboxModel } from "./model.ts";
import { delivery, drain, handled, MINUTE, type OpenInbox, settle } from "./store.ts";

const KEEP_MS = 3 * MINUTE;

const keys = fc.option(fc.constantFrom<string[]>("a", "b", "c", "d", "e", "f"));
const lanes = fc.option(fc.constantFrom<string[]>("one", "two", "three"));
const index = fc.nat(20);
const settlements = fc.constantFrom<string[]>("ok", "isolate", "retry", "again", "later", "crash");
const filters = fc.record(
  {
    state: fc.constantFrom("waiting" as const, "quarantined" as const),
    lane: fc.constantFrom("one", "two"),
    limit: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: ["limit"] },
);

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("add" as const), key: keys, lane: lanes }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("take" as const),
      limit: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("settle" as const),
      index,
      count: fc.nat(2),
      next: settlements,
    }),
  },
  fc.record({ do: fc.constant("renew" as const), index }),
  fc.record({ do: fc.constant("once" as const), key: keys, lane: lanes, succeeds: fc.boolean() }),
  fc.record({ do: fc.constantFrom("replay" as const, "drop" as const), filter: filters }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(MINUTE / 2, MINUTE) }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * Facts about sequences of calls, and which deliveries are due at the end, in order; after a bar,
 * which are stored and not due. The result of each call is that of the model.
 *
 * `+a` and `+a/two` add the key `a` to the lane `one` or `two`; `-` is no key or no lane. `take2`
 * takes up to two lanes. The latest lease, or the one after `@`, is settled: its first deliveries,
 * as many as the number says, are handled, and the next one stays (`ok`), is retried (`retry`, at
 * once `again`, not as a failure `later`), broke off (`crash`) or goes to quarantine (`isolate`).
 * `once:a` succeeds, `once!a` fails. `replay` and `drop` select all, the first one (`1`) or those in
 * quarantine (`q`). Leases and delays have a minute; `half` and `wait` wait half of it, or all.
 */
const FACTS: readonly (readonly [fact: string, calls: string, due: string])[] = [
  ["a lane is taken once, in order of receipt", "+b +a +c take take9", "| b a c"],
  ["a delivery of a leased lane waits for the end of the lease", "+a take +b take ok1", "b"],
  ["lanes are taken in parallel", "+a/one +b/two +c/one +d/- +-/- +-/- take9", "| a b c d - -"],
  ["lanes due the longest come first", "+a +b/two take retry0 wait wait +c/3 take2", "c | a b"],
  ["a long backlog does not delay other lanes", "+a +b +c/two take half ok1 take", "b | c"],
  ["an expired lease is due again, with one delivery", "+a +b take half take half take", "| a b"],
  ["interruptions are counted until one is handled", "+a +b take wait take wait take ok1", "b"],
  ["a failure resets the interruptions", "+a +b +c take wait take again0 take", "| a b c"],
  ["a quarantine resets the interruptions", "+a +b +c take wait take isolate0 take", "| a b c"],
  ["a delivery that broke off is an interruption", "+a +b take crash0 take crash0 take", "| a b"],
  ["a release keeps the interruptions", "+a +b take ok0 take wait take ok0 take", "| a b"],
  ["a renewed lease lasts from now", "+a take half renew half take half take half", "| a"],
  ["an expired lease can be renewed and settled", "+a take wait renew take wait ok +a", ""],
  [
    "a lost lease has no effect",
    "+a take wait take renew@0 ok@0 ok0@0 retry0@0 isolate0@0 renew@1 ok@1",
    "",
  ],
  ["a settled lease can't be settled again", "+a +b take ok1 ok@0 take ok0@0 take", "| b"],
  ["deliveries that a settlement does not list are due", "+a +b +c +d take ok2", "c d"],
  ["a failure delays its own lane", "+a +b +c/two take2 retry0@0 ok@1 +d +e/two", "e | a b d"],
  ["a delay ends on time", "+a +b take retry0 half take half", "a b"],
  ["a retry can follow handled deliveries", "+a +b +c take later1 take", "| b c"],
  ["only failures are counted", "+a take again0 take later0 wait take again0", "a"],
  ["the next ones see that one is missing", "+a +b +c +d take isolate0 take isolate1", "d | a c"],
  ["a dropped one is not missing", "+a +b +c take isolate0 take isolate0 drop1", "c | b"],
  ["a delivery dropped while it is handled stays dropped", "+a +b take drop1 retry0", "b"],
  ["a waiting, leased or delayed delivery is a duplicate", "+a +a take +a retry0 +a/two", "| a"],
  ["a handled delivery is a duplicate until keepMs passed", "+a take ok wait wait +a wait +a", "a"],
  ["deliveries without a key are no duplicates", "+- +- +-/- take2 ok +- ok@0 +-", "- -"],
  ["a duplicate replays a delivery", "+a take again0 take isolate0 +a/two +a", "a"],
  ["a replayed delivery comes first", "+a +b take isolate0 take retry0 take +a", "a b"],
  ["replay makes a delayed lane due", "+a +b take retry0 take replay1", "a b"],
  ["replay and drop keep a lease", "+a +b +c take replay drop1 take renew ok2", "c"],
  ["a replayed one comes next despite a retry", "+a +b take isolate0 take replayq retry0", "a b"],
  ["the lane of a dropped delivery goes on", "+a +b take retry0 drop1", "b"],
  ["dropping from quarantine keeps a delay", "+a +b take isolate0 take retry0 dropq", "| b"],
  ["drop forgets interruptions", "+a +b +c take wait take wait take drop1 wait take", "| b c"],
  ["replay forgets interruptions", "+a +b take wait take wait take replay1 wait take", "| a b"],
  [
    "a release after a replay leaves no interruption",
    "+a +b take wait take replay1 ok0 take ok",
    "",
  ],
  ["a break-off after a replay counts one", "+a +b take wait take replay1 crash0 take ok", "b"],
  ["once handles a key once", "once:a once:a once:a/- once:a/two +a", ""],
  ["once handles a delivery without a key each time", "once:- once:- once:-/- once:-/- +-", "-"],
  ["once remembers until keepMs passed", "once:a wait wait once:a wait once:a +a", ""],
  ["once records nothing if it fails", "once!a once!a once:a once:a", ""],
  ["a stored key is busy, and its lane", "+a once:a/two once:a/- once:b once:b/two", "a"],
  ["a leased lane is busy until its end", "+a take once:b ok once:a once:b once:b", ""],
  ["a delayed lane is busy", "+a take retry0 once:b half once:b half", "a"],
  ["once ends a quarantine", "+a take isolate0 once!a once:a +a", ""],
];

/** Checks the facts, and compares the inbox with a model after each call. */
export function testFacts<Tx>(open: OpenInbox<Tx>): void {
  test.each(FACTS)("%s", async (_fact, calls, due) => {
    const { inbox } = await compare(open, calls.split(" ").map(parse));
    const [now = "", later = ""] = due.split("|").map((text) => text.trim());
    const text = (found: readonly (string | null)[]) => found.map((key) => key ?? "-").join(" ");
    expect(text(await drain(inbox))).toBe(now);
    expect(text((await inbox.list()).map(({ key }) => key))).toBe(later);
  });
}

/** Compares an inbox with a model; `runs` is how many sequences of calls. */
export function testRandomCalls<Tx>(name: string, open: OpenInbox<Tx>, runs: number): void {
  test(`${name} does what the model does in random calls`, async () => {
    const sequences = fc.array(step, { maxLength: 60, size: "max" });
    const property = fc.asyncProperty(sequences, async (steps) => {
      const { inbox } = await compare(open, steps);
      await inbox.close();
    });
    await fc.assert(property, { numRuns: runs });
  }, 120_000);
}

function parse(call: string): Step {
  const [, verb = "", what = ""] = /^(\+|once.|[a-z]+)(.*)$/.exec(call) ?? [];
  const [key = null, lane = "one"] = what.split("/").map((name) => (name === "-" ? null : name));
  const [count = "", lease] = what.split("@");
  const at = lease === undefined ? -1 : Number(lease);
  if (verb === "+") return { do: "add", key, lane };
  if (verb === "take") return { do: "take", limit: Number(what || 1) };
  if (verb === "half" || verb === "wait") {
    return { do: "wait", ms: verb === "half" ? MINUTE / 2 : MINUTE };
  }
  if (verb === "renew") return { do: "renew", index: at };
  if (verb.startsWith("once")) return { do: "once", key, lane, succeeds: verb === "once:" };
  if (verb === "drop" || verb === "replay" || verb === "dropq" || verb === "replayq") {
    const filter = verb.endsWith("q") ? { state: "quarantined" as const } : {};
    return {
      do: verb.startsWith("drop") ? "drop" : "replay",
      filter: { ...filter, limit: Number(what || 9) },
    };
  }
  return { do: "settle", index: at, count: Number(count || 9), next: verb };
}

/** Runs the calls, and compares the inbox with the model after each. */
async function compare<Tx>(open: OpenInbox<Tx>, steps: readonly Step[]) {
  const { inbox, advance, movesTimes } = await open({ keepMs: KEEP_MS });
  const model = new InboxModel(KEEP_MS);
  let leases: Lease[] = [];
  for (const each of steps) {
    await run(each, inbox, model, leases);
    if (each.do === "wait") {
      await advance(each.ms);
      model.now += each.ms;
      const movedMs = movesTimes ? each.ms : 0;
      leases = leases.map((lease) => ({ ...lease, dueAt: lease.dueAt - movedMs }));
    }
    expect(await inbox.list()).toEqual(model.rows);
    const { oldestAgeMs, lagMs, ...status } = await inbox.status();
    const { lagMs: expectedLagMs, ...expected } = model.status();
    expect(status).toEqual(expected);
    // Databases have real clocks.
    if (expectedLagMs === null) expect(lagMs).toBeNull();
    else expect(Math.abs((lagMs ?? Number.NaN) - expectedLagMs)).toBeLessThan(10_000);
  }
  return { inbox };
}

async function run<Tx>(step: Step, inbox: Inbox<Tx>, model: InboxModel, leases: Lease[]) {
  if (step.do === "add") {
    const added = delivery(step.key, step.lane);
    const result = await inbox.add(added);
    expect(result).toBe(model.add(step.key));
    if (result !== "added") return;
    model.addRow({ ...added, id: (await inbox.list()).at(-1)?.id ?? 0 });
  } else if (step.do === "take") {
    const taken = await inbox.take(step.limit, MINUTE);
    model.take(step.limit, MINUTE, taken);
    leases.push(...taken);
  } else if (step.do === "settle" || step.do === "renew") {
    const lease = leases.at(step.index < 0 ? step.index : step.index % leases.length);
    if (!lease) return;
    const isCurrent = model.isCurrent(lease);
    if (step.do === "renew") {
      expect(await inbox.renew([lease], MINUTE)).toEqual(isCurrent ? [] : [lease]);
      return model.renew(lease, MINUTE);
    }
    const settlement = settlementOf(lease, step);
    const ending = settle(inbox, settlement);
    if (!isCurrent) return expect(ending).rejects.toMatchObject({ code: "lease-lost" });
    await ending;
    model.settle(settlement);
  } else if (step.do === "once") {
    const { key, lane, succeeds } = step;
    const work = () => (succeeds ? Promise.resolve() : Promise.reject(new Error("no")));
    const result = await inbox.once({ key, lane }, MINUTE, work).catch(() => "failed");
    expect(result).toBe(model.once(key, lane, succeeds));
  } else if (step.do === "replay" || step.do === "drop") {
    const ids = (await inbox.list(step.filter)).map(({ id }) => id);
    // When the lane of such a lease is freed depends on the inbox.
    if (step.do === "drop" && model.emptiesLease(ids)) return;
    expect(await inbox[step.do](step.filter)).toBe(ids.length);
    model[step.do](ids);
  }
}

function settlementOf(lease: Lease, { count, next }: Step & { do: "settle" }): Settlement {
  const done = handled(lease, count);
  const id = lease.deliveries[count]?.id;
  if (id === undefined || next === "ok") return done;
  if (next === "isolate") return { ...done, quarantined: [{ id, reason: "no" }] };
  const isFailure = next === "retry" || next === "again";
  const delayMs = next === "retry" || next === "later" ? MINUTE : 0;
  const isInterruption = next === "crash";
  return { ...done, retry: { id, delayMs, reason: next, isFailure, isInterruption } };
}
