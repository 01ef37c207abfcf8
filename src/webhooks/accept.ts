import type { FeedEvent } from "../contract/feed-event.ts";
import { deliveryKey } from "./delivery-key.ts";
import type { Handle, HandlingResult } from "./handle.ts";
import type { DeliveryResult, ParsedDelivery } from "./parse-delivery.ts";
import type { DeliveryQueue } from "./queue.ts";
import type { DeliveryResponse } from "./request.ts";
import { responses } from "./responses.ts";

/** Processes a valid delivery. It rejects if the queue can't store it. */
export type Accept = (
  event: FeedEvent,
  received: ParsedDelivery,
) => Promise<Omit<DeliveryResult, "event">>;

const RESPONSES: Record<HandlingResult["outcome"], DeliveryResponse> = {
  handled: responses.accepted,
  ignored: responses.accepted,
  duplicate: responses.accepted,
  busy: responses.busy,
  failed: responses.failed,
};

/** Handles a delivery, then answers it. */
export function handling(handle: Handle): Accept {
  return async (event, received) => {
    const ending = await handle(event, () => deliveryKey(event, received));
    return { ...ending, response: RESPONSES[ending.outcome] };
  };
}

const OUTCOMES = { added: "queued", requeued: "requeued", present: "duplicate" } as const;

/** Stores a delivery, answers it, and wakes who handles it. */
export function storing(queue: DeliveryQueue, wake: () => void): Accept {
  return async (event, received) => {
    const { event: name, text: body, receivedAt } = received;
    const key = await deliveryKey(event, received);
    const added = await queue.add({ key, event: name, body, receivedAt });
    wake();
    return { outcome: OUTCOMES[added], response: responses.queued };
  };
}
