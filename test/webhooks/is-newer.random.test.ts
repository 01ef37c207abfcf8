import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import type { EventPayloads } from "../../generated/events.ts";
import type { FeedEvent, KnownEvent } from "../../src/contract/index.ts";
import { make } from "../../src/fixtures/index.ts";
import { finalState, isNewer } from "../../src/webhooks/index.ts";
import { playScript } from "../sandbox/play-script.ts";
import { TestSandbox } from "../sandbox/test-sandbox.ts";
import { opening, type Step, step } from "../sandbox/verb-scripts.ts";
import { uuid } from "../support/payloads.ts";
import { Random } from "../support/random.ts";

const SCRIPTS = Number(process.env["TXFEED_SCRIPTS"] ?? 300);
const SEED = Number(process.env["TXFEED_SCRIPTS_SEED"] ?? 5);
const WALKS = 200_000;
const LIVES = 20_000;

/** The figures of docs/receiver.md, printed at the end. */
const figures: string[] = [];
afterAll(() => console.log(figures.join("\n")));

/** An integer from 0 to below `limit`. */
type Draw = (limit: number) => number;

function drawFrom(seed: number): Draw {
  const random = new Random(seed);
  return (limit) => (random.unit() * 2 ** 32) % limit;
}

function shuffled<T>(list: readonly T[], draw: Draw): T[] {
  const copy = [...list];
  for (let last = copy.length - 1; last > 0; last -= 1) {
    const other = draw(last + 1);
    [copy[last], copy[other]] = [copy[other] as T, copy[last] as T];
  }
  return copy;
}

const bodyOf = ({ body }: FeedEvent) => body as { readonly [member: string]: unknown };
const isDeletion = ({ name }: FeedEvent) => name.endsWith(".deleted");
const updatedAt = (event: FeedEvent) => (bodyOf(event)["updatedAt"] ?? "") as string;

/** The type and the id of a resource, regardless of how isNewer finds them. */
function keyOf(event: FeedEvent): string {
  const { matchId, id, bankLinkId, bankAccountId } = bodyOf(event);
  const type = event.name.split(".").slice(0, -1).join(".");
  return `${type} ${matchId ?? id ?? bankLinkId ?? bankAccountId}`;
}

/** The common rule: stores what has a greater `updatedAt`, and removes what is deleted. */
function followCommonRule(deliveries: readonly FeedEvent[]): Map<string, FeedEvent> {
  const stored = new Map<string, FeedEvent>();
  for (const event of deliveries) {
    const key = keyOf(event);
    const [time, before] = [updatedAt(event), stored.get(key)];
    if (isDeletion(event)) stored.delete(key);
    else if (!before || time === "" || time > updatedAt(before)) stored.set(key, event);
  }
  return stored;
}

type Get = (key: string) => FeedEvent | undefined;

/** Follows isNewer, and repeats a GET that is behind. */
function followIsNewer(deliveries: readonly FeedEvent[], get: Get, gets: Sum) {
  const fetchNewest = (key: string, ...known: (FeedEvent | undefined)[]): FeedEvent => {
    for (;;) {
      const fetched = get(key);
      gets.sent += 1;
      const isBehind = known.some((event) => event && fetched && isNewer(event, fetched) === true);
      if (fetched && !isBehind) return fetched;
      gets.behind += 1;
    }
  };
  const stored = new Map<string, FeedEvent>();
  for (const event of deliveries) {
    if (event.name === "bankaccount.state_changed") continue;
    const key = keyOf(event);
    const newer = isNewer(event, stored.get(key));
    if (newer === true) stored.set(key, event);
    if (newer === "undecidable") stored.set(key, fetchNewest(key, event, stored.get(key)));
  }
  return stored;
}

/** GETs that show a resource at a random time of its history, or now: a whole millisecond. */
const randomGet =
  (history: readonly FeedEvent[], draw: Draw): Get =>
  (key) => {
    const events = history.filter((event) => keyOf(event) === key);
    const times = events.map(updatedAt);
    const until = draw(2) === 0 ? times.at(-1) : times[draw(times.length)];
    const last = events.findLast((event) => updatedAt(event) <= (until ?? ""));
    // A GET has no event name: it is compared as an update.
    return last && ({ ...last, name: last.name.replace(".created", ".updated") } as FeedEvent);
  };

