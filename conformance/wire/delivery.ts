import type { Exchange } from "./exchange.ts";

/** A delivery as received by the run, without secrets. */
export interface Delivery {
  /** Its sequence number in the run's recording, starting at 1. */
  readonly nr: number;
  /** ISO 8601. */
  readonly receivedAt: string;
  /** When its response was sent. Concurrent deliveries have no order. */
  readonly answeredAt: string;
  readonly request: {
    readonly method: string;
    /** Path and query, below the path of the run's receiver. */
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    /** The body as received; truncated if it was aborted. */
    readonly body: string;
  };
  /** The `webhook-event-type` header; empty if missing. */
  readonly name: string;
  /** Why the body is incomplete; omitted if it is complete. */
  readonly cut?: string;
  /**
   * Why the run's receiver refused it; omitted if accepted. Its body is not kept. Only the first
   * delivery refused as `full` is recorded.
   */
  readonly refused?: "too large" | "full";
  /** The parsed body; undefined if it is not JSON. Files contain only the text. */
  readonly json?: unknown;
}

export function isDelivery(entry: Exchange | Delivery): entry is Delivery {
  return "receivedAt" in entry;
}
