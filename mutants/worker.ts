/**
 * A process that runs one task at a time. It loads the instrumented code instead of the mutated
 * files, so that a variable activates a mutant.
 *
 * Its argument is a folder with the instrumented code, as JavaScript, and `baseline.json`.
 */
import { existsSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT } from "./files.ts";
import type { Baseline, Task } from "./task.ts";

const folder = process.argv[2] ?? "";
const baselineFile = join(folder, "baseline.json");

registerHooks({
  load(url, context, nextLoad) {
    if (!url.startsWith("file:")) return nextLoad(url, context);
    const file = join(folder, "code", `${relative(ROOT, fileURLToPath(url))}.js`);
    if (!existsSync(file)) return nextLoad(url, context);
    return { format: "module", source: readFileSync(file, "utf8"), shortCircuit: true };
  },
});

// A mutant may throw where nobody awaits. Its run goes on: the suite sees the missing answer.
process.on("uncaughtException", () => undefined);
// The sandbox warns of failed jobs.
process.removeAllListeners("warning");

// The main process was interrupted.
process.on("disconnect", () => process.exit());

process.on("message", async (task: Task) => {
  const active = task.part === "mutant" && task.isStatic ? task.id : "";
  Object.assign(globalThis, { __stryker__: { activeMutant: active } });
  const { runTask } = await import("./run-task.ts");
  const baseline = existsSync(baselineFile) ? readFileSync(baselineFile, "utf8") : "{}";
  process.send?.(await runTask(task, JSON.parse(baseline) as Baseline));
});