/** The wrong final states: of resources that exist, and deleted ones that came back. */
function errorsOf(stored: ReadonlyMap<string, FeedEvent>, truth: ReadonlyMap<string, FeedEvent>) {
  const errors = { existing: 0, deleted: 0 };
  for (const [key, last] of truth) {
    const found = stored.get(key);
    if (last.name === "bankaccount.state_changed") continue;
    if (isDeletion(last)) errors.deleted += found && !isDeletion(found) ? 1 : 0;
    else if (!found || !isDeepStrictEqual(bodyOf(last), bodyOf(found))) errors.existing += 1;
  }
  return errors;
}

/** The GETs that isNewer needed, the errors of the common rule, and the size of the histories. */
const newSum = () => ({ sent: 0, behind: 0, existing: 0, deleted: 0, events: 0, updatable: 0 });
type Sum = ReturnType<typeof newSum>;

/** Expects that isNewer and finalState find each final state. Adds to the sum. */
function deliver(history: FeedEvent[], deliveries: FeedEvent[], draw: Draw, sum: Sum): void {
  const truth = new Map(history.map((event) => [keyOf(event), event]));
  const stored = followIsNewer(deliveries, randomGet(history, draw), sum);
  expect(errorsOf(stored, truth)).toEqual({ existing: 0, deleted: 0 });
  // The same object is the same delivery.
  const changes = [...new Set(deliveries)].filter(
    (event): event is KnownEvent<"bankaccount.state_changed"> =>
      event.name === "bankaccount.state_changed",
  );
  for (const [key, ofAccount] of Map.groupBy(changes, keyOf)) {
    const found = finalState(ofAccount.map(({ body }) => body));
    expect(found).toBe(bodyOf(truth.get(key) as FeedEvent)["state"]);
  }
  const { existing, deleted } = errorsOf(followCommonRule(deliveries), truth);
  sum.existing += existing;
  sum.deleted += deleted;
  sum.events += history.length;
  sum.updatable += [...truth.values()].filter((last) => updatedAt(last) !== "").length;
}

/** How the service of a history sets `updatedAt`. */
interface ServiceTimes {
  /** All changes happen in the same millisecond, except that a script may advance the clock. */
  readonly isFrozen: boolean;
  /**
   * `updatedAt` is the time of the change in whole multiples of this duration, which other changes
   * may share. null: it increases with each change of the resource.
   */
  readonly resolutionMs: number | null;
}

/** Plays a script in a sandbox, and returns the events in the order of sending. */
async function historyOf(script: readonly Step[], { isFrozen, resolutionMs }: ServiceTimes) {
  const sandbox = new TestSandbox();
  await playScript(sandbox, [...opening, ...script], { isFrozen });
  const events = sandbox.events();
  sandbox.engine.store.database.close();
  return events.map(({ name, body, at }) => {
    const event = { name, body } as FeedEvent;
    if (resolutionMs === null || updatedAt(event) === "") return event;
    const ms = Math.floor(Date.parse(at) / resolutionMs) * resolutionMs;
    return { name, body: { ...bodyOf(event), updatedAt: new Date(ms).toISOString() } } as FeedEvent;
  });
}

test.each<[string, ServiceTimes]>([
  ["updatedAt increases with each change", { isFrozen: false, resolutionMs: null }],
  ["updatedAt increases, frozen clock", { isFrozen: true, resolutionMs: null }],
  ["updatedAt is the time, 1 s between verbs", { isFrozen: false, resolutionMs: 1 }],
  ["updatedAt is the time in steps of 10 s", { isFrozen: false, resolutionMs: 10_000 }],
  ["updatedAt is the time, frozen clock", { isFrozen: true, resolutionMs: 1 }],
])(
  "isNewer finds every final state of shuffled histories: %s",
  async (service, times) => {
    const sum = newSum();
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 40, size: "max" }),
        fc.integer(),
        async (script, seed) => {
          const history = await historyOf(script, times);
          const draw = drawFrom(seed);
          // One in four is delivered twice.
          const deliveries = [...history, ...history.filter(() => draw(4) === 0)];
          deliver(history, shuffled(deliveries, draw), draw, sum);
        },
      ),
      { numRuns: SCRIPTS, seed: SEED },
    );
    figures.push(
      `${service}: ${sum.events} events, ${sum.updatable} resources with updatedAt; ` +
        `isNewer: 0 wrong, ${sum.sent} GETs (${sum.behind} behind); ` +
        `common rule: ${sum.existing} wrong, ${sum.deleted} deleted ones back`,
    );
    const hasTies = times.resolutionMs !== null;
    // The common rule shows that the histories have the errors that isNewer avoids.
    expect(sum.existing > 0).toBe(hasTies);
    expect(sum.deleted).toBeGreaterThan(0);
    // With 1 s between verbs only a creation and its first update share a time.
    const isDecidable = !hasTies || (times.resolutionMs === 1 && !times.isFrozen);
    if (isDecidable) expect(sum.sent).toBe(0);
    else expect(sum.sent).toBeGreaterThan(100);
  },
  300_000,
);

