import type { ClaimId } from "../generated/requirements.ts";
import type { WorldName } from "../src/sandbox/index.ts";

/** One run for a worker. */
export interface Task {
  readonly nr: number;
  /** Undefined for the unmodified sandbox. */
  readonly mutationId?: string;
  readonly world?: WorldName;
  readonly scripts?: { readonly count: number; readonly seed: number };
}

/** A requirement that failed or warned, with the first such check. */
interface TrialFinding {
  readonly id: string;
  readonly check: string;
  readonly expected: string;
  readonly actual: string;
}

/** The result of one run. */
export interface Result {
  readonly nr: number;
  readonly findings: readonly TrialFinding[];
  /** Every check that failed or warned, as `PAGE-01: a title`. */
  readonly failedChecks: readonly string[];
  /** Every claim that failed or warned. */
  readonly failedClaims: readonly ClaimId[];
  /** The requirement that leads the first likely cause of the report; omitted without a finding. */
  readonly firstCause?: string;
  /** How many times the mutation took effect. */
  readonly fired: number;
  /** Errors of the run itself, one line each. */
  readonly errors: readonly string[];
  readonly summary?: Readonly<Record<string, number>>;
  readonly checks?: number;
  readonly assertions?: number;
  readonly durationMs: number;
}
