import { groupsOf, mutatedFiles, ROOT } from "../mutants/files.ts";
import { instrument } from "../mutants/instrument.ts";
import { classOf, planMutants, readClassified, staleEntries, TIMEOUT_MS } from "../mutants/plan.ts";
import type { Mutation } from "./mutation.ts";
import { mutations } from "./mutations/index.ts";
import { type Options, select } from "./options.ts";
import { runTasks, type Task, type WorkerFiles } from "./pool.ts";
import type { Result } from "./score.ts";
import { type Fault, LEAST, type Score, score } from "./score.ts";
import { sequenceFaults } from "./sequences/faults.ts";
import { recordedRun } from "./task.ts";

type Unnumbered<T> = T extends Task ? Omit<T, "nr"> : never;

/** What is tried. */
export interface Plan {
  readonly trials: readonly { readonly fault: Fault; readonly task: Unnumbered<Task> }[];
  /** Runs of the unmodified sandbox, which must have no findings. */
  readonly baseline: readonly { readonly name: string; readonly task: Unnumbered<Task> }[];
  readonly timeoutMs: number;
  readonly files?: WorkerFiles;
  /** The least shares, if all are tried. */
  readonly least?: typeof LEAST;
  /** What is out of date by the outcomes of this run, a line each. */
  readonly stale?: (scores: ReadonlyMap<string, Score>) => string[];
}

/** Plans a run by its options. Without a selected bug, the plan has no trials. */
export const plans: { readonly [kind in Options["kind"]]: (options: Options) => Promise<Plan> } = {
  bugs: async (options) => {
    const chosen = select(mutations.map(faultOf), options);
    const isAll = chosen.length === mutations.length;
    const files = options.live || chosen.length === 0 ? {} : { recorded: await recordedRun() };
    const worlds = (["small", "empty", "large"] as const).map((world) => {
      return { name: `world ${world}`, task: { kind: "suite", world } as const };
    });
    const played = partsOf(options.scripts, SCRIPTS_ON_ONE_SANDBOX, 1).map(({ name, scripts }) => {
      return { name, task: { kind: "suite", world: "empty", scripts } as const };
    });
    return {
      ...{ timeoutMs: TIMEOUT_MS, files, ...(isAll && { least: LEAST }) },
      trials: chosen.map((fault) => ({ fault, task: { kind: "suite", id: fault.id } })),
      // One seed is enough for a selection.
      baseline: isAll ? [...worlds, ...played] : worlds.slice(0, 1),
    };
  },
  sequences: async (options) => {
    // A finding shows one claim of each requirement, so that others are no gaps.
    const all = sequenceFaults.map((fault) => ({ ...faultOf(fault), claims: [] }));
    const chosen = select(all, options);
    const isAll = chosen.length === all.length;
    const played = isAll ? partsOf(options.scripts, SCRIPTS_OF_AN_EXPLORATION, FIRST_SEED) : [];
    return {
      ...{ timeoutMs: EXPLORATION_MS, ...(isAll && { least: LEAST_OF_SEQUENCES }) },
      trials: chosen.map((fault) => ({ fault, task: { kind: "explore", id: fault.id } })),
      baseline: played.map(({ name, scripts }) => ({ name, task: { kind: "explore", scripts } })),
    };
  },
  mutants: async (options) => {
    const classified = readClassified(new URL("../mutants/classified.yaml", import.meta.url));
    const instrumented = await instrument(ROOT, mutatedFiles());
    const all = instrumented.mutants.map((mutant) => {
      const { key: id, file, line } = mutant;
      const own = { group: file.replace(/\/[^/]+$/, ""), description: `line ${line}` };
      const missedAs = classOf(classified, id);
      return { ...own, id, claims: [], breaks: groupsOf(file) ?? [], missedAs, mutant };
    });
    const chosen = select(all, options);
    const mutants = chosen.map(({ mutant }) => mutant);
    const { tasks, ...files } =
      chosen.length === 0 ? { tasks: [] } : await planMutants(mutants, instrumented);
    return {
      ...{ timeoutMs: TIMEOUT_MS, files, baseline: [] },
      trials: tasks.map((task, at) => ({ fault: chosen[at] as Fault, task })),
      stale: (scores) => staleEntries(classified, new Set(all.map(({ id }) => id)), scores),
    };
  },
};

/** Runs a plan: each bug with its score, and the runs of the unmodified sandbox. */
export async function runPlan(plan: Plan, processes: number) {
  const { trials, baseline } = plan;
  const tasks: Task[] = [...baseline, ...trials].map(({ task }, nr) => ({ ...task, nr }));
  const results = await runTasks(tasks, { ...plan, processes });
  const resultOf = (nr: number) => results.get(nr) as Result;
  const runs = baseline.map(({ name }, nr) => ({ name, result: resultOf(nr) }));
  const all = trials.map(({ fault }, at) => {
    const result = resultOf(baseline.length + at);
    return { fault, result, score: score(fault, result) };
  });
  return { all, runs };
}

function faultOf({ id, claims, requirement, description }: Mutation): Fault {
  const group = requirement.split("-")[0] ?? "";
  return { id, claims, breaks: [requirement], group, description };
}

/** A sequence may be longer than an exploration of this length finds. */
const LEAST_OF_SEQUENCES = { ...LEAST, caught: 0.95 };

/** How many random scripts run on one sandbox before the suite. */
const SCRIPTS_ON_ONE_SANDBOX = 10;

/** How many scripts of the unmodified sandbox one exploration plays. */
const SCRIPTS_OF_AN_EXPLORATION = 200;

/** The first seed of these scripts. The bugs are explored with seed 1. */
const FIRST_SEED = 100;

/** Timeout of an exploration with a bug, and of its shrinking. */
const EXPLORATION_MS = 900_000;

/** Divides a number of scripts into parts of at most `most`. Each part has its own seed. */
function partsOf(scripts: number, most: number, seed: number) {
  return Array.from({ length: Math.ceil(scripts / most) }, (_, at) => {
    const count = Math.min(most, scripts - at * most);
    const name = `scripts ${at * most + 1} to ${at * most + count}`;
    return { name, scripts: { count, seed: seed + at } };
  });
}
