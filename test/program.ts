import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ProgramResult } from "../scripts/temp-workspace.ts";

/** Runs a file of this checkout with the Node.js that runs the tests. */
export async function run(
  file: string,
  args: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<ProgramResult> {
  const program = fileURLToPath(new URL(`../${file}`, import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, ...env } });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
}

/** Runs the command line. */
export function txfeed(...args: string[]): Promise<ProgramResult> {
  return run("bin/txfeed.ts", args);
}
