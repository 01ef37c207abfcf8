import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { ROOT } from "../document.ts";

/** A running program and its first output. */
export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly output: string;
  /** Its standard error so far. */
  readonly complaints: () => string;
  /** Interrupts it and resolves to its exit status. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts `txfeed sandbox` and waits for its output. Stopped after the test. */
export async function startSandbox(...args: string[]): Promise<Running> {
  const words = [`${ROOT}bin/txfeed.ts`, "sandbox", "--port", "0", ...args];
  const child = spawn(process.execPath, words);
  const ended = once(child, "exit");
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    complaints += text;
  });
  const stop = async (signal: NodeJS.Signals = "SIGINT") => {
    child.kill(signal);
    const [status] = await ended;
    return status as number | null;
  };
  onTestFinished(async () => void (await stop("SIGKILL")));
  const first = once(child.stdout.setEncoding("utf8"), "data");
  const [output = ""] = await Promise.race([first, ended.then(() => [])]);
  return { child, output: String(output), complaints: () => complaints, stop };
}

/** The output of `--json`. */
export interface Facts {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly accountId: string;
  readonly secondAccount: { readonly accountId: string };
}

/** Starts `txfeed sandbox --json`. */
export async function startWithJson(...args: string[]): Promise<Running & { facts: Facts }> {
  const running = await startSandbox("--json", ...args);
  return { ...running, facts: JSON.parse(running.output) };
}
