import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Result, Task } from "./task.ts";

/** A run that takes longer hangs. */
const HANGS_MS = 180_000;

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

/**
 * Has tasks carried out by several processes, each one at a time. One that hangs is ended, and its
 * process with it.
 */
export async function runTasks(
  tasks: readonly Task[],
  processes: number,
  onResult: (result: Result) => void,
): Promise<Map<number, Result>> {
  const results = new Map<number, Result>();
  const waiting = [...tasks];
  const lanes = Array.from({ length: Math.min(processes, tasks.length) }, async () => {
    let worker = fork(WORKER);
    for (let task = waiting.shift(); task; task = waiting.shift()) {
      const result = await runTask(worker, task);
      if (!result) worker = replaced(worker);
      const nothing = { findings: [], fired: 0, errors: ["it hung"], durationMs: HANGS_MS };
      const known = result ?? { nr: task.nr, ...nothing };
      results.set(task.nr, known);
      onResult(known);
    }
    worker.kill("SIGKILL");
  });
  await Promise.all(lanes);
  return results;
}

function replaced(worker: ChildProcess): ChildProcess {
  worker.kill("SIGKILL");
  return fork(WORKER);
}

/** Resolves to undefined where the task hangs or its process ends. */
function runTask(worker: ChildProcess, task: Task): Promise<Result | undefined> {
  return new Promise((resolve) => {
    const end = (result?: Result) => {
      clearTimeout(timer);
      worker.off("message", end as never).off("exit", onExit);
      resolve(result);
    };
    const onExit = () => end();
    const timer = setTimeout(() => end(), HANGS_MS);
    worker.on("message", end as never).on("exit", onExit);
    worker.send(task);
  });
}
