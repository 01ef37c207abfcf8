import { requirementOf } from "../conformance/check.ts";
import { checks } from "../conformance/checks/index.ts";
import type { Mutation } from "./mutation.ts";
import type { Result } from "./task.ts";

/**
 * `by name`: the requirement that the mutation breaks failed. `otherwise`: only others did. `idle`:
 * the mutation changed nothing in the whole run, which is a defect of the mutation.
 */
type Outcome = "by name" | "otherwise" | "missed" | "idle";

/** The result of a mutation. */
export interface Score {
  readonly mutation: Mutation;
  readonly outcome: Outcome;
  /** The other requirements that failed or warned. */
  readonly others: readonly string[];
  /** Whether the report's first cause leads with the requirement that the mutation breaks. */
  readonly isFirstCause: boolean;
  /** The checks that must fail but did not. */
  readonly blind: readonly string[];
  readonly result: Result;
}

/** @param known Requirements that also fail without a mutation; they are ignored. */
export function score(
  mutation: Mutation,
  result: Result,
  known: ReadonlySet<string> = new Set(),
): Score {
  const failing = result.findings.map(({ id }) => id).filter((id) => !known.has(id));
  const others = failing.filter((id) => id !== mutation.requirement);
  const required = mutation.checks.flatMap(checksNamed);
  const blind = required.filter((name) => !result.failedChecks.includes(name));
  const isFirstCause = result.firstCause === mutation.requirement;
  const outcome = outcomeOf(mutation, failing, result);
  return { mutation, others, blind, isFirstCause, result, outcome };
}

/** Resolves an entry of `Mutation.checks` to check names: one, or all of a requirement. */
export function checksNamed(entry: string): readonly string[] {
  if (entry.includes(":")) return [entry];
  return checks
    .filter((check) => requirementOf(check) === entry)
    .map((check) => `${entry}: ${check.title}`);
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

/** The number of mutations by outcome. */
export interface Tally {
  readonly mutations: number;
  readonly byName: number;
  readonly otherwise: number;
  readonly missed: number;
  readonly idle: number;
  /** Mutations caught by name that failed no other requirement. */
  readonly byNameOnly: number;
  /** Mutations whose requirement leads the first likely cause of the report. */
  readonly firstCause: number;
  /** Mutations with a check that must fail but did not. */
  readonly blind: number;
}

export function tally(scores: readonly Score[]): Tally {
  const count = (outcome: Outcome) => scores.filter((one) => one.outcome === outcome).length;
  const isByNameOnly = ({ outcome, others }: Score) => outcome === "by name" && others.length === 0;
  return {
    mutations: scores.length,
    byName: count("by name"),
    otherwise: count("otherwise"),
    missed: count("missed"),
    idle: count("idle"),
    byNameOnly: scores.filter(isByNameOnly).length,
    firstCause: scores.filter(({ isFirstCause }) => isFirstCause).length,
    blind: scores.filter(({ blind }) => blind.length > 0).length,
  };
}

/** Whether a mutation changes deliveries or the sandbox's state, not only responses. */
export const isInSequences = ({ mutation: { deliveries, inside } }: Score) =>
  (deliveries ?? inside) !== undefined;
