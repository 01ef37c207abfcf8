import type { Finding } from "../contract/finding.ts";
import type { RecordedDelivery } from "../contract/history/delivery.ts";

/**
 * The outcome of a delivery:
 *
 * | outcome | meaning | response |
 * |---|---|---|
 * | `handled` | its handler, or the fallback, completed | 204 |
 * | `ignored` | no handler is registered for the event | 204 |
 * | `duplicate` | the same delivery was handled, or stored, before | 204, 202 |
 * | `stored` | it is stored in the inbox | 202 |
 * | `replayed` | it was in quarantine, and is due again with all its attempts | 202 |
 * | `refused` | not a delivery: not POST, not JSON, no event name, too large, incomplete | 4xx |
 * | `unverified` | `verify` refused it | 401 |
 * | `invalid` | it breaks the contract | 422 |
 * | `failed` | its handler, `verify` or the inbox threw; it is retried | 500 |
 * | `postponed` | its handler threw a RetryLaterError; it is retried | 503 |
 * | `busy` | its resource is being handled, or too many wait; the sender retries | 503 |
 * | `quarantined` | it used up its attempts, or its handler threw a QuarantineError | 422 |
 */
export type Outcome =
  | "handled"
  | "ignored"
  | "duplicate"
  | "stored"
  | "replayed"
  | "refused"
  | "unverified"
  | "invalid"
  | "failed"
  | "postponed"
  | "busy"
  | "quarantined";

/** The result of a delivery. Reported with its response, and after each attempt of the worker. */
export interface DeliveryReport {
  /** The event's name; null if the delivery was refused before its name was read. */
  readonly event: string | null;
  readonly outcome: Outcome;
  readonly durationMs: number;
  /**
   * Why it was `refused`, `unverified` or `invalid`: one line, such as `the header webhook-id is
   * missing`. It may quote headers, but never a secret, a signature or the body.
   */
  readonly reason?: string;
  /** The error that was thrown. */
  readonly error?: unknown;
}

/** Callbacks for logs and metrics. Errors of a hook are ignored: they never change a response. */
export interface Hooks {
  /** Called with each warning and notice about a valid delivery. */
  readonly onFinding?: (finding: Finding, delivery: RecordedDelivery) => unknown;
  /**
   * Called with a delivery that breaks the contract. The receiver neither stores nor handles it. It
   * awaits the hook before it responds, so the hook can store the delivery. The hook is also called
   * with a stored delivery that a later version of the contract rejects; that one goes to
   * quarantine. `onDelivery` reports every delivery that goes to quarantine.
   */
  readonly onInvalid?: (delivery: RecordedDelivery, findings: readonly Finding[]) => unknown;
  /** Called with a report on each delivery, without its body. */
  readonly onDelivery?: (report: DeliveryReport) => unknown;
}

const DONE = Promise.resolve();

/** Wraps a hook so that it never throws or rejects: its errors must not fail the delivery. */
export function ignoreErrors<Args extends unknown[]>(
  call: ((...args: Args) => unknown) | undefined,
): (...args: Args) => Promise<void> {
  if (!call) return () => DONE;
  return async (...args) => {
    try {
      await call(...args);
    } catch {
      // The package logs nothing by itself.
    }
  };
}
