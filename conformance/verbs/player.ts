import type { RequirementId, Situation } from "../../generated/requirements.ts";
import { bodyOf, type Message } from "../assert.ts";
import type { Session } from "../check.ts";
import { type Sample, textAt } from "../observe/deliveries/find.ts";
import { Skip, Unmet } from "../skip.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import { judgeChange, kindsOf, type TransactionChange } from "./changes.ts";
import { hasVerbs } from "./drive.ts";
import {
  awaitMore,
  awaitOwed,
  bindAccounts,
  driveStep,
  isLater,
  type Judging,
} from "./drive-step.ts";
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
  type Violation,
} from "./judge.ts";
import { forbiddenByCreatedCards } from "./links.ts";
import { concernedBy } from "./model.ts";
import { unowedEvents } from "./owed.ts";
import type { Forbidden, Meaning, Owed } from "./row.ts";
import type { Transition } from "./state-tables.ts";
import { namesIn, type Step } from "./step.ts";
import { applied, bindResult, consequencesOf, meaningOf, owedBy, rowOf } from "./table.ts";
import { readLists, readViews } from "./views.ts";
import { bindCreatedCards, type World } from "./world.ts";

/** The outcome of a step. */
export interface PlayedStep {
  readonly step: Step;
  /**
   * `repeated`: nothing had to change now, and the target may have refused. `refused`: the
   * interface has a row for it. `left out`: a resource is missing, or it means nothing in the
   * actual state.
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
  /** The deliveries about the script since the step. */
  readonly deliveries: readonly Delivery[];
  /** The transactions that it changed; only those of a conformance run are read. */
  readonly changes: readonly TransactionChange[];
}

const NOTHING = { decisions: [], situations: [], violations: [], transitions: [] };

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
  const isBound = namesIn(step).uses.every((name) => world.ids.has(name));
  if (meaning === undefined || !isBound || rowOf(step).isKnown?.(world, step) === false) {
    return { step, outcome: "left out", ...NOTHING, deliveries: [], changes: [] };
  }
  const done = await driveAndHear(session, world, { step, meaning, judging });
  const { refusal, goOn } = done;
  const mayRefuse = meaning === "repeats" || isLater(step);
  const outcome = mayRefuse ? "repeated" : refusal ? "refused" : "done";
  if (judging === "nothing") {
    goOn();
    const why = outcome === "refused" && refusal ? { refusal } : {};
    return { step, outcome, ...why, ...NOTHING, deliveries: done.deliveries, changes: [] };
  }
  const { unmet, ...judged } = await judgeStep(session, world, done);
  goOn();
  // A script of a conformance run goes on as its table says: later steps show a wrong state, too.
  if (judging === "everything") world.adopt();
  const missing = outcome === "refused" ? refusal : unmet;
  return { step, outcome, ...(missing && { refusal: missing }), ...judged };
}

/** A step that was driven, and what was heard since. */
interface DrivenStep {
  readonly step: Step;
  readonly meaning: Meaning;
  readonly judging: Judging;
  /** The world before the step. */
  readonly before: World;
  /** Whether nothing may change: it repeats an earlier step, or the target refused it. */
  readonly isQuiet: boolean;
  readonly refusal: Skip | undefined;
  readonly owed: readonly Owed[];
  readonly forbidden: readonly Forbidden[];
  readonly deliveries: readonly Delivery[];
  /** Earlier steps whose effect came now. */
  readonly shownLater: ReturnType<World["takeShown"]>;
  /** Applies the step to the model. Call it after judging, which needs the model before it. */
  readonly goOn: () => void;
}

