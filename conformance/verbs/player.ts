import type { RequirementId, Situation } from "../../generated/requirements.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { bodyOf, type Message } from "../assert.ts";
import type { Session } from "../check.ts";
import { allDeliveries, drive, hasVerbs } from "../scenarios/act.ts";
import { textAt } from "../scenarios/find-deliveries.ts";
import { Aborted, Skip } from "../skip.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import {
  type Decision,
  deliveriesOf,
  judgeBody,
  judgeDeliveries,
  judgeForbidden,
  judgeHistory,
  judgeOwed,
  judgeWanted,
  reusedIds,
  unowedEvents,
  type Violation,
} from "./judge.ts";
import { forbiddenByCreatedCards, owedByCreatedCards } from "./links.ts";
import { has } from "./owed.ts";
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
  readonly refusal?: Skip;
  /** The claims that the table of verbs decided. */
  readonly decisions: readonly Decision[];
  /** The situations in which it decided them. */
  readonly situations: readonly Situation[];
  /** What broke, one violation for each requirement. */
  readonly violations: readonly Violation[];
  /** The rows of the state tables that happened. */
  readonly transitions: readonly Transition[];
}

/**
 * What of a step is judged: `effects` are only those of the table of verbs, because the checks of a
 * whole run judge each body and the deliveries against each other.
 */
export type Judging = "effects" | "everything";

/**
 * Plays a step and judges what it caused: the owed events, each body, the deliveries of the script
 * against each other, and the API against the deliveries.
 *
 * @throws {Aborted} if the run ends
 */
export async function playStep(
  session: Session,
  world: World,
  step: Step,
  judging: Judging = "everything",
): Promise<PlayedStep> {
  const meaning = meaningOf(world.model, step);
  const { uses } = namesIn(step);
  const row = rowOf(step);
  const isBound = uses.every((name) => world.ids.has(name));
  if (meaning === undefined || !isBound || row.isKnown?.(world, step) === false) {
    const nothing = { decisions: [], situations: [], violations: [], transitions: [] };
    return { step, outcome: "left out", ...nothing };
  }
  const since = world.heard.length;
  const before = world.copy();
  const result = await driveStep(session, world, step, meaning);
  const refusal = result instanceof Skip ? result : undefined;
  if (!refusal && meaning === "applies") bindResult(world, step, result);
  const isQuiet = refusal !== undefined || meaning === "repeats";
  const owed = isQuiet ? [] : owedBy(world, step, result);
  const { all, advancedS } = await awaitOwed(session, world, step, { since, owed, judging });
  const deliveries = world.take(all.slice(since));
  world.heard = all;
  if (step.verb === "completeLink") bindAccounts(world, step.link);
  bindCreatedCards(world);
  const created = isQuiet ? [] : cardsOf(deliveries);

  const named = new Set(uses.flatMap((name) => Object.values(world.idsOf(name))));
  const views = await readViews(session, world, named, deliveries);
  const shown = shownBy(views.exchanges, deliveries, world) ?? (await subaccounts(session));
  const decisions: Decision[] = [];
  const transitions: Transition[] = [];
  for (const one of [...owed, ...created]) {
    const found = judgeOwed(one, deliveries, all, shown);
    const seen = judgeViews(one, deliveries, views.exchanges);
    decisions.push(...placed(found, one, "delivered"), ...placed(seen, one, "alone"));
    const isRight = [...found, ...seen].every(({ violations }) => violations.length === 0);
    if (one.row && isRight) transitions.push(one.row);
  }
  for (const wanted of meaning === "repeats" ? (row.keeps?.(before, step) ?? []) : []) {
    for (const [id, exchange] of views.exchanges) {
      if (!named.has(id) || bodyOf(exchange) === undefined) continue;
      decisions.push(judgeWanted(wanted, exchange));
    }
  }
  const canSettle = hasVerbs(session, "settle");
  // Without `settle`, an event of an earlier step may arrive now.
  const isSaid = refusal === undefined || meaning === "repeats";
  const canForbid = canSettle || (judging === "effects" && isSaid);
  const forbidden = forbiddenAfter(before, step, meaning, isQuiet);
  if (!isQuiet) forbidden.push(...deliveries.flatMap(forbiddenByCompletion));
  for (const one of canForbid ? forbidden : []) {
    decisions.push(judgeForbidden(one, { deliveries, before: before.deliveries, all }, shown));
  }
  const violations = [
    ...decisions.flatMap((one) => one.violations),
    ...(canSettle ? reusedIds(before, deliveries, all) : []),
    ...(canSettle ? views.violations : []),
    ...(judging === "everything" ? await judgeAll(session, world, deliveries) : []),
  ];
  const situations = situationsAt(before, step, meaning);
  transitions.push(...nettings(before, world, deliveries));
  if (!isQuiet) world.model = applied(world.model, step);
  world.model = applied(world.model, { verb: "advance", seconds: advancedS });
  world.dropUncreated();
  // A script of a conformance run goes on as its table says: later steps show a wrong state, too.
  if (judging === "everything") world.adopt();
  const outcome = meaning === "repeats" ? "repeated" : refusal ? "refused" : "done";
  return {
    ...{ step, outcome, ...(outcome === "refused" && refusal && { refusal }) },
    ...{ decisions, situations, violations: distinct(violations), transitions },
  };
}

