import type { RequirementId } from "../../generated/requirements.ts";

/** A failure that is known, and until when it is put up with. */
export interface KnownFailure {
  readonly requirement: RequirementId;
  readonly reason: string;
  /** The last day, YYYY-MM-DD. */
  readonly expires: string;
}

/** What became of the known failures. */
export interface BaselineReport {
  /** They fail, as is known: they do not fail the run. */
  readonly known: readonly KnownFailure[];
  /** They pass: each fails the run until it is taken out. */
  readonly stale: readonly KnownFailure[];
  /** Their day is over: each fails the run. */
  readonly expired: readonly KnownFailure[];
}
