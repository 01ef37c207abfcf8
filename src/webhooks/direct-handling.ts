import { type AttemptResult, resultOfError, timedOut, untilAborted } from "./attempt.ts";
import type { Delivery } from "./delivery.ts";
import type { HandlerContext } from "./handlers.ts";
import type { Inbox } from "./inbox.ts";

/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/** What the handler of a delivery needs to know of an attempt. */
export type GivenContext<Tx> = Pick<HandlerContext<Tx>, "attempt" | "missing" | "signal" | "tx">;

const HANDLED: AttemptResult = { outcome: "handled" };

/**
 * Creates the function that handles a delivery before it is acknowledged: those of one lane one
 * after another, and with an inbox each only once. Its result is a promise only if there is
 * something to wait for, because promises cost more than the rest. It never throws or rejects.
 */
export function createDirectHandling<Tx>(
  inbox: Inbox<Tx> | undefined,
  { timeoutMs, leaseMs }: { readonly timeoutMs: number; readonly leaseMs: number },
): (delivery: Delivery, handler: (given: GivenContext<Tx>) => unknown) => Awaitable<AttemptResult> {
  const inLane = createLanes();
  return (delivery, handler) => {
    const controller = new AbortController();
    const { signal } = controller;
    const handle = (tx: Tx): unknown => {
      signal.throwIfAborted();
      return handler({ attempt: 1, missing: 0, signal, tx });
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
