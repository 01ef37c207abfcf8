import type { Exchange } from "../wire/exchange.ts";

/** A delivery as the run's receiver got it, secrets dropped. */
export interface Delivery {
  /** Its place among all that the run recorded, from 1. */
  readonly nr: number;
  /** ISO 8601. */
  readonly receivedAt: string;
  /** When it was answered. Two deliveries that were under way at once have no order. */
  readonly answeredAt: string;
  readonly request: {
    readonly method: string;
    /** Path and query, as they were called. */
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    /** What came of it, cut short where it is huge. */
    readonly body: string;
  };
  /** What the header `webhook-event-type` says; empty where it is missing. */
  readonly name: string;
  /** Why its body is not all there; left out where it is. */
  readonly cut?: string;
  /** The parsed body; undefined where it is not JSON. It is in no file: the body is. */
  readonly json?: unknown;
}

export function isDelivery(shown: Exchange | Delivery): shown is Delivery {
  return "receivedAt" in shown;
}
