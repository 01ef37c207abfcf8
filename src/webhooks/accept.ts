import type { FeedEvent } from "../contract/feed-event.ts";
import { answers } from "./answers.ts";
import { contentKey } from "./content-key.ts";
import type { Ending, Handle } from "./handle.ts";
import type { Received, Settled } from "./intake.ts";
import type { DeliveryQueue } from "./queue.ts";
import type { Answer } from "./request.ts";

/** Takes over a delivery that keeps the contract. It rejects where a queue can't store it. */
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
  return async (event, { text }) => {
    const ending = await handle(event, text);
    return { ...ending, answer: ANSWERS[ending.outcome] };
  };
}

/** Stores a delivery, answers it, and wakes who handles it. */
export function storing(queue: DeliveryQueue, wake: () => void): Accept {
  return async (event, { event: name, text, receivedAt }) => {
    const key = await contentKey(event, text);
    const added = await queue.add({ key, event: name, body: text, receivedAt });
    wake();
    return { outcome: added === "added" ? "queued" : "duplicate", answer: answers.queued };
  };
}
