import { constants } from "node:os";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** How a run is told to break off, by Ctrl-C or because what started it ends. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** The exit status that tells of it, such as 130 for Ctrl-C; undefined while there was none. */
  readonly status: () => number | undefined;
  /** Leaves signals to whoever else looks at them. */
  readonly release: () => void;
}

/** Has the first signal break off what is under way, and a second one end the program at once. */
export function onInterruption(tell: () => void): Interruption {
  const controller = new AbortController();
  let status: number | undefined;
  const take = (signal: NodeJS.Signals) => {
    if (status !== undefined) process.exit(status);
    status = 128 + constants.signals[signal];
    tell();
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
