import type { Exchange } from "../transport/exchange.ts";

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
    /** Path and query, below the path of the run's receiver. */
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    /** What came of it, cut short where it is huge. */
    readonly body: string;
  };
  /** What the header `webhook-event-type` says; empty where it is missing. */
  readonly name: string;
  /** Why its body is not all there; left out where it is. */
  readonly cut?: string;
  /**
   * Why the run's receiver refused it; left out where it did not. Nothing of its body is kept. Of
   * those that came when the receiver was full, only the first is recorded.
   */
  readonly refused?: "too large" | "full";
  /** The parsed body; undefined where it is not JSON. It is in no file: the body is. */
  readonly json?: unknown;
}

export function isDelivery(shown: Exchange | Delivery): shown is Delivery {
  return "receivedAt" in shown;
}
