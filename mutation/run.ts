import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { ScriptError } from "../scripts/run-script.ts";
import { writeWhole } from "../src/cli/file.ts";
import { mutations } from "./mutations/index.ts";
import { runTasks } from "./pool.ts";
import { startProgress } from "./progress.ts";
import { score, tally } from "./score.ts";
import { isClean, renderBaseline, renderMutations, renderScore, renderTotals } from "./table.ts";
import type { Result, Task } from "./task.ts";

/** What of the faults is to be caught by name. */
const BY_NAME = 0.95;

/** So many random scripts are played on one sandbox. */
const SCRIPTS_PER_RUN = 10;

const USAGE = "npm run mutation -- [--only ID,...] [--scripts N] [--processes N] [--json FILE]";

function readFlags() {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      scripts: { type: "string", default: "200" },
      processes: { type: "string", default: String(availableParallelism()) },
      json: { type: "string" },
    },
  });
  const [scripts, processes] = [Number(values.scripts), Number(values.processes)];
  if (!Number.isInteger(scripts) || scripts < 0) throw usage("--scripts takes a whole number");
  if (!Number.isInteger(processes) || processes < 1) throw usage("--processes takes 1 or more");
  return { ...values, scripts, processes };
}

function usage(message: string): ScriptError {
  return new ScriptError([`teeth: ${message}`, `usage: ${USAGE}`]);
}

/** The sandbox as it is, in each world and after random scripts. */
function baselineTasks(scripts: number): { name: string; task: Omit<Task, "nr"> }[] {
  const runs = Array.from({ length: Math.ceil(scripts / SCRIPTS_PER_RUN) }, (_, at) => {
    const first = at * SCRIPTS_PER_RUN;
    const count = Math.min(SCRIPTS_PER_RUN, scripts - first);
    const name = `scripts ${first + 1} to ${first + count}`;
    return { name, task: { world: "empty" as const, scripts: { count, seed: at + 1 } } };
  });
  const worlds = (["empty", "small", "large"] as const).map((world) => {
    return { name: `world ${world}`, task: { world } };
  });
  return [...worlds, ...runs];
}

/** Runs all, and resolves to the exit status. */
export async function main(): Promise<number> {
  const { only, scripts, processes, json } = readFlags();
  const wanted = only?.split(",");
  const chosen = mutations.filter(({ id, requirement }) =>
    wanted
      ? wanted.some((one) => id === one || id.startsWith(`${one}/`) || requirement === one)
      : true,
  );
  if (chosen.length === 0) throw usage(`there is no fault ${only}`);
  // What is found without a fault counts for none: one world is always tried.
  const without = baselineTasks(wanted ? 0 : scripts).filter(
    ({ name }) => !wanted || name === "world small",
  );
  const tasks: Task[] = [
    ...without.map(({ task }) => task),
    ...chosen.map(({ id }) => ({ mutationId: id })),
  ].map((task, nr) => ({ nr, ...task }));

  const progress = startProgress(tasks.length);
  const results = await runTasks(tasks, processes, () => progress.step());
  progress.end();

  const resultOf = (nr: number) => results.get(nr) as Result;
  const runs = without.map((run, nr) => ({
    ...run,
    task: { nr, ...run.task },
    result: resultOf(nr),
  }));
  const known = new Set(runs.flatMap(({ result }) => result.findings.map(({ id }) => id)));
  const bitten = chosen.map((fault, at) => score(fault, resultOf(without.length + at), known));
  const { mutations: all, byName, missed, idle } = tally(bitten);
  const isSound = bitten.every(({ result }) => result.errors.length === 0);
  const isQuiet = runs.every(({ result }) => isClean(result));
  const isGood = isQuiet && isSound && missed + idle === 0 && byName >= BY_NAME * all;
  const lines = [
    ...renderBaseline(runs),
    ...renderMutations(bitten),
    ...(bitten.length > 1 ? renderTotals(bitten) : []),
    ...renderScore(bitten, runs, isGood),
  ];
  console.log(lines.join("\n"));
  if (json !== undefined) {
    const found = bitten.map(
      ({ mutation: { id, requirement, description }, outcome, others, result }) => {
        return { id, requirement, description, outcome, others, ...result };
      },
    );
    const text = JSON.stringify({ total: tally(bitten), faults: found, faultless: runs }, null, 2);
    await writeWhole(json, `${text}\n`);
  }
  return isGood ? 0 : 1;
}
