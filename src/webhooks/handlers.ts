import { type EventName, eventNames } from "../../generated/events.ts";
import type { FeedEvent, KnownEvent, UnknownEvent } from "../contract/feed-event.ts";
import { UsageError } from "../errors.ts";
import type { Claim, DuplicateStore } from "./duplicates.ts";
import { ignoreErrors } from "./hooks.ts";

/**
 * Handles an event. The receiver awaits the result and drops it. If the handler throws or rejects,
 * the event was not handled and is delivered again.
 */
export type Handler<Name extends EventName = EventName> = (event: KnownEvent<Name>) => unknown;

/** Handlers by the name of their event. */
export type Handlers = { readonly [Name in EventName]?: Handler<Name> };

/** Handles an event whose name the contract does not know. */
export type Fallback = (event: UnknownEvent) => unknown;

/** Finds the function that handles an event; undefined if there is none. */
type Lookup = (event: FeedEvent) => ((event: FeedEvent) => unknown) | undefined;

/**
 * Registers handlers.
 *
 * @throws {TxfeedError} `usage` if a name is not an event of the contract or has two handlers, or
 * a handler is not a function.
 */
export function handlerLookup(on: Handlers | readonly Handlers[], fallback?: Fallback): Lookup {
  const handlers = new Map<string, unknown>();
  for (const part of Array.isArray(on) ? on : [on]) {
    const prototype = Object.getPrototypeOf(part);
    const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
    refuseUnless(isPlain, "methods of a class are not found; give a plain object of functions");
    for (const [name, handler] of Object.entries(part)) {
      refuseUnless(isEventName(name), `there is no event "${name}"; events: ${eventNames}`);
      refuseUnless(!handlers.has(name), `"${name}" has two handlers; register one that calls both`);
      refuseUnless(typeof handler === "function", `the handler of "${name}" is not a function`);
      handlers.set(name, handler);
    }
  }
  // Each event goes to the handler of its name, whose type matches.
  return ({ name }) => (name === "unknown" ? fallback : handlers.get(name)) as ReturnType<Lookup>;
}

function isEventName(name: string): name is EventName {
  return (eventNames as readonly string[]).includes(name);
}

function refuseUnless(condition: boolean, problem: string): void {
  if (!condition) throw new UsageError(`createReceiver: ${problem}`);
}

/** The result of handling an event. */
export interface HandlingResult {
  readonly outcome: "handled" | "ignored" | "duplicate" | "busy" | "failed";
  readonly error?: unknown;
}

type Key = string | undefined;

/**
 * Handles an event, once if it has a key and there is a store of duplicates. Never rejects.
 *
 * @param keyOf Derives the delivery's key. Called only if the key is needed, because it is slow.
 * @param owner The owner of the claim; see `DuplicateStore.claim`.
 */
type Handle = (
  event: FeedEvent,
  keyOf: () => Key | Promise<Key>,
  owner?: string,
) => Promise<HandlingResult>;

/** Creates the function that passes events to their handlers, except duplicates. */
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
    // If the release fails, the claim expires. The handler's error is the one to report.
    await ignoreErrors(claim.release)();
    throw error;
  }
  try {
    await claim.done();
  } catch (error) {
    // Already handled; asking for redelivery would only handle it twice.
    return { outcome: "handled", error };
  }
  return { outcome: "handled" };
}
