import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/**
 * Runs a module of the bench in a process of its own.
 *
 * @param job What it is to do, as its first message.
 * @returns its first message. Rejects when it ends without one.
 */
export function runInChild<Result>(module: URL, job: unknown, execArgv: string[] = []) {
  const child = fork(module, { execArgv, serialization: "advanced" });
  return new Promise<Result>((resolve, reject) => {
    child.once("message", (result) => resolve(result as Result));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${module.pathname} ended with ${code}`)));
    child.send(job as object);
  }).finally(() => child.kill());
}

/** The other side: takes the job, sends back the result, and ends. */
export function serveJob<Job, Result>(run: (job: Job) => Promise<Result>): void {
  process.once("message", async (job) => {
    const result = await run(job as Job);
    process.send?.(result, () => process.disconnect());
  });
}

/** Asks a child that goes on, or only waits for what it says first. Rejects when it ends. */
export async function ask<Answer>(
  child: ChildProcess,
  question?: object | string,
): Promise<Answer> {
  const settled = new AbortController();
  const answer = once(child, "message", { signal: settled.signal });
  const end = once(child, "exit", { signal: settled.signal }).then(() => {
    throw new Error("a process of the bench ended");
  });
  try {
    if (question !== undefined) child.send(question);
    const [message] = await Promise.race([answer, end]);
    return message as Answer;
  } finally {
    settled.abort();
  }
}
