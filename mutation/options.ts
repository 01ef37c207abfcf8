import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { readPositiveInteger } from "../scripts/run-script.ts";
import { UsageError } from "../src/errors.ts";
import type { Fault } from "./score.ts";

/** The flags of `npm run mutation` and `npm run mutants`. */
export const FLAGS = {
  only: {
    type: "string",
    multiple: true,
    value: "ID,...",
    help: "run the bugs of ids, starts of ids, requirements, or a class such as gap",
  },
  sample: { type: "string", value: "N", help: "run N bugs, chosen by the seed" },
  seed: { type: "string", value: "N", help: "seed of the sample (default: 1)", default: "1" },
  shard: { type: "string", value: "N/M", help: "run part N of M equal parts" },
  live: {
    type: "boolean",
    help: "run all groups of checks live with each bug, instead of replaying a recorded run",
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
  mutants: {
    type: "boolean",
    help: "change the sandbox's code in every small way that Stryker knows",
  },
  json: { type: "string", value: "FILE", help: "write the results to FILE" },
} as const;

/** The options of a run. */
export type Options = ReturnType<typeof readOptions>;

/** @throws {TxfeedError} `usage` if a value is invalid */
export function readOptions(args: readonly string[] = process.argv.slice(2)) {
  const { values } = parseArgs({ args: [...args], options: FLAGS });
  const { sample, shard, sequences, mutants, live = false, json } = values;
  // The id of a mutant is code: it has spaces, and may have commas.
  const only = values.only?.flatMap((one) => (one.includes(" ") ? one : one.split(",")));
  const scripts = Number(values.scripts);
  if (!Number.isInteger(scripts) || scripts < 0)
    throw new UsageError("--scripts takes a whole number");
  if (sequences && mutants) throw new UsageError("--sequences and --mutants exclude each other");
  const [, nr, of] = /^(\d+)\/(\d+)$/.exec(shard ?? "1/1")?.map(Number) ?? [];
  if (!nr || !of || nr > of) throw new UsageError(`--shard takes a part such as 1/4; got ${shard}`);
  return {
    ...{ only, json, live, scripts, shard: { nr, of } },
    kind: sequences ? "sequences" : mutants ? "mutants" : ("bugs" as const),
    sample: sample === undefined ? undefined : readPositiveInteger("--sample", sample),
    seed: readPositiveInteger("--seed", values.seed),
    processes: readPositiveInteger("--processes", values.processes),
  } as const;
}

/** The faults that the options select: first by `only`, then a sample, then a shard. */
export function select<T extends Pick<Fault, "id" | "breaks" | "missedAs">>(
  all: readonly T[],
  { only = [""], sample, seed, shard }: Pick<Options, "only" | "sample" | "seed" | "shard">,
): readonly T[] {
  const selected = all.filter((fault) => only.some((one) => isMeant(fault, one)));
  const drawn = sample === undefined ? selected : draw(selected, sample, seed);
  return drawn.filter((_, at) => at % shard.of === shard.nr - 1);
}

function isMeant({ id, breaks, missedAs }: Pick<Fault, "id" | "breaks" | "missedAs">, one: string) {
  if (one === "" || one === id || one === missedAs || breaks.includes(one)) return true;
  // A start is a whole folder, file or group: `page` selects `page/x`, but not `page-x/y`.
  return id.startsWith(one) && [" ", "/"].includes(id[one.length] ?? "");
}

/** Draws faults by the hashes of their ids: another state of the code has almost the same. */
export function draw<T extends { readonly id: string }>(
  all: readonly T[],
  count: number,
  seed: number,
): readonly T[] {
  const rank = ({ id }: T) => createHash("sha256").update(`${seed} ${id}`).digest("hex");
  return all
    .map((one) => ({ one, rank: rank(one) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)
    .map(({ one }) => one);
}
