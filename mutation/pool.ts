import { type ChildProcess, fork } from "node:child_process";

/** How {@link runTasks} runs tasks. */
interface PoolOptions<Task, Result> {
  /** The path of the worker: a module that answers each message, a task, with its result. */
  readonly worker: string;
  /** Its arguments. */
  readonly args?: readonly string[];
  readonly processes: number;
  /** The timeout of a task. */
  readonly timeoutMs: number;
  /** The result of a task that hangs, or whose process ends. */
  readonly hung: (task: Task) => Result;
  /** Whether a task needs a process of its own. Default: none does. */
  readonly isAlone?: (task: Task) => boolean;
  /** Whether a process is replaced after a result. Default: it never is. */
  readonly isSpent?: (result: Result) => boolean;
}

/** Runs tasks in several processes. A process whose task hangs is killed and replaced. */
export async function runTasks<Task extends { readonly nr: number }, Result extends object>(
  tasks: readonly Task[],
  {
    worker: path,
    args = [],
    processes,
    timeoutMs,
    hung,
    isAlone,
    isSpent,
  }: PoolOptions<Task, Result>,
  onResult: (result: Result) => void,
): Promise<Map<number, Result>> {
  const results = new Map<number, Result>();
  const waiting = [...tasks];
  const lanes = Array.from({ length: Math.min(processes, tasks.length) }, async () => {
    let worker = fork(path, args);
    let isUsed = false;
    const replace = () => {
      worker.kill("SIGKILL");
      worker = fork(path, args);
      isUsed = false;
    };
    for (let task = waiting.shift(); task; task = waiting.shift()) {
      const alone = isAlone?.(task) === true;
      if (alone && isUsed) replace();
      const answer = await runTask<Task, Result>(worker, task, timeoutMs);
      isUsed = true;
      if (alone || !answer || isSpent?.(answer.result)) replace();
      const { result } = answer ?? { result: hung(task) };
      results.set(task.nr, result);
      onResult(result);
    }
    worker.kill("SIGKILL");
  });
  await Promise.all(lanes);
  return results;
}

/** Resolves to undefined if the task hangs or its process ends. */
function runTask<Task extends object, Result>(
  worker: ChildProcess,
  task: Task,
  timeoutMs: number,
): Promise<{ readonly result: Result } | undefined> {
  return new Promise((resolve) => {
    const end = (answer?: { readonly result: Result }) => {
      clearTimeout(timer);
      worker.off("message", onMessage).off("exit", onExit);
      resolve(answer);
    };
    const onMessage = (message: unknown) => end({ result: message as Result });
    const onExit = () => end();
    const timer = setTimeout(() => end(), timeoutMs);
    worker.on("message", onMessage).on("exit", onExit);
    worker.send(task);
  });
}
