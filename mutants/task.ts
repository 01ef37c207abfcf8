import type { Trace } from "./scripts/player.ts";

/** A run for a worker: of the unmodified sandbox, or of a mutant. */
export type Task = { readonly nr: number; readonly part: "scripts" | "suite" } | MutantTask;

export interface MutantTask {
  readonly nr: number;
  readonly part: "mutant";
  /** Its number in the instrumented code. */
  readonly id: string;
  /** The scripts that reach it. */
  readonly scripts: readonly string[];
  /** The requirement groups that run before all others. Default: none. */
  readonly groups?: readonly string[] | undefined;
  /** Whether the suite reaches it. Otherwise the suite can't see it. */
  readonly isInSuite: boolean;
  /** Whether it is evaluated when its module is loaded, which happens once in a process. */
  readonly isStatic: boolean;
  /** How often it may be evaluated before the run counts as an endless loop. */
  readonly maxHits: number;
}

/** How many times each mutant was evaluated, by its number. */
export type Hits = Readonly<Record<string, number>>;

/** What the unmodified sandbox shows, which mutants are compared with. */
export interface Baseline {
  readonly traces: Readonly<Record<string, Trace>>;
  /** The verdict of the suite on each requirement and claim. */
  readonly verdicts: Readonly<Record<string, string>>;
  /** The evaluations while modules are loaded, in each script, and in the suite. */
  readonly staticHits: Hits;
  readonly scriptHits: Readonly<Record<string, Hits>>;
  readonly suiteHits: Hits;
}

/** The outcome of a mutant. */
export interface Verdict {
  /**
   * - `equivalent`: the scripts show no difference;
   * - `caught`: a requirement failed or warned;
   * - `undecided`: none did, but one that the suite decides without the mutant is not decided;
   * - `missed`: neither, although the scripts show a difference;
   * - `not started`: the sandbox does not start;
   * - `timed out`: a run took too long, or its process ended.
   */
  readonly outcome: "equivalent" | "caught" | "undecided" | "missed" | "not started" | "timed out";
  /** The requirements that failed or warned; of `undecided`, those that are not decided. */
  readonly requirements: readonly string[];
  /** The first cause that the suite reports. */
  readonly cause?: string;
  /** The first script that differs, the request or delivery, and how that differs. */
  readonly script?: string;
  readonly where?: string;
  readonly expected?: string;
  readonly actual?: string;
  /** Whether the requirement groups of the file were enough. */
  readonly isByGroups?: boolean;
  readonly durationMs: number;
}

/** The result of a task. */
export interface Result {
  readonly nr: number;
  readonly baseline?: Partial<Baseline>;
  readonly verdict?: Verdict;
  /** Whether the mutant has changed the process, so that it can't be used again. */
  readonly isSpent?: boolean;
  /** Why the unmodified sandbox could not run. */
  readonly error?: string;
}

/** Whether a verdict on a requirement or a claim decides less than another. */
export function isLess(verdict: string | undefined, other: string | undefined): boolean {
  const rank = (one: string | undefined) => ["partly", "passed"].indexOf(one ?? "");
  return rank(verdict) < rank(other);
}