/** Drives the target, and waits for what the step causes. */
async function driveAndHear(
  session: Session,
  world: World,
  { step, meaning, judging }: Pick<DrivenStep, "step" | "meaning" | "judging">,
): Promise<DrivenStep> {
  const since = world.heard.length;
  const before = world.copy();
  const result = await driveStep(session, world, step, meaning);
  const refusal = result instanceof Skip ? result : undefined;
  const isQuiet = refusal !== undefined || meaning === "repeats";
  if (!isQuiet) bindResult(world, step, result);
  const later = isQuiet ? undefined : rowOf(step).later?.(world, step);
  if (later) world.pending = [...world.pending, { step, ...later }];
  const owed = isQuiet || later ? [] : owedBy(world, step, result);
  const forbidden = forbiddenAfter(before, step, meaning, isQuiet);
  const isForbidding = forbidden.length > 0;
  const { all, advancedS } = await awaitOwed(session, world, step, {
    ...{ since, owed, isQuiet, isForbidding, judging },
  });
  const deliveries = world.take(all.slice(since));
  world.heard = all;
  if (step.verb === "completeLink") await bindAccounts(session, world, step, judging);
  bindCreatedCards(world);
  const shownLater = world.takeShown(deliveries, step);
  const goOn = () => {
    if (!isQuiet && !later) world.model = applied(world.model, step);
    for (const one of shownLater) world.model = applied(world.model, one.step);
    world.model = applied(world.model, { verb: "advance", seconds: advancedS });
    world.dropUncreated();
  };
  return {
    ...{ step, meaning, judging, before, isQuiet, refusal, owed, forbidden },
    ...{ deliveries, shownLater, goOn },
  };
}

/** Judges what a step caused. `unmet` is why an event need not come. */
async function judgeStep(
  session: Session,
  world: World,
  done: DrivenStep,
): Promise<
  Omit<PlayedStep, "step" | "outcome" | "refusal"> & { readonly unmet: Skip | undefined }
> {
  const { step, meaning, judging, before, isQuiet } = done;
  const deliveries = [...done.deliveries];
  const row = rowOf(step);
  const byApi = isQuiet ? [] : ((await row.owesByApi?.(session, world, step)) ?? []);
  if (byApi.length > 0) {
    const all = await awaitMore(session, byApi, before.heard.length);
    deliveries.push(...world.take(all.slice(world.heard.length)));
    world.heard = all;
  }
  const due = [
    ...done.owed,
    ...done.shownLater.flatMap((one) => owedLater(world, one)),
    ...byApi,
    ...(isQuiet ? [] : consequencesOf(before, world, deliveries)),
  ];

  const named = new Set(namesIn(step).uses.flatMap((name) => Object.values(world.idsOf(name))));
  const isRead = judging === "effects" && !isQuiet;
  const purchases = isRead ? transactionsOf(world, step, deliveries) : [];
  // Exploration compares all that a step names with its latest event; a run does so at its end.
  const compared = judging === "everything" || meaning === "repeats" ? named : new Set<string>();
  const views = await readViews(session, world, { named: compared, deliveries, purchases });
  const shown = shownBy(views.exchanges, deliveries, world) ?? (await subaccounts(session));
  const { sample } = world;
  const { decisions, transitions, unmet } = judgeDue(due, { deliveries, sample, shown, views });
  for (const wanted of meaning === "repeats" ? (row.keeps?.(before, step) ?? []) : []) {
    for (const [id, exchange] of views.exchanges) {
      if (!named.has(id) || bodyOf(exchange) === undefined) continue;
      decisions.push(...judgeWanted(wanted, exchange));
    }
  }
  const changes = purchases.flatMap((id): TransactionChange[] => {
    const resource = views.exchanges.get(id);
    const messages = views.messages.get(id) ?? [];
    return resource ? [changeOf(world, step, { id, resource, messages, deliveries })] : [];
  });
  for (const change of changes) {
    decisions.push(...judgeChange(change, world.deliveries, session.capabilities));
  }
  const canSettle = hasVerbs(session, "settle");
  // Without `settle`, an event of an earlier step may arrive now. A later event has been awaited,
  // unless the target refused the step.
  const isUnrefused = done.refusal === undefined || meaning === "repeats";
  if (canSettle || (judging === "effects" && isUnrefused)) {
    const byCompletion = isQuiet ? [] : deliveries.flatMap(forbiddenByCompletion);
    const heard = { deliveries, before: before.deliveries, sample };
    for (const one of [...done.forbidden, ...byCompletion]) {
      decisions.push(judgeForbidden(one, heard, shown));
    }
  }
  const violations = [
    ...decisions.flatMap((one) => one.violations),
    ...(canSettle ? reusedIds(before, deliveries, sample) : []),
    ...(canSettle ? views.violations : []),
    ...(judging === "everything" ? await judgeAll(session, world, deliveries) : []),
  ];
  return {
    ...{ decisions, transitions, deliveries, changes, unmet },
    ...{ situations: situationsAt(before, step, meaning), violations: distinct(violations) },
  };
}

