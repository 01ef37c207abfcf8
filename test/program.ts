import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** What a program printed, and how it ended. */
export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a file of this checkout on the Node that runs the tests. */
export async function run(
  file: string,
  args: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const program = fileURLToPath(new URL(`../${file}`, import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, ...env } });
  const ended: Ended = { status: null, stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (ended.stdout += chunk));
  child.stderr.on("data", (chunk) => (ended.stderr += chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve({ ...ended, status }));
  });
}

/** Runs the command line. */
export function txfeed(...args: string[]): Promise<Ended> {
  return run("bin/txfeed.ts", args);
}
