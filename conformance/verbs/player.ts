import type { RequirementId } from "../../generated/requirements.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import type { Message } from "../assert.ts";
import type { Session } from "../check.ts";
import { allDeliveries, drive, hasVerbs } from "../scenarios/act.ts";
import { textAt } from "../scenarios/find-deliveries.ts";
import { Aborted, Skip } from "../skip.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import {
  type Decision,
  deliveriesOf,
  driftIn,
  judgeDeliveries,
  judgeForbidden,
  judgeHistory,
  judgeOwed,
  reusedIds,
  unowedEvents,
  type Violation,
} from "./judge.ts";
import { owedByCreatedCards } from "./links.ts";
import type { Forbidden, Meaning, Owed } from "./row.ts";
import type { Transition } from "./state-tables.ts";
import { namesIn, type Step } from "./step.ts";
import { applied, bindResult, meaningOf, owedBy, rowOf } from "./table.ts";
import { readLists, readViews } from "./views.ts";
import { bindAccounts, bindCreatedCards, type World } from "./world.ts";

/** The outcome of a step. */
export interface PlayedStep {
  readonly step: Step;
  /**
   * `repeated`: nothing could change, and the target may have refused. `refused`: the interface
   * has a row for it. `left out`: a resource is missing, or it means nothing in the actual state.
   */
  readonly outcome: "done" | "repeated" | "refused" | "left out";
  /** Why it was refused. */
  readonly reason?: string;
  /** The claims that the table of verbs decided. */
  readonly decisions: readonly Decision[];
  /** What broke, one violation for each requirement. */
  readonly violations: readonly Violation[];
  /** The rows of the state tables that happened. */
  readonly transitions: readonly Transition[];
}

/**
 * Plays a step and judges what it caused: the owed events, each body, the deliveries of the script
 * against each other, and the API against the deliveries.
 *
 * @throws {Aborted} if the run ends
 */
export async function playStep(session: Session, world: World, step: Step): Promise<PlayedStep> {
  const meaning = meaningOf(world.model, step);
  const { uses } = namesIn(step);
  const row = rowOf(step);
  const isBound = uses.every((name) => world.ids.has(name));
  if (meaning === undefined || !isBound || row.isKnown?.(world, step) === false) {
    return { step, outcome: "left out", decisions: [], violations: [], transitions: [] };
  }
  const since = world.seen;
  const before = world.copy();
  const result = await driveStep(session, world, step, meaning);
  const isRefused = result instanceof Skip;
  if (!isRefused && meaning === "applies") bindResult(world, step, result);
  const isQuiet = isRefused || meaning === "repeats";
  const owed = isQuiet ? [] : owedBy(world, step, result);
  const { all, advancedS } = await awaitOwed(session, world, step, since, owed);
  const deliveries = world.take(all.slice(since));
  world.seen = all.length;
  if (step.verb === "completeLink") bindAccounts(world, step.link);
  bindCreatedCards(world);
  const created = isQuiet ? [] : cardsOf(deliveries);

  const named = new Set(uses.flatMap((name) => Object.values(world.idsOf(name))));
  const views = await readViews(session, world, named, deliveries);
  const shown = shownBy(views.exchanges, deliveries, world) ?? (await subaccounts(session));
  const decisions: Decision[] = [];
  const transitions: Transition[] = [];
  for (const one of [...owed, ...created]) {
    const found = judgeOwed(one, deliveries, world.deliveries, shown);
    decisions.push(...found);
    const isRight = found.every(({ violations }) => violations.length === 0);
    if (one.row && isRight) transitions.push(one.row);
  }
  const canSettle = hasVerbs(session, "settle");
  // Without `settle`, an event of an earlier step may arrive now.
  for (const one of canSettle ? forbiddenAfter(before, step, meaning, isQuiet) : []) {
    decisions.push(judgeForbidden(one, deliveries, before.deliveries, shown));
  }
  const violations = [
    ...decisions.flatMap((one) => one.violations),
    ...judgeDeliveries(deliveries, session.capabilities),
    ...judgeHistory(world.deliveries, session.capabilities).violations,
    ...driftIn(before, deliveries, step),
    ...(canSettle ? reusedIds(before, deliveries) : []),
    ...(canSettle ? views.violations : []),
    ...(canSettle ? await readLists(session, world, deliveries) : []),
  ];
  transitions.push(...nettings(before, world, deliveries));
  if (!isQuiet) world.model = applied(world.model, step);
  world.model = applied(world.model, { verb: "advance", seconds: advancedS });
  world.adopt();
  const outcome = meaning === "repeats" ? "repeated" : isRefused ? "refused" : "done";
  const reason = outcome === "refused" ? { reason: (result as Skip).reason } : {};
  return { step, outcome, ...reason, decisions, violations: distinct(violations), transitions };
}

