import { constants } from "node:os";
import {
  type Progress,
  type ProgressScreen,
  progressOn,
  secondsOf,
} from "../../src/cli/progress.ts";
import { counted } from "../../src/text.ts";
import type { ExploreProgress } from "../explore/explore.ts";
import type { Progress as CheckProgress } from "../run/run-checks.ts";
import type { Evidence } from "../wire/evidence.ts";

/** Shows the progress of a conformance run. */
interface RunProgress extends Pick<Progress, "log" | "end"> {
  readonly noteCheck: (progress: CheckProgress) => void;
  readonly noteEvidence: (entry: Evidence) => void;
  /** Notes how many lines of evidence were read. */
  readonly noteLines: (lines: number) => void;
}

/** Shows checks, requests, deliveries and the elapsed time, which advances while a run waits. */
export function runProgressOn(
  screen: ProgressScreen,
  now?: () => number,
  env?: NodeJS.ProcessEnv,
): RunProgress {
  const progress = progressOn(screen, now, env);
  let checks: CheckProgress | undefined;
  let lines = 0;
  let requests = 0;
  let deliveries = 0;
  const render = (elapsedMs: number) => {
    const parts = [
      ...(checks ? [`${checks.done} of ${counted(checks.of, "check")}`] : []),
      ...(lines > 0 && !checks ? [counted(lines, "line")] : []),
      ...(requests > 0 ? [counted(requests, "request")] : []),
      ...(deliveries > 0 ? [counted(deliveries, "delivery", "deliveries")] : []),
      secondsOf(elapsedMs),
      ...(checks ? [checks.requirement] : []),
    ];
    return parts.join(", ");
  };
  progress.show(render);
  return {
    noteCheck(done) {
      checks = done;
      progress.show(render);
    },
    noteEvidence({ kind }) {
      if (kind === "exchange") requests += 1;
      if (kind === "delivery") deliveries += 1;
    },
    noteLines(count) {
      lines = count;
      progress.show(render);
    },
    log: progress.log,
    end: progress.end,
  };
}

/** Renders the progress of an exploration. */
export function explorationText(
  { scripts, steps, findings, now: what }: ExploreProgress,
  elapsedMs: number,
): string {
  const counts = [counted(scripts, "script"), counted(steps, "step"), counted(findings, "finding")];
  return [...counts, secondsOf(elapsedMs), what].join(", ");
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
