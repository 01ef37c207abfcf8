import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { MeasureTask, MutantTask } from "../mutants/trial.ts";
import { NOTHING, type Result } from "./score.ts";
import type { ExploreTask, SuiteTask } from "./task.ts";

/** One run for a worker. Without an id, it runs the unmodified sandbox. */
export type Task = (SuiteTask | ExploreTask | MeasureTask | MutantTask) & {
  readonly nr: number;
  /** Whether it needs a process of its own. */
  readonly isAlone?: boolean;
};

/** How tasks are run. */
export interface PoolOptions {
  readonly processes: number;
  /** The timeout of a task. */
  readonly timeoutMs: number;
  /** The files that the workers use. */
  readonly files?: WorkerFiles;
}

export interface WorkerFiles {
  /** The evidence of a recorded run, for bugs that need no live run. */
  readonly recorded?: string;
  /** A folder with instrumented code, and `baseline.json`. */
  readonly instrumented?: string;
}

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

/** Runs tasks in several processes. A process whose task hangs is killed and replaced. */
export async function runTasks(
  tasks: readonly Task[],
  { processes, timeoutMs, files = {} }: PoolOptions,
): Promise<Map<number, Result>> {
  const results = new Map<number, Result>();
  const waiting = [...tasks];
  const progress = startProgress(tasks.length);
  const start = () => fork(WORKER, [JSON.stringify(files)]);
  const lanes = Array.from({ length: Math.min(processes, tasks.length) }, async () => {
    let worker = start();
    let isUsed = false;
    const replace = () => {
      worker.kill("SIGKILL");
      worker = start();
      isUsed = false;
    };
    for (let task = waiting.shift(); task; task = waiting.shift()) {
      if (task.isAlone && isUsed) replace();
      const result = await runTask(worker, task, timeoutMs);
      isUsed = true;
      if (task.isAlone || !result || result.isSpent) replace();
      if (result?.isVoid) waiting.push({ ...task, isAlone: true });
      else {
        results.set(task.nr, result ?? hung(task, timeoutMs));
        progress.step();
      }
    }
    worker.kill("SIGKILL");
  });
  await Promise.all(lanes);
  progress.end();
  return results;
}

function hung({ nr, kind }: Task, durationMs: number): Result {
  const found = { ...NOTHING, nr, durationMs };
  // A mutant may be an endless loop.
  if (kind === "mutant") return { ...found, fired: 1, outcome: "timed out" };
  return { ...found, errors: ["the run hung or its process ended"] };
}

/** Resolves to undefined if the task hangs or its process ends. */
function runTask(worker: ChildProcess, task: Task, timeoutMs: number): Promise<Result | undefined> {
  return new Promise((resolve) => {
    const end = (result?: Result) => {
      clearTimeout(timer);
      worker.off("message", onMessage).off("exit", onExit);
      resolve(result);
    };
    const onMessage = (message: unknown) => end(message as Result);
    const onExit = () => end();
    const timer = setTimeout(() => end(), timeoutMs);
    worker.on("message", onMessage).on("exit", onExit);
    worker.send(task);
  });
}

/** Number of runs per progress line if standard error is not a terminal. */
const EVERY = 50;

/** Reports the number of completed runs on standard error. */
function startProgress(total: number): { step(): void; end(): void } {
  const { stderr } = process;
  const start = performance.now();
  let done = 0;
  const line = () =>
    `${done} of ${total} runs, ${Math.round((performance.now() - start) / 1000)} s`;
  return {
    step() {
      done += 1;
      if (stderr.isTTY) stderr.write(`\r${line()}`);
      else if (done % EVERY === 0) stderr.write(`${line()}\n`);
    },
    end() {
      if (stderr.isTTY) stderr.write("\r\x1b[2K");
    },
  };
}
