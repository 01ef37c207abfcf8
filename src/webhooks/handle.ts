import type { FeedEvent } from "../contract/feed-event.ts";
import type { Claim, DuplicateStore } from "./duplicates.ts";
import type { Lookup } from "./handlers.ts";
import { ignoreErrors } from "./ignore-errors.ts";

/** How the handling of an event ended. */
export interface HandlingResult {
  readonly outcome: "handled" | "ignored" | "duplicate" | "busy" | "failed";
  readonly error?: unknown;
}

type Key = string | undefined;

/**
 * Handles an event, once if it has a key and there is a store of duplicates. It never rejects.
 *
 * @param keyOf Derives the key of its delivery. Called only if it is needed, because it costs.
 * @param owner Who claims the key; see `DuplicateStore.claim`.
 */
export type Handle = (
  event: FeedEvent,
  keyOf: () => Key | Promise<Key>,
  owner?: string,
) => Promise<HandlingResult>;

/** Makes what hands an event to its handler, unless the store has its key. */
export function createHandle(lookup: Lookup, duplicates?: DuplicateStore): Handle {
  return async (event, keyOf, owner) => {
    const handler = lookup(event);
    if (!handler) return { outcome: "ignored" };
    try {
      const key = duplicates && (await keyOf());
      if (duplicates && key !== undefined) {
        const claim = await duplicates.claim(key, owner);
        return await handleOnce(claim, () => handler(event));
      }
      await handler(event);
      return { outcome: "handled" };
    } catch (error) {
      return { outcome: "failed", error };
    }
  };
}

async function handleOnce(claim: Claim, handle: () => unknown): Promise<HandlingResult> {
  if (claim.state === "done") return { outcome: "duplicate" };
  if (claim.state === "busy") return { outcome: "busy" };
  try {
    await handle();
  } catch (error) {
    // A claim that can't be released ends with its lease; what matters is why the handler failed.
    await ignoreErrors(claim.release)();
    throw error;
  }
  try {
    await claim.done();
  } catch (error) {
    // Already handled: asking for it again would only handle it twice.
    return { outcome: "handled", error };
  }
  return { outcome: "handled" };
}
