import type { Trace } from "../mutants/scripts/player.ts";
import type { Observed } from "./score.ts";

/** How many times each mutant was evaluated, by its number. */
export type Hits = Readonly<Record<string, number>>;

/** What the unmodified sandbox shows, which mutants are compared with. */
export interface Baseline {
  readonly traces: Record<string, Trace>;
  /** The verdict of the suite on each requirement and claim. */
  readonly verdicts: Readonly<Record<string, string>>;
  /** The evaluations while modules are loaded, in each script, and in the suite. */
  readonly staticHits: Hits;
  readonly scriptHits: Readonly<Record<string, Hits>>;
  readonly suiteHits: Hits;
}

/** The result of one run. */
export interface Result extends Observed {
  readonly nr: number;
  /** How it was tried, such as `replayed`. */
  readonly way?: string;
  /** The first finding of each requirement that failed or warned. */
  readonly findings: readonly string[];
  /** Errors of the run itself, one line each. */
  readonly errors: readonly string[];
  /** What a missed fault changes, a line each. */
  readonly difference?: readonly string[];
  /** What it did, such as `364 claims`. */
  readonly volume: string;
  readonly durationMs: number;
  /** What the unmodified sandbox shows. */
  readonly baseline?: Partial<Baseline>;
  /** Whether the task has changed its process, so that it can't be used again. */
  readonly isSpent?: boolean;
  /** Whether the task has to run again, in a process of its own. */
  readonly isVoid?: boolean;
}

/** What a task found; its worker adds the rest. */
export type Found = Omit<Result, "nr" | "durationMs">;

/** A result without anything that was found. */
export const NOTHING = {
  ...{ failedClaims: [], failed: [], fired: 0, findings: [], errors: [], volume: "nothing" },
} satisfies Found;
