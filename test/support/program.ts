import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { ProgramResult } from "../../scripts/temp-workspace.ts";
import { ROOT } from "../document.ts";
import { onFinished } from "./on-finished.ts";

/** The command line. */
export const TXFEED = join(ROOT, "bin/txfeed.ts");

interface ProgramOptions {
  /** The standard input (default: open and empty). */
  readonly input?: string | Buffer | Iterable<string>;
  readonly cwd?: string;
  /** Environment variables in addition to those of the tests. */
  readonly env?: NodeJS.ProcessEnv;
}

/** A started program. */
export interface Program {
  readonly child: ChildProcessWithoutNullStreams;
  /** Its output so far. */
  readonly output: { readonly stdout: string; readonly stderr: string };
  /** Resolves when it has ended. */
  readonly ended: Promise<ProgramResult>;
  /** Waits until its standard output matches. Rejects if it ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal. Resolves to its exit status; null if it was killed. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts a program, which is killed after the test. */
export function start(
  command: string,
  args: readonly string[],
  { input, cwd, env }: ProgramOptions = {},
): Program {
  // It would colour the output.
  const { FORCE_COLOR: _, ...inherited } = process.env;
  const child = spawn(command, args, { cwd, env: { ...inherited, ...env } });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text) => {
      output[name] += text;
    });
  }
  // A program may end before it reads its input.
  child.stdin.on("error", () => undefined);
  if (input !== undefined) {
    Readable.from(typeof input === "string" ? [input] : input).pipe(child.stdin);
  }
  const ended = once(child, "close").then(([status]) => ({ status, ...output }));
  ended.catch(() => undefined);
  onFinished(() => child.kill("SIGKILL"));
  return {
    child,
    output,
    ended,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(output.stdout);
          if (match) resolve(match);
        };
        child.stdout.on("data", look);
        look();
        ended.then(
          ({ status, stderr }) => reject(new Error(`status ${status}: ${stderr}`)),
          reject,
        );
      }),
    stop: async (signal = "SIGINT") => {
      child.kill(signal);
      return (await ended).status;
    },
  };
}

/** Starts Node.js. */
export function startNode(args: readonly string[], options?: ProgramOptions): Program {
  return start(process.execPath, args, options);
}

/** Runs a file of this checkout with Node.js until it ends. */
export function run(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<ProgramResult> {
  return startNode([join(ROOT, file), ...args], { env }).ended;
}

/** Runs the command line. */
export function txfeed(...args: string[]): Promise<ProgramResult> {
  return run("bin/txfeed.ts", args);
}

/** Runs the command line with a standard input and flags for Node.js. */
export function piped(
  args: readonly string[],
  input: string | Buffer | Iterable<string>,
  nodeFlags: readonly string[] = [],
): Promise<ProgramResult> {
  return startNode([...nodeFlags, TXFEED, ...args], { input }).ended;
}
