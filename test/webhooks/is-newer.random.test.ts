import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import type { EventPayloads } from "../../generated/events.ts";
import type { FeedEvent } from "../../src/contract/index.ts";
import { make } from "../../src/fixtures/index.ts";
import { finalState } from "../../src/webhooks/index.ts";
import { step } from "../sandbox/verb-scripts.ts";
import { uuid } from "../support/payloads.ts";
import {
  bodyOf,
  CommonConsumer,
  type Draw,
  drawFrom,
  FactsConsumer,
  finalStates,
  historyOf,
  isDeletion,
  type ServiceTimes,
  shuffled,
} from "./order-model.ts";

const SCRIPTS = Number(process.env["TXFEED_SCRIPTS"] ?? 300);
const SEED = Number(process.env["TXFEED_SCRIPTS_SEED"] ?? 5);
const WALKS = 200_000;
const LIVES = 20_000;

/** The figures of docs/receiver.md, printed at the end. */
const figures: string[] = [];
afterAll(() => console.log(figures.join("\n")));

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

const ties = (resolutionMs: number, isFrozen = false): ServiceTimes => ({ isFrozen, resolutionMs });

test.each<[string, ServiceTimes]>([
  ["updatedAt increases with each change", { isFrozen: false, resolutionMs: null }],
  ["updatedAt increases, frozen clock", { isFrozen: true, resolutionMs: null }],
  ["updatedAt is the time, 1 s between verbs", ties(1)],
  ["updatedAt is the time in steps of 10 s", ties(10_000)],
  ["updatedAt is the time, frozen clock", ties(1, true)],
])(
  "isNewer finds every final state of shuffled histories: %s",
  async (service, times) => {
    const sum = { events: 0, updatable: 0, gets: 0, behind: 0, existing: 0, deleted: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 40, size: "max" }),
        fc.integer(),
        async (script, seed) => {
          const history = await historyOf(script, times);
          const truth = finalStates(history);
          const draw = drawFrom(seed);
          // One in four is delivered twice.
          const deliveries = shuffled([...history, ...history.filter(() => draw(4) === 0)], draw);
          const [facts, common] = [new FactsConsumer(history, draw), new CommonConsumer()];
          for (const event of deliveries) {
            facts.receive(event);
            common.receive(event);
          }
          expect(errorsOf(facts.stored, truth)).toEqual({ existing: 0, deleted: 0 });
          for (const [key, changes] of facts.changes) {
            const found = finalState([...changes].map(({ body }) => body));
            expect(found).toBe(bodyOf(truth.get(key) as FeedEvent)["state"]);
          }
          sum.events += history.length;
          sum.updatable += [...truth.values()].filter((last) => "updatedAt" in bodyOf(last)).length;
          sum.gets += facts.gets.sent;
          sum.behind += facts.gets.behind;
          const { existing, deleted } = errorsOf(common.stored, truth);
          sum.existing += existing;
          sum.deleted += deleted;
        },
      ),
      { numRuns: SCRIPTS, seed: SEED },
    );
    figures.push(
      `${service}: ${sum.events} events, ${sum.updatable} resources with updatedAt; ` +
        `isNewer: 0 wrong, ${sum.gets} GETs (${sum.behind} behind); ` +
        `common rule: ${sum.existing} wrong, ${sum.deleted} deleted ones back`,
    );
    const hasTies = times.resolutionMs !== null;
    // The common rule shows that the histories have the errors that isNewer avoids.
    expect(sum.existing > 0).toBe(hasTies);
    expect(sum.deleted).toBeGreaterThan(0);
    // With 1 s between verbs only a creation and its first update share a time.
    const isDecidable = !hasTies || (times.resolutionMs === 1 && !times.isFrozen);
    if (isDecidable) expect(sum.gets).toBe(0);
    else expect(sum.gets).toBeGreaterThan(100);
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
  const sum = { common: 0, gets: 0, behind: 0 };
  for (let run = 0; run < LIVES; run += 1) {
    const history = lifeOf(draw);
    const truth = finalStates(history);
    const [facts, common] = [new FactsConsumer(history, draw), new CommonConsumer()];
    for (const event of shuffled([...history, ...history], draw)) {
      facts.receive(event);
      common.receive(event);
    }
    expect(errorsOf(facts.stored, truth)).toEqual({ existing: 0, deleted: 0 });
    sum.common += errorsOf(common.stored, truth).existing;
    sum.gets += facts.gets.sent;
    sum.behind += facts.gets.behind;
  }
  figures.push(
    `${LIVES} transactions with many ties: isNewer: 0 wrong, ${sum.gets} GETs ` +
      `(${sum.behind} behind); common rule: ${sum.common} wrong`,
  );
  expect(sum.common).toBeGreaterThan(LIVES / 10);
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
