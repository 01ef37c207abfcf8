/**
 * `npm run mutation`: runs the conformance suite against the sandbox with one bug at a time, and
 * reports which bugs it caught. Bugs of responses and deliveries are applied to one recorded run.
 * With `--sequences` it explores the sandbox instead, and with `--mutants` (`npm run mutants`) the
 * bugs are generated.
 *
 * The exit status is 1 if a bug was missed or had no effect, if one of its claims did not fail, if
 * less than 95 % failed their requirement, if less than 90 % lead the report with it, or if the
 * unmodified sandbox had a finding.
 */
import { runScript, ScriptError } from "../scripts/run-script.ts";
import { writeAtomically } from "../src/cli/file.ts";
import { FLAGS, readOptions } from "./options.ts";
import { plans, runPlan } from "./plan.ts";
import { isPassing, tally } from "./score.ts";
import { isClean, renderBaseline, renderFaults, renderScore, renderTotals } from "./table.ts";

const summary = "runs the conformance suite against the sandbox with one bug at a time";
await runScript({ name: "mutation", summary, flags: FLAGS }, main);

/** @returns The exit status. */
async function main(): Promise<number> {
  const options = readOptions();
  const plan = await plans[options.kind](options);
  if (plan.trials.length === 0) {
    throw new ScriptError([`mutation: no bug is selected by ${options.only?.join(" ")}`]);
  }
  const { all, runs } = await runPlan(plan, options.processes);
  const scores = all.map((one) => one.score);
  const outdated = plan.stale?.(new Map(all.map((one) => [one.fault.id, one.score]))) ?? [];
  const isSound = [...runs, ...all].every(({ result }) => result.errors.length === 0);
  const isQuiet = runs.every(({ result }) => isClean(result)) && outdated.length === 0;
  const isGood = isSound && isQuiet && isPassing(scores, plan.least);
  const lines = [
    ...renderBaseline(runs),
    ...renderFaults(all),
    ...(all.length > 1 ? renderTotals(all) : []),
    ...outdated,
    ...renderScore(all, runs, isGood),
  ];
  console.log(lines.join("\n"));
  if (options.json !== undefined) {
    const faults = all.map(({ fault, ...one }) => ({ ...fault, ...one.result, ...one.score }));
    const facts = { total: tally(scores), faults, baseline: runs };
    await writeAtomically(options.json, `${JSON.stringify(facts, null, 2)}\n`);
  }
  return isGood ? 0 : 1;
}
