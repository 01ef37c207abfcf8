import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import type { ProgramResult } from "../../scripts/temp-workspace.ts";
import { ROOT } from "../document.ts";

export const MAIN = `${ROOT}bin/txfeed.ts`;

/** Runs the command line with a standard input and flags for Node. */
export async function piped(
  args: readonly string[],
  input: string | Buffer | Iterable<string>,
  nodeFlags: readonly string[] = [],
): Promise<ProgramResult> {
  const child = spawn(process.execPath, [...nodeFlags, MAIN, ...args]);
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  // A program with bad usage ends before it reads its input.
  child.stdin.on("error", () => undefined);
  Readable.from(typeof input === "string" ? [input] : input).pipe(child.stdin);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
}

/** The value of a contract example such as `transaction.created/pending-network-a`. */
export function example(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(`${ROOT}spec/examples/${name}.json`, "utf8")).value;
}

/** A line of a capture. */
export function delivery(name: string, body: unknown, more: object = {}): string {
  return JSON.stringify({ ...more, headers: { "webhook-event-type": name }, body });
}
