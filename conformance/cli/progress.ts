import { constants } from "node:os";
import { EXIT } from "../../src/cli/command.ts";
import { debug } from "../../src/cli/output.ts";
import { type ProgressScreen, progressOn, secondsOf } from "../../src/cli/progress.ts";
import { reasonOf, TxfeedError } from "../../src/errors.ts";
import { counted } from "../../src/text.ts";
import type { ExploreProgress } from "../explore/explore.ts";
import type { Progress as CheckProgress } from "../run/run-checks.ts";
import type { Evidence } from "../wire/evidence.ts";

/** Shows checks, requests, deliveries and the elapsed time, which advances while a run waits. */
export function runProgressOn(screen: ProgressScreen, now?: () => number, env?: NodeJS.ProcessEnv) {
  const progress = progressOn(screen, now, env);
  let checks: CheckProgress | undefined;
  let lines = 0;
  const counts = new Map<Evidence["kind"], number>();
  const render = (elapsedMs: number) => {
    const [requests = 0, deliveries = 0] = [counts.get("exchange"), counts.get("delivery")];
    const parts = [
      checks && `${checks.done} of ${counted(checks.of, "check")}`,
      lines > 0 && !checks && counted(lines, "line"),
      requests > 0 && counted(requests, "request"),
      deliveries > 0 && counted(deliveries, "delivery", "deliveries"),
      secondsOf(elapsedMs),
      checks?.requirement,
    ];
    return parts.filter(Boolean).join(", ");
  };
  progress.show(render);
  return {
    noteCheck(done: CheckProgress) {
      checks = done;
      progress.show(render);
    },
    noteEvidence({ kind }: Evidence) {
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    },
    /** Notes how many lines of evidence were read. */
    noteLines(count: number) {
      lines = count;
      progress.show(render);
    },
    ...{ log: progress.log, end: progress.end },
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

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs a command against a target. The first Ctrl-C aborts its signal, the second one exits.
 *
 * @param hasDriver Whether the process exits soon after: a driver may leave connections open.
 * @returns Resolves to the exit status: that of the signal, such as 130 for Ctrl-C, or else that of
 * the command.
 */
export async function runInterruptibly(
  log: (line: string) => void,
  hasDriver: boolean,
  run: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const controller = new AbortController();
  let status: number | undefined;
  const take = (signal: NodeJS.Signals) => {
    if (status !== undefined) process.exit(status);
    status = 128 + constants.signals[signal];
    log("txfeed: stopping; the report follows. Press Ctrl-C again to exit immediately");
    controller.abort(new Error(`the run was interrupted (${signal})`));
  };
  for (const signal of SIGNALS) process.on(signal, take);
  try {
    const own = await run(controller.signal);
    return status ?? own;
  } catch (error) {
    if (error instanceof TxfeedError) throw error;
    debug(error);
    log(`txfeed: internal error of the suite, please report it: ${reasonOf(error)}`);
    return EXIT.undecided;
  } finally {
    for (const signal of SIGNALS) process.off(signal, take);
    if (hasDriver) setTimeout(() => process.exit(), LINGER_MS).unref();
  }
}
