import type { Fault } from "../../test/conformance/teeth/layer.ts";
import type { Result } from "./task.ts";

/** What became of a fault: `idle` did nothing in the whole run, which is a defect of the kit. */
export type Outcome = "by name" | "otherwise" | "missed" | "idle";

/** A fault with what the suite made of it. */
export interface Bitten {
  readonly fault: Fault;
  readonly outcome: Outcome;
  /** The requirements that failed or warned, the faulted one left out. */
  readonly others: readonly string[];
  readonly result: Result;
}

/** @param known what is found without a fault too, and says nothing of one */
export function bite(fault: Fault, result: Result, known: ReadonlySet<string> = new Set()): Bitten {
  const failing = result.findings.map(({ id }) => id).filter((id) => !known.has(id));
  const others = failing.filter((id) => id !== fault.requirement);
  return { fault, others, result, outcome: outcomeOf(fault, failing, result) };
}

function outcomeOf({ requirement }: Fault, failing: readonly string[], { fired }: Result): Outcome {
  if (fired === 0) return "idle";
  if (failing.includes(requirement)) return "by name";
  return failing.length > 0 ? "otherwise" : "missed";
}

/** How many of some faults came to what. */
export interface Tally {
  readonly faults: number;
  readonly byName: number;
  readonly otherwise: number;
  readonly missed: number;
  readonly idle: number;
  /** Of those that were caught by name, how many fail nothing but their own requirement. */
  readonly alone: number;
}

export function tally(bitten: readonly Bitten[]): Tally {
  const count = (outcome: Outcome) => bitten.filter((one) => one.outcome === outcome).length;
  const isAlone = ({ outcome, others }: Bitten) => outcome === "by name" && others.length === 0;
  return {
    faults: bitten.length,
    byName: count("by name"),
    otherwise: count("otherwise"),
    missed: count("missed"),
    idle: count("idle"),
    alone: bitten.filter(isAlone).length,
  };
}

/** Whether a fault is in what is sent, or in what comes of what. */
export const isInSequences = ({ fault: { deliveries, inside } }: Bitten) =>
  (deliveries ?? inside) !== undefined;
