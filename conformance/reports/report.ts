import type { RequirementId } from "../../generated/requirements.ts";
import type { Finding, Level } from "../../src/contract/finding.ts";
import type { Profile } from "../capabilities.ts";
import type { Delivery } from "../deliveries/delivery.ts";
import type { Refusals } from "../deliveries/receiver.ts";
import type { Exchange } from "../transport/exchange.ts";

/**
 * What became of a requirement or of a check:
 * - `passed`: looked at, and it holds. A requirement passes only when each of its checks that this
 *   run could make did;
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
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
  /** How many requirements came to each verdict. */
  readonly summary: Readonly<Record<Verdict, number>>;
  /** How many checks looked, and at how many things in all. */
  readonly checks: number;
  readonly assertions: number;
  /** Why the run ended before its end; left out where it did not. */
  readonly brokenOff?: string;
  /** What the run's receiver refused; left out where it refused nothing. */
  readonly refusals?: Refusals;
  readonly requirements: readonly RequirementReport[];
  /** What does not hold, grouped by what is likely to be one fault of the target. */
  readonly causes: readonly Cause[];
  /** Faults of the suite itself. What they kept from being looked at is skipped. */
  readonly faults: readonly SuiteError[];
  /**
   * The exchanges and deliveries that findings name by `nr`, each once. Where their bodies are too
   * much for a report, the later ones are cut, which `cut` says.
   */
  readonly shown: readonly (Exchange | Delivery)[];
  /** What became of the known failures; left out where none were given. */
  readonly baseline?: BaselineReport;
}

export interface RequirementReport {
  readonly id: RequirementId;
  readonly verdict: Verdict;
  /** Why it is skipped or excluded. */
  readonly reason?: string;
  /** What would let a run decide it, with the flags of the command line. */
  readonly unskip?: string;
  /** The same with the options of the API; left out if it names no flag. */
  readonly unskipOptions?: string;
  readonly checks: readonly CheckReport[];
}

export interface CheckReport {
  readonly name: string;
  readonly verdict: Verdict;
  /** At how many things it looked; left out where it is skipped. */
  readonly assertions?: number;
  /** Why it is skipped. */
  readonly reason?: string;
  /** What would let it run, with the flags of the command line. */
  readonly unskip?: string;
  /** The same with the options of the API; left out if it names no flag. */
  readonly unskipOptions?: string;
  /** Of the first finding: what was expected. */
  readonly expected?: string;
  /** Of the first finding: what came. */
  readonly actual?: string;
  /**
   * A curl line that sends the first finding's request again; left out for a delivery, and for a
   * request that no shell takes.
   */
  readonly reproduce?: string;
  /** What does not hold. */
  readonly findings?: readonly EvidencedFinding[];
  /** How many findings more there were, for which the report has no room. */
  readonly findingsLeftOut?: number;
}

/** A finding with what shows it, by `nr` in the report's `shown`, what is concerned first. */
export interface EvidencedFinding extends Finding {
  readonly shownBy: readonly number[];
}

/** Findings that are likely to be one fault of the target. */
export interface Cause {
  /** What does not hold, and where, in one line. */
  readonly message: string;
  /** The worst of its findings'. */
  readonly level: Level;
  /** The requirements that it breaks, the one that names it best first. */
  readonly requirements: readonly RequirementId[];
  readonly findings: number;
  /**
   * Where it shows: operations and events with places in their bodies, whatever the index in an
   * array, such as `GET /cards /_embedded/cards/[]/last4`; that of the first finding first.
   */
  readonly places: readonly string[];
  /** Of the first finding: what was expected. */
  readonly expected?: string;
  /** Of the first finding: what came. */
  readonly actual?: string;
  /** What shows the first finding, by `nr`. */
  readonly shownBy: readonly number[];
}

export interface SuiteError {
  readonly requirement: RequirementId;
  readonly check: string;
  readonly message: string;
}

/** A known failure, and until when the run accepts it. */
export interface KnownFailure {
  readonly requirement: RequirementId;
  readonly reason: string;
  /** The last day, YYYY-MM-DD. */
  readonly expires: string;
}

/** The known failures by their state. */
export interface BaselineReport {
  /** They fail, as expected: they do not fail the run. */
  readonly known: readonly KnownFailure[];
  /** They pass: each fails the run until it is removed from the baseline. */
  readonly stale: readonly KnownFailure[];
  /** They fail after their last day: each fails the run. */
  readonly expired: readonly KnownFailure[];
  /** This run did not decide them: they neither fail it nor excuse a failure. */
  readonly undecided: readonly KnownFailure[];
}