/** Judges the events that are owed, and the API's view of their resources. */
function judgeDue(
  due: readonly Owed[],
  heard: {
    readonly deliveries: readonly Delivery[];
    readonly sample: Sample;
    readonly shown: Message;
    readonly views: Awaited<ReturnType<typeof readViews>>;
  },
): { decisions: Decision[]; transitions: Transition[]; unmet: Skip | undefined } {
  const { deliveries, sample, shown, views } = heard;
  const decisions: Decision[] = [];
  const transitions: Transition[] = [];
  let unmet: Skip | undefined;
  for (const one of due) {
    const reason = one.unless?.();
    if (reason !== undefined) {
      unmet = new Unmet(reason);
      continue;
    }
    const found = judgeOwed(one, deliveries, sample, shown);
    const seen = judgeViews(one, deliveries, views.exchanges);
    decisions.push(...placed(found, one, "delivered"), ...placed(seen, one, "alone"));
    const isRight = [...found, ...seen].every(({ violations }) => violations.length === 0);
    if (one.row && isRight) transitions.push(one.row);
  }
  return { decisions, transitions, unmet };
}

/** The events of a step whose effect came later. */
function owedLater(
  world: World,
  { step, in: own }: ReturnType<World["takeShown"]>[number],
): Owed[] {
  const situations = [...(rowOf(step).situations?.(world, step) ?? []), ...own];
  return owedBy(world, step, undefined).map((one) => {
    return { ...one, in: [...situations, ...(one.in ?? [])] };
  });
}

/** The transactions that a step may change: those that it names, and those of its deliveries. */
function transactionsOf(world: World, step: Step, deliveries: readonly Delivery[]): string[] {
  const names = concernedBy(world.model, step).flatMap((name) => {
    return world.ids.get(name)?.transactionId ?? [];
  });
  const announced = deliveries
    .filter(({ name }) => /^transaction\.(?:created|updated)$/.test(name))
    .flatMap(({ json }) => textAt(json, "/id") ?? []);
  return [...new Set([...names, ...announced])];
}

/** Notes what the API shows of a transaction, and returns it beside what it showed before. */
function changeOf(
  world: World,
  step: Step,
  {
    id,
    ...seen
  }: { readonly id: string } & Pick<TransactionChange, "resource" | "messages" | "deliveries">,
): TransactionChange {
  const known = world.shown.get(id);
  const at = known ? known.changes + 1 : 0;
  world.shown.set(id, { view: seen.resource, changes: at });
  const messageId = messageOf(world, step, id);
  const cleared = step.verb === "clear" ? world.model.purchases[step.purchase]?.cleared : 0;
  const kinds = kindsOf(step, seen.resource, known === undefined, cleared ?? 0);
  return {
    ...{ transactionId: id, step, ...seen, kinds, at },
    ...(known && { before: known.view }),
    ...(messageId !== undefined && { messageId }),
  };
}

/** The message that the driver says a step has added to a transaction. */
function messageOf(world: World, step: Step, id: string): string | undefined {
  if (step.verb !== "authorize" && step.verb !== "clear") return undefined;
  const own = world.idsOf(step.verb === "clear" ? step.purchase : step.as);
  if (own.transactionId !== id) return undefined;
  return step.verb === "clear" ? own.clearingId : own.messageId;
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

/** Judges the API's view of a subscription or transaction whose event came. */
function judgeViews(
  owed: Owed,
  deliveries: readonly Delivery[],
  exchanges: ReadonlyMap<string, Exchange>,
): Decision[] {
  if (!/^(?:cardsubscription|transaction)\.(?:created|updated)$/.test(owed.event)) return [];
  if (deliveriesOf(owed, deliveries).length === 0) return [];
  return [...exchanges.values()]
    .filter((exchange) => owed.is(bodyOf(exchange)))
    .flatMap((exchange) => judgeBody(alone(owed), exchange));
}

/** What the API's view of a resource must have. */
function alone({ wants = [], ...owed }: Owed): Owed {
  return { ...owed, wants: wants.map((one) => ({ ...one, claim: one.alone ?? one.claim })) };
}

function placed(
  decisions: readonly Decision[],
  { in: own = [] }: Owed,
  place: "alone" | "delivered",
): Decision[] {
  return decisions.map((one) => ({ ...one, in: [...own, ...(one.in ?? []), place] }));
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

function forbiddenByCompletion({ name, json }: Delivery): Forbidden[] {
  return name === "banklink.completed" ? forbiddenByCreatedCards(json) : [];
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
