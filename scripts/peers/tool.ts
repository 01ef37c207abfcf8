import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Subject } from "./subject.ts";

/** Another tool that holds a server against an OpenAPI document. */
export interface Tool {
  readonly name: string;
  /** What it was given and told, in a line. */
  readonly setUp: string;
  /** The npm packages that it takes, with their versions; none where the project has them. */
  readonly packages: readonly string[];
  /**
   * Looks at a server.
   *
   * @param folder Empty, and the tool's own.
   * @param bin Where its programs are.
   * @returns Resolves to what it held against the server, a line each, without what differs from
   * run to run. Rejects where it could not look.
   */
  look(subject: Subject, folder: string, bin: string): Promise<string[]>;
}

/** A tool that takes longer is ended. */
const PATIENCE_MS = 240_000;

/** Runs a program to its end; gives what it wrote. Its exit status says too little. */
export async function run(
  program: string,
  words: readonly string[],
  { cwd }: { readonly cwd: string },
): Promise<string> {
  const child = spawn(program, words, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk) => chunks.push(chunk));
  child.stderr.on("data", (chunk) => chunks.push(chunk));
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  try {
    await once(child, "close");
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).toString();
}

/** A line without what differs from run to run. */
export function plain(line: string): string {
  return line
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "{id}")
    .replace(/127\.0\.0\.1:\d+/g, "{host}")
    .replace(/\d+(\.\d+)? ?ms/g, "{time}")
    .trim();
}
