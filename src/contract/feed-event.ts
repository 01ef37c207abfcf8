import type { EventName, EventPayloads } from "../../generated/events.ts";

/** ENR-02: a deviation from this event's shape is only a notice, so its body has no type. */
export const EXPERIMENTAL = "enrichment.merchant.created";
type ExperimentalEvent = typeof EXPERIMENTAL;

/** The body of an event that passed validation. */
export type EventBody<Name extends EventName> = Name extends ExperimentalEvent
  ? unknown
  : EventPayloads[Name];

/** An event of the contract, with the body of that event. */
export type KnownEvent<Name extends EventName = EventName> = {
  [N in Name]: { readonly name: N; readonly body: EventBody<N> };
}[Name];

/** An event that is not in the contract, such as one of a later version of the interface. */
export interface UnknownEvent {
  readonly name: "unknown";
  /** The value of the header `webhook-event-type`. */
  readonly receivedName: string;
  readonly body: unknown;
}

/** Any event of the feed. `event.name` narrows `event.body`. */
export type FeedEvent = KnownEvent | UnknownEvent;
