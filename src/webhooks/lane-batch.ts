import {
  type Abandoned,
  type AttemptResult,
  resultOfError,
  timedOut,
  untilAborted,
} from "./attempt.ts";
import type { Delivery } from "./delivery.ts";
import { type HeldLane, type HeldLanes, TRANSACTION_MS } from "./held-lanes.ts";
import type { Inbox, RunPart, Settlement } from "./inbox.ts";
import { afterBreak, type RetryPolicy, refusalOf } from "./retries.ts";
import { isOfInbox } from "./store.ts";

/** What a worker passes to the function that handles a delivery. */
export interface Attempt<Tx> {
  readonly delivery: Delivery;
  /** 1 for the first attempt. */
  readonly number: number;
  readonly signal: AbortSignal;
  /** How many earlier deliveries of the lane are in quarantine, also by this batch. */
  readonly missing: number;
  readonly tx: Tx;
}

/** The functions that a worker calls for each delivery. */
export interface Work<Tx> {
  /** Handles a delivery. Rejects with the handler's error. */
  readonly handle: (attempt: Attempt<Tx>) => Promise<AttemptResult>;
  /** Called with the result of an attempt when it is recorded; without a delivery, of a poll. */
  readonly report: (result: AttemptResult, durationMs: number, delivery?: Delivery) => void;
  /** Called for each lane that was taken over from a worker that stalled or ended. */
  readonly interrupted: () => void;
}

/** The parts of a worker that handle deliveries. */
export interface BatchParts<Tx> {
  readonly inbox: Inbox<Tx>;
  readonly lanes: HeldLanes;
  readonly work: Work<Tx>;
  readonly decide: RetryPolicy;
  readonly timeoutMs: number;
  readonly leaseMs: number;
  readonly isClosed: () => boolean;
}

/** A lane that was started in a transaction. */
interface LaneRun {
  readonly held: HeldLane;
  readonly attempts: { delivery: Delivery; result: AttemptResult; durationMs: number }[];
}

/**
 * Handles the deliveries of lanes in one transaction. When it has lasted long enough, the other
 * lanes are released. Never rejects: if the transaction fails, nothing took effect, and each lane
 * is released. The next time, each of these deliveries gets a transaction of its own, so that the
 * cause is found.
 */
export async function handleBatch<Tx>(
  batch: readonly HeldLane[],
  parts: BatchParts<Tx>,
): Promise<void> {
  const { inbox, lanes, work, leaseMs } = parts;
  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt > TRANSACTION_MS || parts.isClosed();
  const waiting = [...batch];
  const runs: LaneRun[] = [];
  // A handler that is slower than expected does not delay the other lanes.
  const late = setTimeout(() => {
    const released = waiting.splice(runs.length === 0 ? 1 : 0);
    void lanes.release(released);
  }, 2 * TRANSACTION_MS);
  try {
    await inbox.transaction(leaseMs, async (runPart) => {
      const settlements: Settlement[] = [];
      while (waiting.length > 0 && (runs.length === 0 || !isOver())) {
        const run: LaneRun = { held: waiting.shift() as HeldLane, attempts: [] };
        runs.push(run);
        settlements.push(await handleLane(run, { ...parts, runPart, isOver }));
      }
      return settlements;
    });
    for (const { held } of runs) lanes.end(held);
  } catch (error) {
    if (runs.length === 0) runs.push(...waiting.splice(0).map((held) => ({ held, attempts: [] })));
    for (const each of runs.flatMap(({ attempts }) => attempts)) {
      each.result = undone(each.result, error);
    }
    // Together, because each may wait for the database.
    await Promise.all([
      ...runs.map((run) => recover(run, runs.length === 1, error, parts)),
      lanes.release(waiting.splice(0)),
    ]);
    if (runs.every(({ attempts }) => attempts.length === 0)) {
      work.report({ outcome: "failed", error }, 0);
    }
  } finally {
    clearTimeout(late);
  }
  for (const { delivery, result, durationMs } of runs.flatMap(({ attempts }) => attempts)) {
    work.report(result, durationMs, delivery);
  }
  await lanes.release(waiting);
}

/** The result of an attempt whose transaction failed: it had no effect, so it was not handled. */
function undone(result: AttemptResult, error: unknown): AttemptResult {
  const { outcome } = result;
  if (outcome === "handled" || outcome === "ignored") return resultOfError(error);
  return outcome === "quarantined" ? { outcome: "failed", error: result.error } : result;
}

