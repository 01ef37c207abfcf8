import type { FeedEvent } from "../contract/feed-event.ts";
import { answers } from "./answers.ts";
import { deliveryKey } from "./delivery-key.ts";
import type { Ending, Handle } from "./handle.ts";
import type { Received, Settled } from "./intake.ts";
import type { DeliveryQueue } from "./queue.ts";
import type { Answer } from "./request.ts";

/** Processes a valid delivery. It rejects if the queue can't store it. */
export type Accept = (event: FeedEvent, received: Received) => Promise<Omit<Settled, "event">>;

const ANSWERS: Record<Ending["outcome"], Answer> = {
  handled: answers.accepted,
  ignored: answers.accepted,
  duplicate: answers.accepted,
  busy: answers.busy,
  failed: answers.failed,
};

/** Handles a delivery, then answers it. */
export function handling(handle: Handle): Accept {
  return async (event, received) => {
    const ending = await handle(event, () => deliveryKey(event, received));
    return { ...ending, answer: ANSWERS[ending.outcome] };
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
    return { outcome: OUTCOMES[added], answer: answers.queued };
  };
}
