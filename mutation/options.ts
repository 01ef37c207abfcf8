import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { UsageError } from "../src/errors.ts";

/** The flags of `npm run mutation`. */
export const FLAGS = {
  only: {
    type: "string",
    value: "ID,...",
    help: "run the mutations of these ids, prefixes of ids or requirements",
  },
  live: {
    type: "boolean",
    help: "run all groups of checks live with each mutation, instead of replaying a recorded run",
  },
  scripts: {
    type: "string",
    value: "N",
    help: "number of random scripts for the unmodified sandbox (default: 200)",
    default: "200",
  },
  processes: {
    type: "string",
    value: "N",
    help: "number of concurrent processes (default: one for each core)",
    default: String(availableParallelism()),
  },
  sequences: {
    type: "boolean",
    help: "explore the sandbox with bugs that show only after a sequence of steps",
  },
  json: { type: "string", value: "FILE", help: "write the results to FILE" },
} as const;

/** The options of a mutation run. */
export interface Options {
  /** Comma-separated ids, id prefixes or requirements. */
  readonly only?: string | undefined;
  /** Whether each mutation runs live, with all groups of checks. */
  readonly live: boolean;
  readonly scripts: number;
  readonly processes: number;
  /** Whether to run the sequence faults instead of the mutations. */
  readonly sequences: boolean;
  readonly json?: string | undefined;
}

/** @throws {TxfeedError} `usage` if a value is invalid */
export function readOptions(args: readonly string[] = process.argv.slice(2)): Options {
  const { values } = parseArgs({ args: [...args], options: FLAGS });
  const [scripts, processes] = [Number(values.scripts), Number(values.processes)];
  if (!Number.isInteger(scripts) || scripts < 0)
    throw new UsageError("--scripts takes a whole number");
  if (!Number.isInteger(processes) || processes < 1)
    throw new UsageError("--processes takes 1 or more");
  const { live = false, sequences = false, only, json } = values;
  return { only, live, sequences, json, scripts, processes };
}

/** Whether the options select something: all, or by its id, the start of its id or requirement. */
export function isChosen(
  { id, requirement }: { readonly id: string; readonly requirement: string },
  { only }: Pick<Options, "only">,
): boolean {
  const wanted = only?.split(",") ?? [""];
  return wanted.some(
    (one) => one === "" || one === id || id.startsWith(`${one}/`) || one === requirement,
  );
}
