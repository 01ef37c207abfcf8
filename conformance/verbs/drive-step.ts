import type { Session } from "../check.ts";
import { findEvents } from "../observe/deliveries/find.ts";
import { Aborted, Skip, unlessSkipped } from "../skip.ts";
import type { Delivery } from "../wire/exchange.ts";
import { allDeliveries, drive, hasVerbs } from "./drive.ts";
import { deliveriesOf, judgeHistory } from "./judge.ts";
import { has } from "./owed.ts";
import type { Meaning, Owed } from "./row.ts";
import type { Step, StepOf } from "./step.ts";
import { bindResult, consequencesOf, paramsOf, rowOf } from "./table.ts";
import { bindShownAccounts, type World } from "./world.ts";

/**
 * What the player judges of a step: `nothing`, only the `effects` that the table of verbs names, or
 * `everything`. In a whole run, other checks judge each body and compare the deliveries.
 */
export type Judging = "nothing" | "effects" | "everything";

/** Whether the effect of a step may come later. The target may refuse it, too. */
export function isLater(step: Step): boolean {
  return "isLater" in step && step.isLater === true;
}

/** The result of a step's verb; a Skip if the target refused, or the result lacks an id. */
export async function driveStep(
  session: Session,
  world: World,
  step: Step,
  meaning: Meaning,
): Promise<unknown> {
  try {
    const acted = rowOf(step).act?.(session, world, step);
    if (acted) return await acted;
    const params = paramsOf(world, step) as never;
    // A repeated verb creates nothing, and a later effect has no ids yet: they need no result.
    if (meaning === "repeats" || isLater(step)) return await session.drive(step.verb, params);
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
export async function awaitOwed(
  session: Session,
  world: World,
  step: Step,
  wait: {
    readonly since: number;
    readonly owed: readonly Owed[];
    /** Whether nothing may change. */
    readonly isQuiet: boolean;
    /** Whether some event may not come. */
    readonly isForbidding: boolean;
    readonly judging: Judging;
  },
): Promise<{ readonly all: readonly Delivery[]; readonly advancedS: number }> {
  const { since, owed, isQuiet, isForbidding, judging } = wait;
  let advancedS = 0;
  const isComplete = (deliveries: readonly Delivery[]) => {
    const fresh = deliveries.slice(since);
    const trial = world.copy();
    trial.take(fresh);
    const due = [...owed, ...consequencesOf(world, trial, fresh)];
    return due.every((one) => deliveriesOf(one, fresh).length > 0);
  };
  const { waits, mayCause } = rowOf(step);
  const awaited = isQuiet ? [] : (mayCause?.(step) ?? []);
  const isCaused = (deliveries: readonly Delivery[]) => {
    const came = new Set(deliveries.slice(since).map(({ name }) => name));
    return awaited.every((name) => came.has(name));
  };
  const steps = hasVerbs(session, "advance") ? (waits?.(step, owed) ?? []) : [];
  for (const seconds of steps) {
    // A polling that may not complete the link again could be due at any time.
    if (!isQuiet) {
      if (hasVerbs(session, "settle")) await session.drive("settle", undefined);
      const now = await session.deliveries();
      if (isComplete(now) && isCaused(now)) break;
    }
    const isAdvanced = await unlessSkipped(session.drive("advance", { seconds }).then(() => true));
    if (!isAdvanced) break;
    advancedS += seconds;
    // A verb that returned no accounts is called again when the polling is due (`Driver`).
    if (step.verb === "completeLink" && !isQuiet) {
      await unlessSkipped(session.drive(step.verb, paramsOf(world, step) as never));
    }
  }
  if (hasVerbs(session, "settle")) {
    // A step that owes nothing and is not judged needs no wait: the next one settles, too.
    if (judging !== "nothing" || owed.length > 0) await session.drive("settle", undefined);
    return { all: await allDeliveries(session, undefined, since), advancedS };
  }
  // By the time of a later event, one that the step may not cause would have come.
  if (judging === "effects" && owed.length === 0 && isForbidding) await awaitNext(session);
  const isEnough = (deliveries: readonly Delivery[]) => {
    if (!isComplete(deliveries)) return false;
    if (judging !== "everything") return isCaused(deliveries);
    const trial = world.copy();
    trial.take(deliveries.slice(since));
    return !judgeHistory(trial.deliveries, session.capabilities).isOpen;
  };
  return { all: await allDeliveries(session, isEnough, since), advancedS };
}

/** The deliveries of the run, once more events are there that the API's views show to be owed. */
export async function awaitMore(
  session: Session,
  owed: readonly Owed[],
  since: number,
): Promise<readonly Delivery[]> {
  const canSettle = hasVerbs(session, "settle");
  const isThere = (deliveries: readonly Delivery[]) =>
    owed.every((one) => deliveriesOf(one, deliveries.slice(since)).length > 0);
  return allDeliveries(session, (all) => canSettle || isThere(all), since);
}

/** Causes an event that is about no resource of a script, and waits for it. */
async function awaitNext(session: Session): Promise<void> {
  if (!hasVerbs(session, "enroll")) return;
  const card = await unlessSkipped(drive(session, "enroll", undefined));
  if (!card) return;
  const isCreated = has("/id", card.subscriptionId);
  await session.deliveries((all) => all.some(({ json }) => isCreated(json)));
}

/**
 * Gives their ids to the accounts of a completed link. A driver returns them in the order of the
 * script; it accepts a complete link, which it doesn't change. Exploration learns them by the
 * event.
 */
export async function bindAccounts(
  session: Session,
  world: World,
  { link, by }: StepOf<"completeLink">,
  judging: Judging,
): Promise<void> {
  const { bankLinkId } = world.idsOf(link);
  const names = (world.model.links[link]?.accounts ?? []).map(({ as }) => as);
  const completion = { "/bankLinkId": bankLinkId };
  const isComplete = findEvents(world.deliveries, "banklink.completed", completion).length > 0;
  if (judging !== "everything" && isComplete && names.some((name) => !world.ids.has(name))) {
    const way = by === "polling" ? by : "notification";
    const result = await unlessSkipped(session.drive("completeLink", { bankLinkId, by: way }));
    bindResult(world, { verb: "completeLink", link, by }, result);
  }
  bindShownAccounts(world, link);
}