interface LaneParts<Tx> extends BatchParts<Tx> {
  readonly runPart: RunPart<Tx>;
  readonly isOver: () => boolean;
}

/** Handles the deliveries of a lane until one must be retried or the time is over. */
async function handleLane<Tx>(run: LaneRun, parts: LaneParts<Tx>): Promise<Settlement> {
  const { held, attempts } = run;
  const { lease, isAlone } = held;
  // With interruptions, the lease has only one delivery.
  const { interruptions } = lease;
  if (interruptions > 0) parts.work.interrupted();
  const handled: number[] = [];
  const quarantined: { id: number; reason: string }[] = [];
  for (const delivery of lease.deliveries) {
    const startedAt = performance.now();
    const result =
      refusalOf(interruptions) ??
      (await attempt(run, parts, {
        delivery,
        number: delivery.failures + interruptions + 1,
        missing: delivery.missing + quarantined.length,
      }));
    const verdict = parts.decide(delivery, result);
    const durationMs = performance.now() - startedAt;
    const reported: AttemptResult =
      verdict.next === "quarantine" ? { ...result, outcome: "quarantined" } : result;
    attempts.push({ delivery, result: reported, durationMs });
    parts.lanes.measure(delivery.event, durationMs);
    if (verdict.next === "retry") return { lease, handled, quarantined, retry: verdict.retry };
    if (verdict.next === "done") handled.push(delivery.id);
    else quarantined.push({ id: delivery.id, reason: verdict.reason });
    if (isAlone || parts.isOver()) break;
  }
  return { lease, handled, quarantined };
}

/**
 * Runs the handler of a delivery in a part of the transaction.
 *
 * @throws {Abandoned} if the attempt was given up. The handler may still run and use the
 * transaction, which must therefore end without effect. {TxfeedError} `unreachable` or `file` if
 * the transaction broke off.
 */
async function attempt<Tx>(
  { held, attempts }: LaneRun,
  { work, runPart, timeoutMs }: LaneParts<Tx>,
  given: Pick<Attempt<Tx>, "delivery" | "number" | "missing">,
): Promise<AttemptResult> {
  const { controller } = held;
  const { signal } = controller;
  // The transaction may have waited for a connection.
  signal.throwIfAborted();
  const timer = setTimeout(() => controller.abort(timedOut(timeoutMs)), timeoutMs);
  const startedAt = performance.now();
  try {
    return await untilAborted(
      runPart((tx) => work.handle({ ...given, signal, tx })),
      signal,
    );
  } catch (error) {
    if (!signal.aborted && !isOfInbox(error)) return resultOfError(error);
    const durationMs = performance.now() - startedAt;
    const cause = signal.aborted ? signal.reason : error;
    attempts.push({ delivery: given.delivery, result: resultOfError(cause), durationMs });
    throw cause;
  } finally {
    clearTimeout(timer);
  }
}

/** Ends the lease of a lane whose transaction failed. If this fails too, the lease expires. */
async function recover<Tx>(
  { held, attempts }: LaneRun,
  isOnly: boolean,
  error: unknown,
  { inbox, lanes, decide }: BatchParts<Tx>,
): Promise<void> {
  const { lease, controller } = held;
  const [first] = lease.deliveries;
  const { reason } = controller.signal as { reason: Abandoned | undefined };
  // Before the settlement, because this worker may take the lane again at once.
  lanes.end(held, (attempts.at(-1)?.delivery ?? first)?.id);
  if (reason?.because !== "lost") {
    const isBroken = isOfInbox(error);
    // The delivery that caused the failure, if it is certain: only it counts a failure.
    const isCause =
      attempts.length === 1 && (reason ? reason.because === "timeout" : isOnly && !isBroken);
    const verdict = isCause && first ? decide(first, resultOfError(error)) : undefined;
    const { interruptions } = lease;
    const pause = { interruptions, isStarted: attempts.length > 0 };
    const settlement: Settlement = {
      lease,
      handled: [],
      quarantined:
        verdict?.next === "quarantine" && first ? [{ id: first.id, reason: verdict.reason }] : [],
      ...(verdict?.next === "retry" && { retry: verdict.retry }),
      ...(isBroken && first && { retry: afterBreak(first, error, pause) }),
    };
    await inbox.settle([settlement]).catch(() => {});
    const [only] = attempts;
    if (only && verdict?.next === "quarantine") only.result = { outcome: "quarantined", error };
  }
}
