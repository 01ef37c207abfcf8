/**
 * `npm run mutants`: changes the sandbox's code in every small way that Stryker knows, and reports
 * which changes the conformance suite does not see.
 *
 * The exit status is 0 only if each mutant that shows is caught or classified as open or control.
 */
import { runScript, ScriptError } from "../scripts/run-script.ts";
import { writeAtomically } from "../src/cli/file.ts";
import { readClassified, staleEntries } from "./classified.ts";
import { mutatedFiles, ROOT } from "./files.ts";
import { instrument } from "./instrument.ts";
import { FLAGS, readOptions, selectMutants } from "./options.ts";
import { digestOfCode, Results } from "./results.ts";
import { runMutants } from "./run-mutants.ts";
import { renderMissed, renderScore, renderTotals, scoredBy, tally } from "./table.ts";

const summary = "runs the conformance suite against the sandbox with generated mutants";
await runScript({ name: "mutants", summary, flags: FLAGS }, main);

/** @returns The exit status. */
async function main(): Promise<number> {
  const options = readOptions();
  const classified = readClassified(new URL("classified.yaml", import.meta.url));
  const instrumented = await instrument(ROOT, mutatedFiles());
  const all = instrumented.mutants;
  const chosen = selectMutants(all, options, classified);
  if (chosen.length === 0) {
    throw new ScriptError([
      `mutants: no mutant is selected by ${options.only?.join(" ") ?? "the options"}`,
    ]);
  }
  const results = new Results(options.results, digestOfCode());
  const known = options.fresh ? new Map() : results.read();
  const todo = chosen.filter(({ key }) => !known.has(key));
  const start = performance.now();
  await runMutants(todo, instrumented, options.processes, ({ key }, verdict) => {
    known.set(key, verdict);
    results.add(key, verdict);
  });

  const scores = scoredBy(chosen, known, classified);
  const outcomes = new Map(scores.map(({ mutant, verdict }) => [mutant.key, verdict.outcome]));
  const stale = staleEntries(classified, new Set(all.map(({ key }) => key)), outcomes);
  const total = tally(scores);
  if (options.json !== undefined) {
    await writeAtomically(options.json, `${JSON.stringify({ total, scores }, null, 2)}\n`);
  }
  const seconds = Math.round((performance.now() - start) / 1000);
  const kept = chosen.length - todo.length;
  const lines = [
    ...renderMissed(scores),
    ...stale,
    `${todo.length} mutants in ${seconds} s${kept > 0 ? `, ${kept} from earlier runs` : ""}`,
    "",
    ...renderTotals(scores),
    renderScore(scores),
  ];
  console.log(lines.join("\n"));
  return total.gap + total.unclassified + stale.length === 0 ? 0 : 1;
}
