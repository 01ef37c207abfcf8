import { type EventName, eventNames } from "../../generated/events.ts";
import type { FeedEvent, KnownEvent, UnknownEvent } from "../contract/feed-event.ts";
import { UsageError } from "../errors.ts";

/**
 * Handles an event; what it returns is awaited and dropped. Throwing, or rejecting, means that the
 * event was not handled and is to come again.
 */
export type Handler<Name extends EventName = EventName> = (event: KnownEvent<Name>) => unknown;

/** A handler for each event that somebody cares for, by the event's name. */
export type Handlers = { readonly [Name in EventName]?: Handler<Name> };

/** Handles an event whose name the contract does not know. */
export type Fallback = (event: UnknownEvent) => unknown;

/** The one function that an event goes to; undefined where nobody cares for it. */
export type Lookup = (event: FeedEvent) => ((event: FeedEvent) => unknown) | undefined;

/**
 * Registers handlers.
 *
 * @throws TxfeedError `usage` where a name is none of the contract's, has two handlers, or has
 * something else than a function.
 */
export function handlerLookup(on: Handlers | readonly Handlers[], fallback?: Fallback): Lookup {
  const handlers = new Map<string, unknown>();
  for (const part of Array.isArray(on) ? on : [on]) {
    const prototype = Object.getPrototypeOf(part);
    const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
    refuseUnless(isPlain, "handlers of a class are not found; give a plain object of functions");
    for (const [name, handler] of Object.entries(part)) {
      refuseUnless(isEventName(name), `no event is called "${name}"; there are: ${eventNames}`);
      refuseUnless(!handlers.has(name), `"${name}" has two handlers; register one that calls both`);
      refuseUnless(typeof handler === "function", `the handler of "${name}" is not a function`);
      handlers.set(name, handler);
    }
  }
  // Each event goes to the handler of its own name, which its type fits.
  return ({ name }) => (name === "unknown" ? fallback : handlers.get(name)) as ReturnType<Lookup>;
}

function isEventName(name: string): name is EventName {
  return (eventNames as readonly string[]).includes(name);
}

function refuseUnless(holds: boolean, why: string): void {
  if (!holds) throw new UsageError(`createReceiver: ${why}`);
}
