import type { Finding } from "../finding.ts";
import type { ContractOptions } from "../networks.ts";

/** A delivery as a capture records it, a line of NDJSON each. */
export interface RecordedDelivery {
  readonly headers: { readonly "webhook-event-type": string };
  /** The parsed JSON body. */
  readonly body: unknown;
  /** When it came; ISO 8601. */
  readonly receivedAt?: string;
  /** Its line in the capture; where it is not given, deliveries are counted from 1. */
  readonly line?: number;
}

/** What a history is judged by. */
export interface HistoryOptions extends ContractOptions {
  /**
   * Whether the capture begins before the first event of everything in it, has every event, and
   * has them in the order in which they were sent. Without it, what a missing beginning or an
   * overtaking delivery can excuse is a notice.
   */
  readonly complete?: boolean;
}

/** A finding with the deliveries concerned. */
export interface HistoryFinding extends Finding {
  /** The lines of the capture concerned, counted from 1, in ascending order. */
  readonly lines: readonly number[];
}

/** What was found of a history. */
export interface HistoryReport {
  /** Whether nothing was found at error level. */
  readonly ok: boolean;
  readonly findings: readonly HistoryFinding[];
}