/** The events that may not follow a step. */
function forbiddenAfter(
  before: World,
  step: Step,
  meaning: Meaning,
  isQuiet: boolean,
): readonly Forbidden[] {
  const row = rowOf(step);
  if (!isQuiet) return row.forbids?.(before, step) ?? [];
  const own = meaning === "repeats" ? (row.quiet?.(before, step) ?? []) : [];
  const isOwn = ({ event }: Forbidden) => own.some((one) => one.event === event);
  return [...own, ...unowedEvents(before, step).filter((one) => !isOwn(one))];
}

/** The result of a step's verb; a Skip if the target refused, or the result lacks an id. */
async function driveStep(
  session: Session,
  world: World,
  step: Step,
  meaning: Meaning,
): Promise<unknown> {
  try {
    const params = rowOf(step).params(step, (name) => world.idsOf(name)) as never;
    // A repeated verb creates nothing, so it needs no result.
    if (meaning === "repeats") return await session.drive(step.verb, params);
    return await drive(session, step.verb, params);
  } catch (error) {
    if (error instanceof Aborted || !(error instanceof Skip)) throw error;
    return error;
  }
}

/**
 * The deliveries of the run, once the target has settled or the owed events are there. If an effect
 * may take time, the clock is advanced until it comes.
 *
 * @returns Resolves to the deliveries, and to the seconds by which the clock was advanced.
 */
async function awaitOwed(
  session: Session,
  world: World,
  step: Step,
  since: number,
  owed: readonly Owed[],
): Promise<{ readonly all: readonly Delivery[]; readonly advancedS: number }> {
  let advancedS = 0;
  const isComplete = (deliveries: readonly Delivery[]) => {
    const fresh = deliveries.slice(since);
    return owed.every((one) => deliveriesOf(one, fresh).length > 0);
  };
  const { waits, mayCause, params } = rowOf(step);
  const steps = hasVerbs(session, "advance") ? (waits?.(step, owed) ?? []) : [];
  for (const seconds of steps) {
    if (hasVerbs(session, "settle")) await session.drive("settle", undefined);
    const now = await session.deliveries();
    const isCaused = now.slice(since).some(({ name }) => name === mayCause);
    if (isComplete(now) && (mayCause === undefined || isCaused)) break;
    await session.drive("advance", { seconds });
    advancedS += seconds;
    // A verb that returned no accounts is called again when the polling is due (`Driver`).
    if (step.verb === "completeLink") {
      await session.drive(step.verb, params(step, (name) => world.idsOf(name)) as never);
    }
  }
  if (hasVerbs(session, "settle")) {
    await session.drive("settle", undefined);
    return { all: await allDeliveries(session, undefined, since), advancedS };
  }
  const isEnough = (deliveries: readonly Delivery[]) => {
    if (!isComplete(deliveries)) return false;
    const trial = world.copy();
    trial.take(deliveries.slice(since));
    return !judgeHistory(trial.deliveries, session.capabilities).isOpen;
  };
  return { all: await allDeliveries(session, isEnough, since), advancedS };
}

function cardsOf(deliveries: readonly Delivery[]): Owed[] {
  return deliveries
    .filter(({ name }) => name === "banklink.completed")
    .flatMap(({ json }) => owedByCreatedCards(json));
}

/** What shows that an event is owed: the API's view of a resource of the step, or a delivery. */
function shownBy(
  exchanges: ReadonlyMap<string, Exchange>,
  deliveries: readonly Delivery[],
  world: World,
): Message | undefined {
  return [...exchanges.values()][0] ?? deliveries[0] ?? world.deliveries.at(-1);
}

/** The first page of a list: some request that a report can show. */
function subaccounts(session: Session): Promise<Exchange> {
  return session.call("GET /subaccounts");
}

/** Transaction, row 3: a standalone was revised to 0 after a match of its movement. */
function nettings(before: World, after: World, deliveries: readonly Delivery[]): Transition[] {
  return deliveries.flatMap(({ name, json }): Transition[] => {
    const known = before.latest.get(textAt(json, "/id") ?? "");
    const isStandalone = textAt(known?.json, "/network") === "OPEN_BANKING";
    const isNetted = memberOf(json, "transactionSettledAmount") === 0;
    if (name !== "transaction.updated" || !isStandalone || !isNetted) return [];
    return after
      .bankTransactionsOf(json)
      .flatMap((id) => after.matchesOf(id))
      .map(({ confidence }) => ({ table: "transaction", row: 3, case: confidence }));
  });
}

/** The first violation of each requirement: one fault shows at several places. */
function distinct(violations: readonly Violation[]): Violation[] {
  const first = new Map<RequirementId, Violation>();
  for (const one of violations) {
    const known = first.get(one.requirement);
    const isWorse = known?.level === "warning" && one.level === "error";
    const isSurer = known?.level === one.level && known.isAboutDelivery && !one.isAboutDelivery;
    if (!known || isWorse || isSurer) first.set(one.requirement, one);
  }
  return [...first.values()];
}
