/** A process that runs one task at a time, because mutations may patch the sandbox's modules. */
import { readRun } from "./recorded-run.ts";
import { runTask, type Task } from "./task.ts";

const [file] = process.argv.slice(2);
const recorded = file === undefined ? undefined : readRun(file);

process.on("message", async (task: Task) => {
  process.send?.(await runTask(task, recorded));
});