/** Judges each body, the deliveries of the script against each other, and the lists. */
async function judgeAll(
  session: Session,
  world: World,
  deliveries: readonly Delivery[],
): Promise<Violation[]> {
  const lists = hasVerbs(session, "settle") ? await readLists(session, world, deliveries) : [];
  return [
    ...judgeDeliveries(deliveries, session.capabilities),
    ...judgeHistory(world.deliveries, session.capabilities).violations,
    ...lists,
  ];
}

/** Judges the API's view of a subscription whose event came. */
function judgeViews(
  owed: Owed,
  deliveries: readonly Delivery[],
  exchanges: ReadonlyMap<string, Exchange>,
): Decision[] {
  if (!owed.event.startsWith("cardsubscription")) return [];
  if (deliveriesOf(owed, deliveries).length === 0) return [];
  return [...exchanges.values()]
    .filter((exchange) => owed.is(bodyOf(exchange)))
    .flatMap((exchange) => judgeBody(owed, exchange));
}

function placed(
  decisions: readonly Decision[],
  { in: own = [] }: Owed,
  place: "alone" | "delivered",
): Decision[] {
  return decisions.map((decision) => ({ ...decision, in: [...own, place] }));
}

function situationsAt(before: World, step: Step, meaning: Meaning): Situation[] {
  const own = rowOf(step).situations?.(before, step) ?? [];
  return meaning === "repeats" ? [...own, "repeated-verb"] : [...own];
}

/** The events that may not follow a step. */
function forbiddenAfter(
  before: World,
  step: Step,
  meaning: Meaning,
  isQuiet: boolean,
): Forbidden[] {
  const row = rowOf(step);
  if (!isQuiet) return [...(row.forbids?.(before, step) ?? [])];
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
    const params = rowOf(step).params(step, world) as never;
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
  wait: {
    readonly since: number;
    readonly owed: readonly Owed[];
    readonly judging: Judging;
  },
): Promise<{ readonly all: readonly Delivery[]; readonly advancedS: number }> {
  const { since, owed, judging } = wait;
  let advancedS = 0;
  const isComplete = (deliveries: readonly Delivery[]) => {
    const fresh = deliveries.slice(since);
    return [...owed, ...cardsOf(fresh)].every((one) => deliveriesOf(one, fresh).length > 0);
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
      await session.drive(step.verb, params(step, world) as never);
    }
  }
  if (hasVerbs(session, "settle")) {
    await session.drive("settle", undefined);
    return { all: await allDeliveries(session, undefined, since), advancedS };
  }
  // By the time of a later event, one that the step may not cause would have come.
  if (judging === "effects" && owed.length === 0) await awaitNext(session);
  const isEnough = (deliveries: readonly Delivery[]) => {
    if (!isComplete(deliveries)) return false;
    if (judging === "effects") return true;
    const trial = world.copy();
    trial.take(deliveries.slice(since));
    return !judgeHistory(trial.deliveries, session.capabilities).isOpen;
  };
  return { all: await allDeliveries(session, isEnough, since), advancedS };
}

/** Causes an event that is about no resource of a script, and waits for it. */
async function awaitNext(session: Session): Promise<void> {
  if (!hasVerbs(session, "enroll")) return;
  const { subscriptionId } = await drive(session, "enroll", undefined);
  const isCreated = has("/id", subscriptionId);
  await session.deliveries((all) => all.some(({ json }) => isCreated(json)));
}

function forbiddenByCompletion({ name, json }: Delivery): Forbidden[] {
  return name === "banklink.completed" ? forbiddenByCreatedCards(json) : [];
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
