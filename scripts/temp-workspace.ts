import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { basename, join } from "node:path";

/** What a program printed, and how it ended. */
export interface ProgramResult {
  /** null where it was killed. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a program is run. */
export interface RunOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** It is killed after so long: a minute unless set. */
  readonly timeoutMs?: number;
  /** It is killed when this is aborted. */
  readonly signal?: AbortSignal;
}

/**
 * A folder for temporary files, and the programs that run in it. However the script ends, an
 * interruption included, nothing of it stays behind.
 */
export class TempWorkspace {
  readonly dir = mkdtempSync(join(tmpdir(), "txfeed-runtimes-"));
  readonly #groups = new Set<number>();

  constructor() {
    // What interrupts goes by way of exit, which clears up.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.once(signal, () => process.exit(128 + constants.signals[signal]));
    }
    process.once("exit", () => this.#clear());
  }

  /** Runs a program to its end. Rejects where it can't be started, or takes too long. */
  run(command: string, args: readonly string[], options: RunOptions): Promise<ProgramResult> {
    const { cwd, env = process.env, timeoutMs = 60_000, signal } = options;
    return new Promise((resolve, reject) => {
      // A group of its own, so that what it starts ends with it.
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
        reject(new Error(`${basename(command)} took longer than ${timeoutMs / 1000} s`));
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
      // All of it has ended already.
    }
  }

  #clear(): void {
    for (const group of this.#groups) this.#end(group);
    // What is being killed may still write for a moment.
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
