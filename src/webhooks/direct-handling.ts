import type { FeedEvent } from "../contract/feed-event.ts";
import { RetryLaterError } from "../errors.ts";
import { type AttemptResult, resultOfError, timedOut, untilAborted } from "./attempt.ts";
import type { Lookup } from "./handlers.ts";
import type { Inbox, NewDelivery } from "./inbox.ts";
import { createLanes } from "./lane.ts";
import type { DeliveryResponse } from "./request.ts";
import { postponed, responses } from "./responses.ts";
import type { SafeObserver } from "./telemetry.ts";

/** Handles a delivery before it is acknowledged. Never rejects. */
type HandleDirectly = (event: FeedEvent, delivery: NewDelivery) => Promise<AttemptResult>;

/**
 * Creates the function that handles deliveries before they are acknowledged: those of one lane one
 * after another, and with an inbox each only once.
 */
export function createDirectHandling<Tx>({
  lookup,
  inbox,
  timeoutMs,
  observer,
}: {
  readonly lookup: Lookup<Tx>;
  readonly inbox: Inbox<Tx> | undefined;
  readonly timeoutMs: number;
  readonly observer: SafeObserver;
}): HandleDirectly {
  const inLane = createLanes();
  return async (event, delivery) => {
    const handler = lookup(event);
    if (!handler) return { outcome: "ignored" };
    const { deliveryId, receivedAt, headers } = delivery;
    const controller = new AbortController();
    const { signal } = controller;
    const context = { deliveryId, receivedAt, headers, attempt: 1, missing: 0, signal };
    const handle = async (tx: Tx): Promise<void> => {
      signal.throwIfAborted();
      const run = async () => handler(event, { ...context, tx });
      await observer.handle(delivery, context.attempt, run);
      // What it wrote in the transaction after the time limit must have no effect.
      signal.throwIfAborted();
    };
    const handled = inLane(delivery.lane, async (): Promise<AttemptResult> => {
      if (inbox) return { outcome: await inbox.once(delivery, handle) };
      // Without an inbox, the type of the transaction is undefined.
      await handle(undefined as Tx);
      return { outcome: "handled" };
    });
    const timer = setTimeout(() => controller.abort(timedOut(timeoutMs)), timeoutMs);
    try {
      return await untilAborted(handled, signal);
    } catch (error) {
      return resultOfError(error);
    } finally {
      clearTimeout(timer);
    }
  };
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
  return error instanceof RetryLaterError ? postponed(error.at) : RESPONSES[outcome];
}
