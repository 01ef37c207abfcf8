import { type EventName, eventNames } from "../../generated/events.ts";
import type { FeedEvent, KnownEvent, UnknownEvent } from "../contract/feed-event.ts";
import { UsageError } from "../errors.ts";

/** What a handler gets besides the event. */
export interface HandlerContext<Tx = unknown> {
  /** The sender's id of the delivery, if `verify` returned one; null otherwise. */
  readonly deliveryId: string | null;
  /** When the delivery was received; ISO 8601. */
  readonly receivedAt: string;
  /**
   * 1 for the first attempt. Attempts that ended with their process count too; those that asked for
   * a retry by a RetryLaterError don't.
   */
  readonly attempt: number;
  /** The headers that the receiver keeps, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Aborts when the attempt has no effect any more: its time limit passed, its lease was lost, or
   * the receiver closed before it ended. Statements in `tx` are rolled back then.
   */
  readonly signal: AbortSignal;
  /** How many earlier deliveries of the same resource are in quarantine, so were not handled. */
  readonly missing: number;
  /**
   * Runs statements in the transaction that records the delivery as handled, so that they take
   * effect exactly once. Its type is that of the inbox: for Postgres the driver's transaction, for
   * SQLite a function. `undefined` without a database.
   */
  readonly tx: Tx;
}

/**
 * Handles an event. The receiver awaits the result and drops it. If the handler throws or rejects,
 * the event was not handled and is handled again. A RetryLaterError chooses the time of the retry;
 * a QuarantineError asks for quarantine at once.
 */
export type Handler<Name extends EventName = EventName, Tx = unknown> = (
  event: KnownEvent<Name>,
  context: HandlerContext<Tx>,
) => unknown;

/** Handlers by the name of their event. */
export type Handlers<Tx = unknown> = { readonly [Name in EventName]?: Handler<Name, Tx> };

/** Handles an event whose name the contract does not know. */
export type Fallback<Tx = unknown> = (event: UnknownEvent, context: HandlerContext<Tx>) => unknown;

/** Finds the function that handles an event; undefined if there is none. */
type Lookup<Tx> = (
  event: FeedEvent,
) => ((event: FeedEvent, context: HandlerContext<Tx>) => unknown) | undefined;

/**
 * Registers handlers.
 *
 * @throws {TxfeedError} `usage` if a name is not an event of the contract or has two handlers, or
 * a handler is not a function.
 */
export function handlerLookup<Tx>(
  on: Handlers<Tx> | readonly Handlers<Tx>[],
  fallback?: Fallback<Tx>,
): Lookup<Tx> {
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
  return ({ name }) =>
    (name === "unknown" ? fallback : handlers.get(name)) as ReturnType<Lookup<Tx>>;
}

function isEventName(name: string): name is EventName {
  return (eventNames as readonly string[]).includes(name);
}

function refuseUnless(condition: boolean, problem: string): void {
  if (!condition) throw new UsageError(`createReceiver: ${problem}`);
}
