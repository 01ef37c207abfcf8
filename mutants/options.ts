import { parseArgs } from "node:util";
import { UsageError } from "../src/errors.ts";

/** The flags of `npm run mutants`. */
export const FLAGS = {
  only: {
    type: "string",
    multiple: true,
    value: "START",
    help: "run the mutants of a file or a folder, one mutant, or a class such as gap",
  },
  sample: { type: "string", value: "N", help: "run N mutants, chosen by the seed" },
  seed: { type: "string", value: "N", help: "seed of the sample (default: 1)", default: "1" },
  shard: { type: "string", value: "N/M", help: "run part N of M equal parts" },
  concurrency: {
    type: "string",
    value: "N",
    help: "number of concurrent processes (default: 1)",
    default: "1",
  },
  fresh: { type: "boolean", help: "ignore the results of earlier runs" },
  results: { type: "string", value: "FILE", help: "where results are kept, to continue a run" },
  json: { type: "string", value: "FILE", help: "write the results to FILE" },
} as const;

/** The options of a run. */
export interface Options {
  /** Beginnings of keys, or classes. */
  readonly only?: readonly string[] | undefined;
  readonly sample?: number | undefined;
  readonly seed: number;
  readonly shard?: { readonly nr: number; readonly of: number } | undefined;
  readonly concurrency: number;
  readonly fresh: boolean;
  readonly results: string;
  readonly json?: string | undefined;
}

/** The default file of results: an ignored folder, so that the work tree stays clean. */
const RESULTS = "node_modules/.cache/mutants/results.ndjson";

/** @throws {TxfeedError} `usage` if a value is invalid */
export function readOptions(args: readonly string[] = process.argv.slice(2)): Options {
  const { values } = parseArgs({ args: [...args], options: FLAGS });
  const { only, fresh = false, results = RESULTS, json } = values;
  return {
    ...{ only, fresh, results, json },
    sample: values.sample === undefined ? undefined : atLeast(1, "--sample", values.sample),
    seed: atLeast(0, "--seed", values.seed),
    shard: values.shard === undefined ? undefined : shardOf(values.shard),
    concurrency: atLeast(1, "--concurrency", values.concurrency),
  };
}

function atLeast(least: number, flag: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isInteger(value) && value >= least) return value;
  throw new UsageError(`${flag} takes an integer >= ${least}; got ${text}`);
}

function shardOf(text: string): { nr: number; of: number } {
  const [, nr, of] = /^(\d+)\/(\d+)$/.exec(text)?.map(Number) ?? [];
  if (!nr || !of || nr > of) throw new UsageError(`--shard takes a part such as 1/4; got ${text}`);
  return { nr, of };
}
