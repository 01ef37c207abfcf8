import type { RequirementId } from "../generated/requirements.ts";
import type { Finding } from "../src/contract/finding.ts";
import type { RecordedRequest, RecordedResponse } from "./exchange.ts";
import type { Profile } from "./session.ts";

/**
 * What became of a requirement or of a check:
 * - `passed`: looked at, and it holds. A requirement passes only when each of its checks does;
 * - `failed`: looked at, and it does not hold;
 * - `warned`: the same of a requirement that is derived from the interface rather than stated in
 *   it;
 * - `skipped`: not decided in this run, with the reason;
 * - `excluded`: no run decides it, with the reason.
 */
export type Verdict = "passed" | "failed" | "warned" | "skipped" | "excluded";

/** A conformance run: every requirement of the catalogue stands in it, whatever became of it. */
export interface Report {
  readonly target: string;
  readonly profile: Profile;
  readonly durationMs: number;
  /** How many requirements came to each verdict. */
  readonly summary: Readonly<Record<Verdict, number>>;
  readonly requirements: readonly RequirementReport[];
}

export interface RequirementReport {
  readonly id: RequirementId;
  readonly verdict: Verdict;
  /** Why it is skipped or excluded. */
  readonly reason?: string;
  readonly checks: readonly CheckReport[];
}

export interface CheckReport {
  readonly name: string;
  readonly verdict: Verdict;
  /** Why it is skipped. */
  readonly reason?: string;
  /** Of the first finding: what was expected. */
  readonly expected?: string;
  /** Of the first finding: what came. */
  readonly actual?: string;
  /** A curl line that sends the first finding's request again. */
  readonly reproduce?: string;
  /** What does not hold, each with the exchange that shows it. */
  readonly findings?: readonly EvidencedFinding[];
}

/** A finding with the request and the answer that it was found in, secrets dropped. */
export interface EvidencedFinding extends Finding {
  readonly request: RecordedRequest;
  readonly response?: RecordedResponse;
}
