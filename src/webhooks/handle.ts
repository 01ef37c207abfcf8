import type { FeedEvent } from "../contract/feed-event.ts";
import { contentKey } from "./content-key.ts";
import type { DuplicateStore } from "./duplicates.ts";
import type { Lookup } from "./handlers.ts";
import { harmless } from "./harmless.ts";

/** How the handling of an event ended. */
export interface Ending {
  readonly outcome: "handled" | "ignored" | "duplicate" | "busy" | "failed";
  readonly error?: unknown;
}

/** Handles an event once, as far as can be told. It never rejects. */
export type Handle = (event: FeedEvent, text: string) => Promise<Ending>;

/** Makes what hands an event to its handler, unless the store has seen its content before. */
export function handleWith(lookup: Lookup, duplicates?: DuplicateStore): Handle {
  return async (event, text) => {
    const handler = lookup(event);
    if (!handler) return { outcome: "ignored" };
    try {
      const key = duplicates && (await contentKey(event, text));
      if (duplicates && key) return await handleOnce(duplicates, key, () => handler(event));
      await handler(event);
      return { outcome: "handled" };
    } catch (error) {
      return { outcome: "failed", error };
    }
  };
}

async function handleOnce(
  duplicates: DuplicateStore,
  key: string,
  handle: () => unknown,
): Promise<Ending> {
  const claim = await duplicates.claim(key);
  if (claim.state === "done") return { outcome: "duplicate" };
  if (claim.state === "busy") return { outcome: "busy" };
  try {
    await handle();
  } catch (error) {
    // A claim that can't be released ends with its lease; what matters is why the handler failed.
    await harmless(claim.release)();
    throw error;
  }
  try {
    await claim.done();
  } catch (error) {
    // It was handled: to have it sent again would only have it handled again.
    return { outcome: "handled", error };
  }
  return { outcome: "handled" };
}
