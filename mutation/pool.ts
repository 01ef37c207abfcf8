import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Result, Task } from "./task.ts";

/** Timeout of a run. */
const TIMEOUT_MS = 180_000;

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

/** Runs tasks in several processes. A process whose task hangs is killed and replaced. */
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
      let result = await runTask(worker, task);
      if (!result) {
        worker.kill("SIGKILL");
        worker = fork(WORKER);
        result = hung(task);
      }
      results.set(task.nr, result);
      onResult(result);
    }
    worker.kill("SIGKILL");
  });
  await Promise.all(lanes);
  return results;
}

function hung({ nr }: Task): Result {
  const nothing = { findings: [], failedChecks: [], fired: 0 };
  return { nr, ...nothing, errors: ["the run hung or its process ended"], durationMs: TIMEOUT_MS };
}

/** Resolves to undefined if the task hangs or its process ends. */
function runTask(worker: ChildProcess, task: Task): Promise<Result | undefined> {
  return new Promise((resolve) => {
    const end = (result?: Result) => {
      clearTimeout(timer);
      worker.off("message", end as never).off("exit", onExit);
      resolve(result);
    };
    const onExit = () => end();
    const timer = setTimeout(() => end(), TIMEOUT_MS);
    worker.on("message", end as never).on("exit", onExit);
    worker.send(task);
  });
}
