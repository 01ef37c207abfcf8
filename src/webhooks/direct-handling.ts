import type { FeedEvent } from "../contract/feed-event.ts";
import { hasCode } from "../errors.ts";
import { type AttemptResult, resultOfError, timedOut, untilAborted } from "./attempt.ts";
import type { Delivery } from "./delivery.ts";
import type { Lookup } from "./handlers.ts";
import type { Inbox } from "./inbox.ts";
import type { DeliveryResponse } from "./request.ts";
import { postponed, responses } from "./responses.ts";
import type { SafeObserver } from "./telemetry.ts";

/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Handles a delivery before it is acknowledged. The result is a promise only if there is something
 * to wait for, because promises cost more than the rest. Never throws or rejects.
 */
type HandleDirectly = (event: FeedEvent, delivery: Delivery) => Awaitable<AttemptResult>;

const HANDLED: AttemptResult = { outcome: "handled" };

/**
 * Creates the function that handles deliveries before they are acknowledged: those of one lane one
 * after another, and with an inbox each only once.
 */
export function createDirectHandling<Tx>({
  lookup,
  inbox,
  timeoutMs,
  leaseMs,
  observer,
}: {
  readonly lookup: Lookup<Tx>;
  readonly inbox: Inbox<Tx> | undefined;
  readonly timeoutMs: number;
  readonly leaseMs: number;
  readonly observer: SafeObserver;
}): HandleDirectly {
  const inLane = createLanes();
  return (event, delivery) => {
    const handler = lookup(event);
    if (!handler) return { outcome: "ignored" };
    const { deliveryId, receivedAt, headers } = delivery;
    const controller = new AbortController();
    const { signal } = controller;
    const attempt = 1;
    const handle = (tx: Tx): unknown => {
      signal.throwIfAborted();
      const context = { deliveryId, receivedAt, headers, attempt, missing: 0, signal, tx };
      return observer.handle(delivery, attempt, () => handler(event, context));
    };
    const handleIn = async (store: Inbox<Tx>): Promise<AttemptResult> => {
      const run = async (tx: Tx) => handle(tx);
      return { outcome: await store.once(delivery, leaseMs, run, signal) };
    };
    try {
      const handled = inLane(delivery.lane, () => {
        if (inbox) return handleIn(inbox);
        // Without an inbox, the type of the transaction is undefined.
        const handling = handle(undefined as Tx);
        return isThenable(handling) ? Promise.resolve(handling).then(() => HANDLED) : HANDLED;
      });
      return handled instanceof Promise ? limited(handled, controller, timeoutMs) : handled;
    } catch (error) {
      return resultOfError(error);
    }
  };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === "function";
}

/** Runs functions of the same lane one after another, those of different lanes in parallel. */
function createLanes(): <T>(lane: string | null, run: () => Awaitable<T>) => Awaitable<T> {
  const last = new Map<string, Promise<unknown>>();
  return (lane, run) => {
    const before = lane === null ? undefined : last.get(lane);
    const result = before ? before.then(run, run) : run();
    if (lane === null || !(result instanceof Promise)) return result;
    last.set(lane, result);
    const remove = () => {
      if (last.get(lane) === result) last.delete(lane);
    };
    result.then(remove, remove);
    return result;
  };
}

/** Gives an attempt up when its time is over. */
async function limited(
  handled: Promise<AttemptResult>,
  controller: AbortController,
  timeoutMs: number,
): Promise<AttemptResult> {
  const timer = setTimeout(() => controller.abort(timedOut(timeoutMs)), timeoutMs);
  try {
    return await untilAborted(handled, controller.signal);
  } catch (error) {
    return resultOfError(error);
  } finally {
    clearTimeout(timer);
  }
}

const RESPONSES = {
  handled: responses.accepted,
  ignored: responses.accepted,
  duplicate: responses.accepted,
  busy: responses.busy,
  failed: responses.failed,
  postponed: responses.failed,
  quarantined: responses.quarantined,
} satisfies Record<AttemptResult["outcome"], DeliveryResponse>;

/** The response to a delivery that was handled before it is acknowledged. */
export function responseTo({ outcome, error }: AttemptResult): DeliveryResponse {
  return hasCode(error, "retry-later") ? postponed(error.at) : RESPONSES[outcome];
}
