import { randomUUID } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Delivery } from "../../../src/webhooks/delivery.ts";
import type { DeliveryFilter, Inbox, Lease, Settlement } from "../../../src/webhooks/inbox.ts";
import { InboxModel, type ModelCall } from "./model.ts";
import { delivery, handled, LOST, MINUTE, type OpenInbox, type TestInbox } from "./store.ts";

const KEEP_MS = 3 * MINUTE;
const ERROR = new Error("no");

/** Texts that a database could change, or mistake for another one or for a statement. */
const TEXTS = [
  `it's "quoted" -- ; DROP TABLE x`,
  String.raw`a\b\\c\n\u0000%_{}\x00`,
  "a\r\nb\tc\u2028d",
  "👩‍👩‍👧 é ﷽ \u{1f600}",
  "",
  "$1 $$ $q1$ ? :key @x {y} %s $q",
  "x".repeat(200),
];
const text = fc.constantFrom(...TEXTS);
/** Some are the same with other letters, with spaces, or in another normal form. */
const keys = fc.option(fc.constantFrom<string[]>("a", "A", "a ", "\u00e1", "a\u0301", "1"));
/** Some look like what identifies the lane of a delivery without one, or of a key. */
const lanes = fc.option(fc.constantFrom<string[]>("1", "#key a", `it's "=1" \\ $1`));
const index = fc.nat(20);
/** The times of a day on which deliveries are received; the last one is in the future. */
const times = fc.constantFrom(
  ...[1, 2, 3].map((minute) => new Date(Date.UTC(2025, 2, 4, 12, minute)).toISOString()),
  "2999-01-01T00:00:00.000Z",
);
const limits = fc.constantFrom("2025-03-04T12:02:00Z", "2025-03-04T14:03:00+02:00", "2025-03-05");
const conditions = {
  state: fc.constantFrom("waiting" as const, "quarantined" as const),
  ids: fc.array(index, { maxLength: 3 }),
  event: text,
  lane: fc.constantFrom("1", "#key a", `it's "=1" \\ $1`, "#KEY a"),
  since: limits,
  before: limits,
  after: index,
  limit: fc.nat(3),
};
/** At most two conditions, because few deliveries fulfil more. */
const filters = fc
  .tuple(
    fc.record(conditions),
    fc.subarray(Object.keys(conditions), { maxLength: 2 }) as fc.Arbitrary<string[]>,
  )
  .map(([all, names]): Partial<typeof all> => {
    return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
  });
const head = fc.record({ key: keys, lane: lanes });
const outcomes = fc.constantFrom<Outcome[]>("ends", "ends", "throws", "fails");

/** How work ends that has written its text: `fails` has a statement that fails. */
type Outcome = "ends" | "throws" | "fails";

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("add" as const),
      // At the same time.
      added: fc.array(fc.record({ key: keys, lane: lanes, text, receivedAt: times }), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
  },
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
      next: fc.constantFrom<string[]>("ok", "isolate", "retry", "again", "later", "crash"),
      reason: text,
      // With the lease before.
      isWithOther: fc.boolean(),
      parts: fc.array(outcomes, { maxLength: 3 }),
      givesUp: fc.constantFrom<boolean[]>(false, false, false, true),
    }),
  },
  fc.record({ do: fc.constant("renew" as const), index }),
  fc.record({ do: fc.constant("once" as const), head, outcome: outcomes }),
  fc.record({ do: fc.constant("start" as const), head }),
  fc.record({ do: fc.constant("end" as const), succeeds: fc.boolean() }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("list" as const, "replay" as const, "drop" as const),
      filter: filters,
    }),
  },
  fc.record({ do: fc.constant("check" as const) }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(MINUTE / 2, MINUTE) }),
);
/** A call, or a pause. */
export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Compares an inbox with a model; `runs` is how many sequences of calls. */
export function testRandomCalls<Tx>(
  name: string,
  open: OpenInbox<Tx>,
  runs: number,
  isSerial = false,
): void {
  test(`${name} does what the model does in random calls`, async () => {
    const sequences = fc.array(step, { maxLength: 60, size: "max" });
    const property = fc.asyncProperty(sequences, async (steps) => {
      const { close } = await compare(open, steps, isSerial);
      await close();
    });
    await fc.assert(property, { numRuns: runs });
  }, 120_000);
}

/** An inbox that is compared with the model. */
interface Compared<Tx> extends TestInbox<Tx> {
  readonly model: InboxModel;
  readonly leases: readonly Lease[];
}

