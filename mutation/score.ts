import type { Mutation } from "./mutant.ts";
import type { Result } from "./task.ts";

/** What became of a fault: `idle` did nothing in the whole run, which is a defect of the kit. */
export type Outcome = "by name" | "otherwise" | "missed" | "idle";

/** A fault with what the suite made of it. */
export interface ScoredMutation {
  readonly mutation: Mutation;
  readonly outcome: Outcome;
  /** The requirements that failed or warned, the faulted one left out. */
  readonly others: readonly string[];
  readonly result: Result;
}

/** @param known what is found without a fault too, and says nothing of one */
export function score(
  fault: Mutation,
  result: Result,
  known: ReadonlySet<string> = new Set(),
): ScoredMutation {
  const failing = result.findings.map(({ id }) => id).filter((id) => !known.has(id));
  const others = failing.filter((id) => id !== fault.requirement);
  return { mutation: fault, others, result, outcome: outcomeOf(fault, failing, result) };
}

function outcomeOf(
  { requirement }: Mutation,
  failing: readonly string[],
  { fired }: Result,
): Outcome {
  if (fired === 0) return "idle";
  if (failing.includes(requirement)) return "by name";
  return failing.length > 0 ? "otherwise" : "missed";
}

/** How many of some faults came to what. */
export interface Tally {
  readonly mutations: number;
  readonly byName: number;
  readonly otherwise: number;
  readonly missed: number;
  readonly idle: number;
  /** Of those that were caught by name, how many fail nothing but their own requirement. */
  readonly alone: number;
}

export function tally(bitten: readonly ScoredMutation[]): Tally {
  const count = (outcome: Outcome) => bitten.filter((one) => one.outcome === outcome).length;
  const isAlone = ({ outcome, others }: ScoredMutation) =>
    outcome === "by name" && others.length === 0;
  return {
    mutations: bitten.length,
    byName: count("by name"),
    otherwise: count("otherwise"),
    missed: count("missed"),
    idle: count("idle"),
    alone: bitten.filter(isAlone).length,
  };
}

/** Whether a fault is in what is sent, or in what comes of what. */
export const isInSequences = ({ mutation: { deliveries, inside } }: ScoredMutation) =>
  (deliveries ?? inside) !== undefined;
