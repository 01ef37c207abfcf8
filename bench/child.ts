import { fork } from "node:child_process";

/**
 * Runs a module of the bench in a process of its own.
 *
 * @param job What it is to do, as its first message.
 * @returns its first message. Rejects when it ends without one.
 */
export function inChild<Result>(module: URL, job: unknown, execArgv: string[] = []) {
  const child = fork(module, { execArgv, serialization: "advanced" });
  return new Promise<Result>((resolve, reject) => {
    child.once("message", (result) => resolve(result as Result));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${module.pathname} ended with ${code}`)));
    child.send(job as object);
  }).finally(() => child.kill());
}

/** The other side: takes the job, sends back the result, and ends. */
export function work<Job, Result>(run: (job: Job) => Promise<Result>): void {
  process.once("message", async (job) => {
    const result = await run(job as Job);
    process.send?.(result, () => process.disconnect());
  });
}
