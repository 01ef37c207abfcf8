import type { ClaimId } from "../generated/requirements.ts";
import type { Trace } from "../mutants/scripts/player.ts";

/** A bug that the suite must catch: of `mutations/`, of a sequence, or a generated mutant. */
export interface Fault {
  readonly id: string;
  /** The claims that must fail. */
  readonly claims: readonly ClaimId[];
  /** The requirements that it breaks; of a mutant, the groups that its file touches. */
  readonly breaks: readonly string[];
  /** What totals are counted for: a requirement group, or a folder. */
  readonly group: string;
  readonly description?: string;
  /**
   * Why a missed mutant need not be caught, or that it should:
   * - `open`: the interface leaves open what the mutant changes;
   * - `control`: it changes only the sandbox's own API, or what only that API shows;
   * - `gap`: a check is missing.
   */
  readonly missedAs?: MissedAs | undefined;
}

export type MissedAs = "open" | "control" | "gap";

/** What the suite found in a run with a fault. */
export interface Observed {
  /** Every claim that failed or warned. */
  readonly failedClaims: readonly string[];
  /** Every requirement that failed or warned. */
  readonly failed: readonly string[];
  /** The requirement that leads the first likely cause, if all groups of checks ran. */
  readonly firstCause?: string | undefined;
  /** How many times the fault took effect. */
  readonly fired: number;
  /** How many steps the script has that shows it, after its opening. */
  readonly steps?: number;
  /**
   * The outcome, if it does not follow from what failed:
   * - `equivalent`: the scripts show no difference;
   * - `undecided`: nothing failed, but something is not decided that is without the mutant;
   * - `not started`: the sandbox does not start;
   * - `timed out`: a run took too long, or its process ended.
   */
  readonly outcome?: "equivalent" | "undecided" | "not started" | "timed out" | undefined;
}

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

/**
 * `by name`: a requirement that the fault breaks failed, and a script that shows it is short.
 * `otherwise`: only others did. `idle`: the fault changed nothing in the whole run, which is a
 * defect of the fault.
 */
type Outcome =
  | "by name"
  | "otherwise"
  | "missed"
  | "idle"
  | MissedAs
  | NonNullable<Observed["outcome"]>;

/** The most steps of a short script. */
const SHORT = 5;

/** The score of a fault. */
export interface Score {
  readonly outcome: Outcome;
  /** The other requirements that failed or warned. */
  readonly others: readonly string[];
  /** Whether the report's first cause leads with its requirement; undefined if that is unknown. */
  readonly isFirstCause: boolean | undefined;
  /** The claims that must fail but did not. */
  readonly blind: readonly ClaimId[];
}

export function score({ claims, breaks, missedAs }: Fault, observed: Observed): Score {
  const { failedClaims, failed, firstCause, fired, steps = 0 } = observed;
  const isBroken = (id: string) => breaks.includes(id) || breaks.includes(id.split("-")[0] ?? "");
  const caught = failed.some(isBroken) && steps <= SHORT ? "by name" : "otherwise";
  const found = fired === 0 ? "idle" : failed.length === 0 ? (missedAs ?? "missed") : caught;
  return {
    outcome: observed.outcome ?? found,
    others: failed.filter((id) => !isBroken(id)),
    isFirstCause: firstCause === undefined ? undefined : isBroken(firstCause),
    blind: claims.filter((id) => !failedClaims.includes(id)),
  };
}

/** The number of faults by outcome. */
export interface Tally {
  readonly faults: number;
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>;
  /** The faults that show, and that the suite need not miss. */
  readonly visible: number;
  readonly caught: number;
  readonly byName: number;
  /** Faults with a claim that must fail but did not. */
  readonly blind: number;
  /** Faults whose first cause is known, and those of them where it is right. */
  readonly explained: number;
  readonly firstCause: number;
}

export function tally(scores: readonly Score[]): Tally {
  const groups = [...Map.groupBy(scores, ({ outcome }) => outcome)];
  const of = (...wanted: readonly Outcome[]) =>
    scores.filter(({ outcome }) => wanted.includes(outcome)).length;
  return {
    faults: scores.length,
    outcomes: Object.fromEntries(groups.map(([outcome, some]) => [outcome, some.length])),
    visible: scores.length - of("equivalent", "not started", "timed out"),
    caught: of("by name", "otherwise", "undecided"),
    byName: of("by name"),
    blind: scores.filter(({ blind }) => blind.length > 0).length,
    explained: scores.filter(({ isFirstCause }) => isFirstCause !== undefined).length,
    firstCause: scores.filter(({ isFirstCause }) => isFirstCause === true).length,
  };
}

/** The least shares: caught faults, those by name, and explained ones with the right cause. */
export const LEAST = { caught: 1, byName: 0.95, firstCause: 0.9 };

/**
 * Whether the suite is good enough: it caught enough faults, by each of their claims, by name, and
 * with the right first cause.
 *
 * @param least The least shares. Default: all caught, because other shares of a selection mean
 * nothing.
 */
export function isPassing(
  scores: readonly Score[],
  least: typeof LEAST = { caught: 1, byName: 0, firstCause: 0 },
): boolean {
  const { faults, outcomes, byName, blind, explained, firstCause } = tally(scores);
  const { missed = 0, idle = 0, gap = 0 } = outcomes;
  if (missed + idle + gap > (1 - least.caught) * faults || blind > 0) return false;
  return byName >= least.byName * faults && firstCause >= least.firstCause * explained;
}
