/**
 * A process that runs one task at a time, because bugs may patch the sandbox's modules. Its
 * argument is a {@link WorkerFiles} as JSON. With instrumented code, it loads that instead of the
 * sandbox's, so that a variable activates a mutant.
 */
import { existsSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT } from "../mutants/files.ts";
import type { Task, WorkerFiles } from "./pool.ts";
import type { Found, Result } from "./score.ts";

const { recorded, instrumented = "" }: WorkerFiles = JSON.parse(process.argv[2] ?? "{}");

if (instrumented !== "") {
  registerHooks({
    load(url, context, nextLoad) {
      if (!url.startsWith("file:")) return nextLoad(url, context);
      const file = join(instrumented, "code", `${relative(ROOT, fileURLToPath(url))}.js`);
      if (!existsSync(file)) return nextLoad(url, context);
      return { format: "module", source: readFileSync(file, "utf8"), shortCircuit: true };
    },
  });
  // A mutant may throw in code that no caller awaits. The run continues without its response.
  process.on("uncaughtException", () => undefined);
  // The sandbox warns of failed jobs.
  process.removeAllListeners("warning");
}

// The main process was interrupted.
process.on("disconnect", () => process.exit());

process.on("message", async (task: Task) => {
  const start = performance.now();
  const found = await run(task);
  const durationMs = Math.round(performance.now() - start);
  const result: Result = { ...found, nr: task.nr, durationMs };
  process.send?.(result);
});

/** Loads the code that a task needs when it runs: what a mutant changes may run on import. */
async function run(task: Task): Promise<Found> {
  if (task.kind === "suite") return (await import("./task.ts")).runSuiteTask(task, recorded);
  if (task.kind === "explore") return (await import("./task.ts")).runExploration(task);
  const activeMutant = task.kind === "mutant" && task.isAlone ? task.id : "";
  Object.assign(globalThis, { __stryker__: { activeMutant } });
  const { measure, runMutant } = await import("../mutants/trial.ts");
  if (task.kind === "measure") return await measure(task);
  const baseline = readFileSync(join(instrumented, "baseline.json"), "utf8");
  return await runMutant(task, JSON.parse(baseline));
}
