import { constants } from "node:os";

/** Grace period for open driver connections before the process exits. */
const LINGER_MS = 1_000;

/** Exits soon: a driver may leave connections open, which would keep the process running. */
export function endSoon(): void {
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Stops a run on Ctrl-C, or when its parent process ends. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** The exit status, such as 130 for Ctrl-C; undefined if there was no signal. */
  readonly status: () => number | undefined;
  /** Removes the signal handlers. */
  readonly release: () => void;
}

/** Stops the run on the first signal, and exits on the second. */
export function onInterruption(announce: () => void): Interruption {
  const controller = new AbortController();
  let status: number | undefined;
  const take = (signal: NodeJS.Signals) => {
    if (status !== undefined) process.exit(status);
    status = 128 + constants.signals[signal];
    announce();
    controller.abort(new Error(`the run was interrupted (${signal})`));
  };
  for (const signal of SIGNALS) process.on(signal, take);
  return {
    signal: controller.signal,
    status: () => status,
    release: () => {
      for (const signal of SIGNALS) process.off(signal, take);
    },
  };
}
