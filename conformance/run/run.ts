import type { Check } from "../check.ts";
import { checks as allChecks } from "../checks/index.ts";
import type { Report } from "../report/report.ts";
import type { Evidence } from "../wire/evidence.ts";
import { ReplayTransport } from "../wire/replay.ts";
import type { Target } from "./capabilities.ts";
import {
  ActivityCounter,
  LiveRun,
  type LiveRunOptions,
  type RunEnd,
  type RunFacts,
} from "./live-run.ts";
import { type CheckResults, type CheckRunOptions, runChecks } from "./run-checks.ts";
import { Session } from "./session.ts";
import { onlyOption } from "./usage.ts";

/** Options of a run. */
export interface RunOptions
  extends LiveRunOptions,
    Pick<CheckRunOptions, "only" | "strict" | "onProgress"> {}

/**
 * Runs the checks against a target.
 *
 * @returns Resolves to the report, also if the run was broken off.
 * @throws {TxfeedError} `unreachable` if the target can't be reached, `port-in-use` if it can't
 * receive deliveries, `usage` if the target or an option is invalid. What `onEvidence` throws ends
 * the run too.
 */
export async function runConformance(
  target: Target,
  options: RunOptions = {},
  checks: readonly Check[] = allChecks,
): Promise<Report> {
  const only = onlyOption(options.only);
  const run = await LiveRun.open(target, options, only);
  let end: RunEnd;
  let results: CheckResults;
  try {
    const beforeCompare = () => run.collect();
    results = await runChecks(checks, run.session, { ...options, only, beforeCompare });
  } finally {
    end = await run.close();
  }
  return reportOf(run.facts, end, results);
}

/**
 * Runs the checks on the evidence of an earlier run.
 *
 * @param evidence The entries that `onEvidence` received, in order.
 */
export async function replayEvidence(
  evidence: Iterable<Evidence>,
  options: Pick<RunOptions, "only" | "strict"> = {},
  checks: readonly Check[] = allChecks,
): Promise<Report> {
  const selected = onlyOption(options.only);
  const entries = [...evidence];
  const run = entries.find((entry) => entry.kind === "run");
  if (!run) throw new TypeError('evidence must start with an entry of kind "run"');
  const end = entries.findLast((entry) => entry.kind === "end");
  const { durationMs = 0, brokenOff = end ? undefined : "the evidence is incomplete" } = end ?? {};
  const { refusals } = end ?? {};
  const transport = new ReplayTransport(entries, brokenOff);
  const session = new Session({ baseUrl: run.target, capabilities: run.means, transport });
  const { strict } = options;
  const results = await runChecks(checks, session, { only: selected ?? run.only, strict });
  const counter = new ActivityCounter();
  for (const entry of entries) counter.note(entry);
  const activity = counter.result();
  const ending = {
    ...(brokenOff !== undefined && { brokenOff }),
    ...(refusals && { refusals }),
    ...(activity && { activity }),
  };
  return reportOf(run, { durationMs, ...ending }, results);
}

function reportOf(run: RunFacts, end: RunEnd, results: CheckResults): Report {
  const { target, startedAt, means } = run;
  return { target, profile: means.profile, startedAt, ...end, ...results };
}