/** Runs the calls, of two processes in turn, and compares the inbox with the model after each. */
export async function compare<Tx>(open: OpenInbox<Tx>, steps: readonly Step[], isSerial: boolean) {
  const opened = await open({ keepMs: KEEP_MS });
  const inboxes = [opened.inbox, await opened.again()];
  const model = new InboxModel(KEEP_MS);
  const caller = isSerial ? undefined : new PausedCall(await opened.again());
  const close = async () => {
    await caller?.close();
    for (const inbox of inboxes) await inbox.close();
  };
  let leases: Lease[] = [];
  try {
    for (const [at, each] of steps.entries()) {
      const inbox = inboxes[at % 2] ?? opened.inbox;
      const compared = { ...opened, inbox, model, leases };
      if (each.do === "start") await caller?.start(compared, each.head);
      else if (each.do === "end") await caller?.end(compared, each.succeeds);
      else if (each.do !== "wait") leases.push(...(await run(each, compared)));
      // A call of `once` whose lease expired has a test of its own.
      else if (model.now + each.ms < (caller?.expiresAt ?? Number.POSITIVE_INFINITY)) {
        await opened.advance(each.ms);
        model.now += each.ms;
        const movedMs = opened.movesTimes ? each.ms : 0;
        leases = leases.map((lease) => ({ ...lease, dueAt: lease.dueAt - movedMs }));
      }
      await expectSame(compared);
    }
    await caller?.end({ ...opened, model, leases }, true);
  } catch (error) {
    // What stays open would make the next, shorter sequence fail for another reason.
    await close().catch(() => undefined);
    throw error;
  }
  return { inbox: opened.inbox, close };
}

async function expectSame<Tx>({ inbox, model }: Compared<Tx>) {
  expect(await inbox.list()).toEqual(model.rows);
  const { oldestAgeMs, lagMs, ...status } = await inbox.status();
  const { oldest, lagMs: expectedLagMs, ...expected } = model.status();
  expect(status).toEqual(expected);
  const ageMs = oldest === null ? null : Math.max(0, Date.now() - Date.parse(oldest));
  // Databases have real clocks.
  for (const [found, wanted] of [
    [lagMs, expectedLagMs],
    [oldestAgeMs, ageMs],
  ] as const) {
    if (wanted === null) expect(found).toBeNull();
    else expect(Math.abs((found ?? Number.NaN) - wanted)).toBeLessThan(10_000);
  }
}

/** Makes a call. Returns the leases that were taken. */
async function run<Tx>(
  step: Exclude<Step, { do: "start" | "end" | "wait" }>,
  compared: Compared<Tx>,
): Promise<readonly Lease[]> {
  const { inbox, model, leases, effects } = compared;
  if (step.do === "check") await inbox.check();
  if (step.do === "add") await add(compared, step);
  if (step.do === "take") {
    const taken = await inbox.take(step.limit, MINUTE);
    model.take(step.limit, MINUTE, taken);
    return taken;
  }
  if (step.do === "renew") {
    const lease = leases.at(step.index < 0 ? step.index : step.index % leases.length);
    if (!lease) return [];
    expect(await inbox.renew([lease], MINUTE)).toEqual(model.isCurrent(lease) ? [] : [lease]);
    model.renew(lease, MINUTE);
  }
  if (step.do === "settle") await settle(compared, step);
  if (step.do === "once") {
    const { key, lane } = step.head;
    const written = randomUUID();
    const work = (tx: Tx) => write(effects, tx, written, step.outcome);
    const result = await inbox.once({ key, lane }, MINUTE, work).catch(() => "failed");
    const call = model.begin(key, lane);
    if (typeof call === "string") expect(result).toBe(call);
    else {
      const isHandled = model.end(call, step.outcome === "ends");
      expect(result).toBe(isHandled ? "handled" : "failed");
      if (isHandled) model.effects.push(written);
    }
    expect(await effects.list()).toEqual(model.effects.toSorted());
  }
  if (step.do === "list" || step.do === "replay" || step.do === "drop") {
    await select(compared, step);
  }
  return [];
}

async function add<Tx>({ inbox, model }: Compared<Tx>, { added }: Step & { do: "add" }) {
  const deliveries = added.map(({ key, lane, text, receivedAt }) => {
    const headers = { a: text, "x-b": text };
    return delivery(key, lane, { event: text, body: text, headers, deliveryId: text, receivedAt });
  });
  const known = model.rows.length;
  const results = await Promise.all(deliveries.map((each) => inbox.add(each)));
  const ids = (await inbox.list()).slice(known).map(({ id }) => id);
  for (const [at, each] of deliveries.entries()) {
    const result = model.add(each.key);
    expect(results[at]).toBe(result);
    if (result === "added") model.addRow({ ...each, id: ids.shift() ?? 0 });
  }
}

