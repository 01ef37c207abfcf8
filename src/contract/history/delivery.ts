import type { Finding } from "../finding.ts";
import type { ContractOptions } from "../networks.ts";

/** A recorded delivery: one NDJSON line of a capture. */
export interface RecordedDelivery {
  readonly headers: { readonly "webhook-event-type": string };
  /** The parsed JSON body. */
  readonly body: unknown;
  /** The time of receipt, in ISO 8601. */
  readonly receivedAt?: string;
  /** The line in the capture. Default: the number of the delivery, from 1. */
  readonly line?: number;
}

/** The options of a history check. */
export interface HistoryOptions extends ContractOptions {
  /**
   * Whether the capture has every event of its resources, from the first one on, in the order of
   * sending. Otherwise a finding that a missing start or reordering could explain is a notice.
   */
  readonly complete?: boolean;
}

/** A finding, with the deliveries that it is about. */
export interface HistoryFinding extends Finding {
  /** The lines of these deliveries in the capture, from 1, in ascending order. */
  readonly lines: readonly number[];
}

/** The result of a history check. */
export interface HistoryReport {
  /** Whether there is no finding at error level. */
  readonly ok: boolean;
  readonly findings: readonly HistoryFinding[];
}
