import type { WorldName } from "../src/sandbox/index.ts";

/** What a worker is to try. */
export interface Task {
  readonly nr: number;
  /** None for the sandbox as it is. */
  readonly mutationId?: string;
  readonly world?: WorldName;
  readonly scripts?: { readonly count: number; readonly seed: number };
}

/** A requirement that a run says does not hold, with the first check that says so. */
export interface TrialFinding {
  readonly id: string;
  readonly check: string;
  readonly expected: string;
  readonly actual: string;
}

/** What came of it. */
export interface Result {
  readonly nr: number;
  /** Failed and warned. */
  readonly findings: readonly TrialFinding[];
  /** How often the fault did something otherwise than the sandbox. */
  readonly fired: number;
  /** What is wrong with the run itself, a line each. */
  readonly errors: readonly string[];
  readonly summary?: Readonly<Record<string, number>>;
  readonly checks?: number;
  readonly assertions?: number;
  readonly durationMs: number;
}
