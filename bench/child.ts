import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/**
 * Runs a module of the benchmark in a child process.
 *
 * @param job The first message to the child.
 * @returns The first message from the child.
 * @throws {Error} The child exits without a message.
 */
export function runInChild<Result>(module: URL, job: unknown, execArgv: string[] = []) {
  const child = fork(module, { execArgv, serialization: "advanced" });
  return new Promise<Result>((resolve, reject) => {
    child.once("message", (result) => resolve(result as Result));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${module.pathname} exited with ${code}`)));
    child.send(job as object);
  }).finally(() => child.kill());
}

/** In a child process: receives the job, sends the result, and exits. */
export function serveJob<Job, Result>(run: (job: Job) => Promise<Result>): void {
  process.once("message", async (job) => {
    const result = await run(job as Job);
    process.send?.(result, () => process.disconnect());
  });
}

/** Sends `question`, if given, and waits for the child's next message. Rejects if it exits. */
export async function ask<Reply>(child: ChildProcess, question?: object | string): Promise<Reply> {
  const settled = new AbortController();
  const reply = once(child, "message", { signal: settled.signal });
  const end = once(child, "exit", { signal: settled.signal }).then(() => {
    throw new Error("a child process of the benchmark exited");
  });
  try {
    if (question !== undefined) child.send(question);
    const [message] = await Promise.race([reply, end]);
    return message as Reply;
  } finally {
    settled.abort();
  }
}
