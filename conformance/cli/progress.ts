import { constants } from "node:os";
import { type ProgressScreen, rewrittenLine } from "../../src/cli/terminal.ts";
import { counted, shortened } from "../../src/text.ts";
import type { ExploreProgress } from "../explore/explore.ts";
import type { Progress } from "../run/run-checks.ts";
import type { Evidence } from "../wire/evidence.ts";

/** Shows the progress of a conformance run. */
interface RunProgress {
  readonly noteCheck: (progress: Progress) => void;
  readonly noteEvidence: (entry: Evidence) => void;
  /** Removes the line. */
  readonly clear: () => void;
}

const INTERVAL_MS = 100;
/** The width of a terminal that does not report one. */
const WIDTH = 80;

/** Rewrites one line on a terminal; the elapsed time advances while a run waits. */
export function runProgressOn(
  screen: ProgressScreen & { readonly columns?: number },
  now = () => performance.now(),
): RunProgress {
  const startedAt = now();
  const line = rewrittenLine(screen, now);
  let checks: Progress | undefined;
  let requests = 0;
  let deliveries = 0;
  const show = () =>
    line.show(() => {
      const parts = [
        ...(checks ? [`${checks.done} of ${counted(checks.of, "check")}`] : []),
        counted(requests, "request"),
        ...(deliveries > 0 ? [counted(deliveries, "delivery", "deliveries")] : []),
        `${((now() - startedAt) / 1000).toFixed(1)} s`,
        ...(checks ? [checks.requirement] : []),
      ];
      return shortened(parts.join(", "), (screen.columns || WIDTH) - 1);
    });
  const timer = screen.isTTY ? setInterval(show, INTERVAL_MS).unref() : undefined;
  return {
    noteCheck(progress) {
      checks = progress;
      show();
    },
    noteEvidence({ kind }) {
      if (kind === "exchange") requests += 1;
      if (kind === "delivery") deliveries += 1;
    },
    clear() {
      clearInterval(timer);
      line.clear();
    },
  };
}

/** Rewrites one line on a terminal while a target is explored. */
export function exploreProgressOn(
  screen: ProgressScreen & { readonly columns?: number },
  now = () => performance.now(),
): { readonly note: (progress: ExploreProgress) => void; readonly clear: () => void } {
  const startedAt = now();
  const line = rewrittenLine(screen, now);
  return {
    note({ scripts, steps, findings, now: what }) {
      line.show((at) => {
        const seconds = `${((at - startedAt) / 1000).toFixed(1)} s`;
        const counts = [counted(scripts, "script"), counted(steps, "step")];
        const parts = [...counts, counted(findings, "finding"), seconds, what];
        return shortened(parts.join(", "), (screen.columns || WIDTH) - 1);
      });
    },
    clear: line.clear,
  };
}

/** Grace period for open driver connections before the process exits. */
const LINGER_MS = 1_000;

/** Exits soon: a driver may leave connections open, which would keep the process running. */
export function endSoon(): void {
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Stops a run on Ctrl-C, or when its parent process ends. */
interface Interruption {
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