async function settle<Tx>(compared: Compared<Tx>, step: Step & { do: "settle" }) {
  const { inbox, model, leases, effects } = compared;
  const index = step.index < 0 ? step.index : step.index % leases.length;
  const [lease, other] = [leases.at(index), leases.at(index - 1)];
  if (!lease) return;
  const settlements = [settlementOf(lease, step)];
  if (step.isWithOther && other && other.lane !== lease.lane) settlements.push(handled(other));
  const written: string[] = [];
  // The statements of SQLite fail at the commit.
  let failsLate = false;
  const work: Parameters<typeof inbox.transaction>[1] = async (runPart) => {
    for (const outcome of step.parts) {
      const text = randomUUID();
      const part = runPart((tx) => write(effects, tx, text, outcome));
      if (outcome === "throws") await expect(part).rejects.toBe(ERROR);
      else if (outcome === "ends") written.push(await part.then(() => text));
      else failsLate ||= (await Promise.allSettled([part]))[0]?.status === "fulfilled";
    }
    if (step.givesUp) throw ERROR;
    return settlements;
  };
  const isInTransaction = step.parts.length > 0;
  const ending = isInTransaction ? inbox.transaction(MINUTE, work) : inbox.settle(settlements);
  const [result] = await Promise.allSettled([ending]);
  const isCurrent = settlements.every((each) => model.isCurrent(each.lease));
  if (isInTransaction && step.givesUp) expect(result).toMatchObject({ reason: ERROR });
  else if (!isCurrent) expect(result).toMatchObject({ reason: LOST });
  else if (failsLate) expect(result.status).toBe("rejected");
  else {
    expect(result).toMatchObject({ status: "fulfilled" });
    for (const each of settlements) model.settle(each);
    model.effects.push(...written);
  }
  expect(await effects.list()).toEqual(model.effects.toSorted());
}

async function select<Tx>(
  { inbox, model }: Compared<Tx>,
  step: Step & { do: "list" | "replay" | "drop" },
) {
  // Indexes are those of stored deliveries, or of none.
  const idOf = (at: number) => model.rows[at]?.id ?? 999_999;
  const { ids, after, ...rest } = step.filter;
  const filter: DeliveryFilter = {
    ...rest,
    ...(ids && { ids: ids.map(idOf) }),
    ...(after !== undefined && { after: idOf(after) }),
  };
  const selected = model.select(filter);
  expect(await inbox.list(filter)).toEqual(selected);
  expect(await inbox.count(filter)).toBe(selected.length);
  const found = selected.map(({ id }) => id);
  // When the lane of such a lease is freed depends on the inbox.
  if (step.do === "list" || (step.do === "drop" && model.emptiesLease(found))) return;
  expect(await inbox[step.do](filter)).toBe(found.length);
  model[step.do](found);
}

/** Writes a text, and ends as wanted. */
async function write<Tx>(
  effects: TestInbox<Tx>["effects"],
  tx: Tx,
  text: string,
  outcome: Outcome,
) {
  await effects.insert(tx, text);
  if (outcome === "throws") throw ERROR;
  if (outcome === "fails") await effects.fail(tx);
}

/** A call of `once` whose work runs while others call. One at a time, because others end it. */
class PausedCall<Tx> {
  readonly #inbox: Inbox<Tx>;
  #running:
    | { call: ModelCall; end(work: Promise<void>): Promise<unknown>; text: string }
    | undefined;

  constructor(inbox: Inbox<Tx>) {
    this.#inbox = inbox;
  }

  get expiresAt() {
    return this.#running?.call.expiresAt;
  }

  async start({ model, effects }: Compared<Tx>, { key, lane }: Pick<Delivery, "key" | "lane">) {
    if (this.#running) return;
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const { promise: work, resolve: endWork } = Promise.withResolvers<void>();
    // The work may never be awaited.
    work.catch(() => undefined);
    const text = randomUUID();
    const running = this.#inbox.once({ key, lane }, MINUTE, async (tx) => {
      await effects.insert(tx, text);
      start();
      await work;
    });
    const call = model.begin(key, lane);
    if (typeof call === "string") return expect(await running).toBe(call);
    await Promise.race([started, running]);
    const end = (result: Promise<void>) => {
      endWork(result);
      return running.catch((error: unknown) => error);
    };
    this.#running = { call, text, end };
  }

  async end({ model, effects }: Compared<Tx>, succeeds: boolean) {
    if (!this.#running) return;
    const { call, text, end } = this.#running;
    this.#running = undefined;
    const result = await end(succeeds ? Promise.resolve() : Promise.reject(ERROR));
    const isHandled = model.end(call, succeeds);
    if (isHandled) model.effects.push(text);
    expect(result).toEqual(isHandled ? "handled" : succeeds ? LOST : ERROR);
    expect(await effects.list()).toEqual(model.effects.toSorted());
  }

  async close() {
    await this.#running?.end(Promise.reject(ERROR));
    await this.#inbox.close();
  }
}

function settlementOf(lease: Lease, { count, next, reason }: Step & { do: "settle" }): Settlement {
  const done = handled(lease, count);
  const id = lease.deliveries[count]?.id;
  if (id === undefined || next === "ok") return done;
  if (next === "isolate") return { ...done, quarantined: [{ id, reason }] };
  const isFailure = next === "retry" || next === "again";
  const delayMs = next === "retry" || next === "later" ? MINUTE : 0;
  const retry = { id, delayMs, reason, isFailure };
  return { ...done, retry: isFailure ? retry : { ...retry, isInterruption: next === "crash" } };
}
