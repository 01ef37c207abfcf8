import type { ClaimId, RequirementId } from "../generated/requirements.ts";

/** A bug that the suite must catch: a mutation, a sequence fault or a mutant. */
export interface Fault {
  readonly id: string;
  /** The claims that must fail. */
  readonly claims: readonly ClaimId[];
  /** The requirement that it breaks. */
  readonly requirement: RequirementId;
}

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
}

/**
 * `by name`: the requirement that the fault breaks failed. `otherwise`: only others did. `idle`:
 * the fault changed nothing in the whole run, which is a defect of the fault.
 */
type Outcome = "by name" | "otherwise" | "missed" | "idle";

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

export function score({ claims, requirement }: Fault, observed: Observed): Score {
  const { failedClaims, failed, firstCause, fired } = observed;
  const caught = failed.includes(requirement) ? "by name" : "otherwise";
  return {
    outcome: fired === 0 ? "idle" : failed.length === 0 ? "missed" : caught,
    others: failed.filter((id) => id !== requirement),
    isFirstCause: firstCause === undefined ? undefined : firstCause === requirement,
    blind: claims.filter((id) => !failedClaims.includes(id)),
  };
}

/** The number of faults by outcome. */
export interface Tally {
  readonly faults: number;
  readonly byName: number;
  readonly otherwise: number;
  readonly missed: number;
  readonly idle: number;
  /** Faults with a claim that must fail but did not. */
  readonly blind: number;
  /** Faults whose first cause is known, and those of them where it is right. */
  readonly explained: number;
  readonly firstCause: number;
}

export function tally(scores: readonly Score[]): Tally {
  const count = (is: (one: Score) => boolean) => scores.filter(is).length;
  const having = (outcome: Outcome) => count((one) => one.outcome === outcome);
  return {
    faults: scores.length,
    byName: having("by name"),
    otherwise: having("otherwise"),
    missed: having("missed"),
    idle: having("idle"),
    blind: count(({ blind }) => blind.length > 0),
    explained: count(({ isFirstCause }) => isFirstCause !== undefined),
    firstCause: count(({ isFirstCause }) => isFirstCause === true),
  };
}

/** The least shares: of all faults by name, and of the explained ones with the right cause. */
const LEAST = { byName: 0.95, firstCause: 0.9 };

/**
 * Whether the suite is good enough: it caught every fault by each of its claims, and nearly all by
 * name and with the right first cause.
 *
 * @param isSelection Whether only some faults were tried. Then their shares mean nothing.
 */
export function isPassing(scores: readonly Score[], isSelection = false): boolean {
  const { faults, byName, missed, idle, blind, explained, firstCause } = tally(scores);
  if (missed + idle + blind > 0) return false;
  const isNamed = byName >= LEAST.byName * faults;
  return isSelection || (isNamed && firstCause >= LEAST.firstCause * explained);
}
