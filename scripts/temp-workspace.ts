import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { basename, join } from "node:path";

/** The output and exit status of a program. */
export interface ProgramResult {
  /** null if it was killed. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options of {@link TempWorkspace.run}. */
interface RunOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Kills the program after this time (default: 60,000). */
  readonly timeoutMs?: number;
  /** Kills the program when aborted. */
  readonly signal?: AbortSignal;
}

/**
 * A temporary folder, and the programs that run in it. When the script exits or is interrupted, the
 * programs are killed and the folder is removed.
 */
export class TempWorkspace {
  readonly dir = mkdtempSync(join(tmpdir(), "txfeed-"));
  readonly #groups = new Set<number>();

  constructor() {
    // A signal exits the process, which emits "exit" and cleans up.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.once(signal, () => process.exit(128 + constants.signals[signal]));
    }
    process.once("exit", () => this.#clear());
  }

  /** Runs a program. Rejects if it cannot be started or times out. */
  run(command: string, args: readonly string[], options: RunOptions): Promise<ProgramResult> {
    const { cwd, env = process.env, timeoutMs = 60_000, signal } = options;
    return new Promise((resolve, reject) => {
      // Start a process group, so that child processes are killed too.
      const child = spawn(command, args, {
        cwd,
        env,
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const { pid } = child;
      if (pid !== undefined) this.#groups.add(pid);
      const stop = () => pid !== undefined && this.#end(pid);
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`${basename(command)} timed out after ${timeoutMs / 1000} s`));
      }, timeoutMs);
      signal?.addEventListener("abort", stop);
      let [stdout, stderr] = ["", ""];
      child.stdout.on("data", (chunk) => (stdout += chunk));
      child.stderr.on("data", (chunk) => (stderr += chunk));
      child.on("error", (error) => {
        clearTimeout(timer);
        reject(error);
      });
      child.on("exit", stop);
      child.on("close", (status) => {
        clearTimeout(timer);
        resolve({ status, stdout, stderr });
      });
    });
  }

  #end(group: number): void {
    if (!this.#groups.delete(group)) return;
    try {
      process.kill(-group, "SIGKILL");
    } catch {
      // The group has exited already.
    }
  }

  #clear(): void {
    for (const group of this.#groups) this.#end(group);
    // Retry, because killed programs may still write for a moment.
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
