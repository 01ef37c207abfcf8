import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { readPositiveInteger } from "../scripts/run-script.ts";
import { UsageError } from "../src/errors.ts";
import { type Classified, classOf } from "./classified.ts";
import type { Mutant } from "./instrument.ts";

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
  processes: {
    type: "string",
    value: "N",
    help: "number of concurrent processes (default: 1)",
    default: "1",
  },
  fresh: { type: "boolean", help: "ignore the results of earlier runs" },
  results: {
    type: "string",
    value: "FILE",
    help: "where results are kept, to continue a run",
    // An ignored folder, so that the work tree stays clean.
    default: "node_modules/.cache/mutants/results.ndjson",
  },
  json: { type: "string", value: "FILE", help: "write the results to FILE" },
} as const;

/** @throws {TxfeedError} `usage` if a value is invalid */
export function readOptions(args: readonly string[] = process.argv.slice(2)) {
  const { values } = parseArgs({ args: [...args], options: FLAGS });
  const { sample, shard } = values;
  const [, nr, of] = /^(\d+)\/(\d+)$/.exec(shard ?? "1/1")?.map(Number) ?? [];
  if (!nr || !of || nr > of) throw new UsageError(`--shard takes a part such as 1/4; got ${shard}`);
  return {
    ...values,
    shard: { nr, of },
    sample: sample === undefined ? undefined : readPositiveInteger("--sample", sample),
    seed: readPositiveInteger("--seed", values.seed),
    processes: readPositiveInteger("--processes", values.processes),
  };
}

/** The mutants that the options select: first by `only`, then a sample, then a shard. */
export function selectMutants(
  all: readonly Mutant[],
  options: Pick<ReturnType<typeof readOptions>, "only" | "sample" | "seed" | "shard">,
  classified: Classified,
): readonly Mutant[] {
  const { only, sample, seed, shard } = options;
  const selected = all.filter(
    ({ key }) =>
      !only || only.some((one) => key.startsWith(one) || classOf(classified, key) === one),
  );
  const drawn = sample === undefined ? selected : drawMutants(selected, sample, seed);
  return drawn.filter((_, at) => at % shard.of === shard.nr - 1);
}

/** Draws mutants by the hashes of their keys: another state of the code has almost the same. */
export function drawMutants(all: readonly Mutant[], count: number, seed: number): Mutant[] {
  const rank = (key: string) => createHash("sha256").update(`${seed} ${key}`).digest("hex");
  return all
    .map((mutant) => ({ mutant, rank: rank(mutant.key) }))
    .toSorted((one, other) => (one.rank < other.rank ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}
