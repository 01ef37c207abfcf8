import type { EventName, EventPayloads } from "../../generated/events.ts";

/** ENR-02: what departs from the shape of these is a notice, so their bodies are never sure. */
export const EXPERIMENTAL = "enrichment.merchant.created";
export type ExperimentalEvent = typeof EXPERIMENTAL;

/** The body of an event that was found to keep the contract. */
export type EventBody<Name extends EventName> = Name extends ExperimentalEvent
  ? unknown
  : EventPayloads[Name];

/** An event that the contract names, with the body that goes with the name. */
export type KnownEvent<Name extends EventName = EventName> = {
  [N in Name]: { readonly name: N; readonly body: EventBody<N> };
}[Name];

/** An event whose name the contract does not know: a later version of the interface sent it. */
export interface UnknownEvent {
  readonly name: "unknown";
  /** What the header `webhook-event-type` says. */
  readonly receivedName: string;
  readonly body: unknown;
}

/** Any event of the feed; `event.name` tells which, and narrows `event.body`. */
export type FeedEvent = KnownEvent | UnknownEvent;
