import type { Finding } from "../contract/finding.ts";
import type { RecordedDelivery } from "../contract/history/delivery.ts";

/**
 * What became of a delivery:
 *
 * | outcome | meaning | answer |
 * |---|---|---|
 * | `handled` | its handler, or the fallback, is through | 204 |
 * | `ignored` | nobody has registered for the event | 204 |
 * | `duplicate` | the same delivery was handled, or queued, before | 204, 202 |
 * | `queued` | it is stored, to be handled from the queue | 202 |
 * | `requeued` | it was in the quarantine, and is due again with all its attempts | 202 |
 * | `refused` | it is no delivery: not POST, not JSON, no name, too large, broken off | 4xx |
 * | `unverified` | `verify` refused it | 401 |
 * | `invalid` | it breaks the contract | 422 |
 * | `failed` | its handler, `verify` or a store threw; it comes again | 500 |
 * | `busy` | the same delivery is being handled just now; it comes again | 503 |
 * | `quarantined` | it failed once too often, and stays in the queue's quarantine | |
 */
export type Outcome =
  | "handled"
  | "ignored"
  | "duplicate"
  | "queued"
  | "requeued"
  | "refused"
  | "unverified"
  | "invalid"
  | "failed"
  | "busy"
  | "quarantined";

/** What is told of a delivery when it is answered, and again each time the queue has tried it. */
export interface DeliveryReport {
  /** The event's name as it came; null for what was refused, or not verified, before its name. */
  readonly event: string | null;
  readonly outcome: Outcome;
  readonly durationMs: number;
  /**
   * Why it was `refused`, `unverified` or `invalid`: one line, such as `the header webhook-id is
   * missing`. It may quote headers, but no secret, no signature and nothing of the body.
   */
  readonly reason?: string;
  /** What was thrown; also beside `handled`, if it could not be stored that it was handled. */
  readonly error?: unknown;
}

/**
 * What a receiver tells its user. A hook can't change an answer: what it throws or rejects with is
 * dropped.
 */
export interface Hooks {
  /** Called with each warning and notice of a delivery that keeps the contract. */
  readonly onFinding?: (finding: Finding, delivery: RecordedDelivery) => unknown;
  /**
   * Called with what broke the contract, and why. It is awaited before the answer, so that what it
   * stores is stored.
   */
  readonly onQuarantine?: (delivery: RecordedDelivery, findings: readonly Finding[]) => unknown;
  /** Called with what became of each delivery, for metrics and logs. It has no body. */
  readonly onDelivery?: (report: DeliveryReport) => unknown;
}