/** A transaction whose updates often share a millisecond, in the order of sending. */
function lifeOf(draw: Draw): FeedEvent[] {
  const at = (ms: number) => new Date(Date.UTC(2026, 0, 5) + ms).toISOString();
  const href = (n: number) => ({ href: `/transaction-messages/${uuid(n)}` });
  let ms = 0;
  let body = make("transaction.created", { status: "PENDING", updatedAt: at(0) });
  body = { ...body, supersededMessageIds: [], _links: { ...body._links, messages: [href(0)] } };
  const life: FeedEvent[] = [{ name: "transaction.created", body }];
  for (let left = 1 + draw(6); left > 0; left -= 1) {
    ms += draw(3) === 0 ? 1 : 0;
    const { messages } = body._links;
    const superseded = body.supersededMessageIds;
    const isAdding = draw(3) === 0;
    const isSuperseding = draw(3) === 0 && superseded.length < messages.length;
    body = {
      ...body,
      updatedAt: at(ms),
      status: draw(3) === 0 ? "SETTLED" : body.status,
      transactionSettledAmount: draw(1000),
      supersededMessageIds: isSuperseding ? [...superseded, uuid(superseded.length)] : superseded,
      _links: {
        ...body._links,
        messages: (isAdding ? [...messages, href(messages.length)] : messages) as typeof messages,
      },
    };
    life.push({ name: "transaction.updated", body });
  }
  return life;
}

test("isNewer finds the final state of transactions whose updates share milliseconds", () => {
  const draw = drawFrom(SEED);
  const sum = newSum();
  for (let run = 0; run < LIVES; run += 1) {
    const history = lifeOf(draw);
    deliver(history, shuffled([...history, ...history], draw), draw, sum);
  }
  figures.push(
    `${LIVES} transactions with many ties: isNewer: 0 wrong, ${sum.sent} GETs ` +
      `(${sum.behind} behind); common rule: ${sum.existing} wrong`,
  );
  expect(sum.existing).toBeGreaterThan(LIVES / 10);
  expect(sum.behind).toBeGreaterThan(LIVES / 100);
}, 60_000);

type Change = EventPayloads["bankaccount.state_changed"];
const NEXT = {
  active: ["auth_required", "disconnected"],
  auth_required: ["active", "disconnected"],
  disconnected: ["active"],
} as const satisfies Record<Change["state"], readonly Change["state"][]>;

/** One to ten changes of a new account. */
function walkOf(draw: Draw): Pick<Change, "state" | "previousState">[] {
  let previousState: Change["state"] = "active";
  return Array.from({ length: 1 + draw(10) }, () => {
    const choices: readonly Change["state"][] = NEXT[previousState];
    const state = choices[draw(choices.length)] ?? "active";
    const change = { state, previousState };
    previousState = state;
    return change;
  });
}

test(`finalState is right for ${WALKS} shuffled walks of bank accounts`, () => {
  const draw = drawFrom(SEED);
  const count = { wrong: 0, lastArrival: 0, lossesFound: 0 };
  for (let walk = 0; walk < WALKS; walk += 1) {
    const changes = walkOf(draw);
    const arrivals = shuffled(changes, draw);
    const last = changes.at(-1)?.state;
    if (finalState(arrivals) !== last) count.wrong += 1;
    if (arrivals.at(-1)?.state === last) count.lastArrival += 1;
    if (finalState(arrivals.slice(1)) === undefined) count.lossesFound += 1;
  }
  const percent = (part: number) => `${((100 * part) / WALKS).toFixed(1)} %`;
  figures.push(
    `${WALKS} walks of 1 to 10 changes: finalState ${count.wrong} wrong; last arrival right in ` +
      `${percent(count.lastArrival)}; single losses found: ${percent(count.lossesFound)}`,
  );
  expect(count.wrong).toBe(0);
  expect(count.lastArrival).toBeLessThan(0.7 * WALKS);
  expect(count.lossesFound).toBeGreaterThan(0.3 * WALKS);
}, 60_000);
