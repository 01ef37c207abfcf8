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
  changed: {
    type: "boolean",
    value: "[REV]",
    help: "run those of the requirement groups that changed since REV (default: main)",
  },
  shard: { type: "string", value: "N/M", help: "run part N of M equal parts" },
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
  /** A revision; selects the mutations of requirement groups changed since then. */
  readonly changed?: string | undefined;
  readonly shard?: Shard | undefined;
  readonly scripts: number;
  readonly processes: number;
  /** Whether to run the sequence faults instead of the mutations. */
  readonly sequences: boolean;
  readonly json?: string | undefined;
}

/** Shard `nr` of `of`, starting at 1. */
interface Shard {
  readonly nr: number;
  readonly of: number;
}

/** @throws {TxfeedError} `usage` if a value is invalid */
export function readOptions(args: readonly string[] = process.argv.slice(2)): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: FLAGS,
  });
  const [scripts, processes] = [Number(values.scripts), Number(values.processes)];
  if (!Number.isInteger(scripts) || scripts < 0)
    throw new UsageError("--scripts takes a whole number");
  if (!Number.isInteger(processes) || processes < 1)
    throw new UsageError("--processes takes 1 or more");
  const [revision, ...others] = positionals;
  if (others.length > 0 || (revision !== undefined && !values.changed)) {
    throw new UsageError(`unexpected argument ${positionals.at(-1)}`);
  }
  if (values.only !== undefined && values.changed)
    throw new UsageError("--only excludes --changed");
  const sequences = values.sequences === true;
  if (sequences && values.changed) throw new UsageError("--sequences excludes --changed");
  return {
    ...{ only: values.only, sequences, json: values.json, scripts, processes },
    changed: values.changed ? (revision ?? "main") : undefined,
    shard: values.shard === undefined ? undefined : shardOf(values.shard),
  };
}

function shardOf(text: string): Shard {
  const [, nr, of] = /^(\d+)\/(\d+)$/.exec(text)?.map(Number) ?? [];
  if (!nr || !of || nr > of) throw new UsageError(`--shard takes a part such as 1/4; got ${text}`);
  return { nr, of };
}
