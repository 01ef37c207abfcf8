import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, type TestContext, test } from "vitest";
import { exclusions } from "../generated/exclusions.ts";
import { requirementIds, requirements } from "../generated/requirements.ts";
import { reasonOf, TxfeedError } from "../src/errors.ts";
import { MAX_TIMER_MS } from "../src/options.ts";
import { harmlessLine } from "../src/text.ts";
import { type Check, requirementOf } from "./check.ts";
import { checks } from "./checks/index.ts";
import type { CheckReport, Report } from "./report/report.ts";
import { VARIABLES_NOTE } from "./report/view.ts";
import { type RunOptions, runConformance } from "./run/run.ts";
import { isSelected } from "./run/run-checks.ts";
import { collectMsOf, limitOption, onlyOption } from "./run/usage.ts";
import type { Target } from "./target.ts";

/** Options of a run inside Vitest. */
export interface DescribeOptions extends Omit<RunOptions, "limitMs"> {
  /**
   * Timeout of the run in milliseconds; default: 120,000 plus the time to collect deliveries.
   */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 120_000;

/** Extra time of a test over the run's limit, so that the run ends first and reports why. */
const GRACE_MS = 30_000;

/** Maximum number of findings in a failure message. */
const MAX_SHOWN = 5;

/**
 * Registers one Vitest test for each conformance check, named `ID title`. The first test runs the
 * checks of all tests that Vitest runs: `vitest -t TXN-09` runs only the checks of TXN-09.
 *
 * A failed test shows what was expected, the actual value and a curl line that reproduces it. A
 * check without data is skipped with the reason. A warning is an annotation. An excluded
 * requirement is one skipped test. If the run ends early, for example because the target does not
 * respond, one test fails with the reason and the later ones are skipped.
 *
 * @param target The target, or a function that returns it. The function is called once, before the
 * first check: it may start a server.
 *
 * @example
 * describeConformance({
 *   baseUrl: "http://127.0.0.1:8080",
 *   credentials: { accountId: "…", clientId: "…", clientSecret: "…" },
 *   profile: "full",
 * });
 */
export function describeConformance(
  target: Target | (() => Target | Promise<Target>),
  options: DescribeOptions = {},
): void {
  const only = onlyOption(options.only);
  const chosen = checks.filter((check) => isSelected(requirementOf(check), only));
  const excluded = requirementIds.filter((id) => isSelected(id, only) && id in exclusions);
  const known = typeof target === "function" ? undefined : target;
  const limitMs = limitFor(known, options.timeoutMs);
  // The collecting time of a target from a function is not known yet: only the run has a timeout.
  const timeout = known ? Math.min(limitMs + GRACE_MS, MAX_TIMER_MS) : 0;
  let running: Promise<Report> | undefined;

  // A retry would report an early end as a skip.
  describe("conformance", { retry: 0, timeout }, () => {
    for (const check of chosen) {
      test(nameOf(check), async (context) => {
        const isFirst = running === undefined;
        running ??= runOnce(target, options, chosen.filter(isToRun(context.task)));
        const report = await running.catch((error: unknown) => {
          if (isFirst) throw error instanceof TxfeedError ? failure(error.message) : error;
          return context.skip(harmlessLine(`the run ended early: ${reasonOf(error)}`));
        });
        await show(checkReport(report, check), context);
      });
    }
    for (const id of excluded) {
      test(`${id} ${requirements[id].text}`, ({ skip }) => skip(exclusions[id]));
    }
    afterAll(async () => {
      const report = await running?.catch(() => undefined);
      if (report?.brokenOff !== undefined) {
        throw failure(`the run was aborted: ${report.brokenOff}`);
      }
      for (const { requirement, check, message } of report?.suiteErrors ?? []) {
        const place = `${requirement} ${check}`;
        throw failure(`internal error of the suite, please report it: ${place}: ${message}`);
      }
    });
  });
}

const nameOf = (check: Check) => `${requirementOf(check)} ${check.title}`;

/** Whether Vitest runs the test of a check: `-t` selects tests. */
function isToRun({ suite }: TestContext["task"]): (check: Check) => boolean {
  const run = new Set(suite?.tasks.filter(({ mode }) => mode !== "skip").map(({ name }) => name));
  return (check) => run.has(nameOf(check));
}

async function runOnce(
  target: Target | (() => Target | Promise<Target>),
  options: DescribeOptions,
  chosen: readonly Check[],
): Promise<Report> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const late = async (): Promise<never> => {
    await sleep(timeoutMs, undefined, { ref: false });
    throw failure(`the target's function took longer than ${timeoutMs / 1_000} s`);
  };
  const isFunction = typeof target === "function";
  const started = isFunction ? await Promise.race([target(), late()]) : target;
  const limitMs = limitFor(started, options.timeoutMs);
  return runConformance(started, { ...options, limitMs }, chosen);
}

function checkReport({ requirements: all }: Report, check: Check): CheckReport {
  const own = all.find(({ id }) => id === requirementOf(check))?.checks;
  return own?.find(({ name }) => name === check.title) as CheckReport;
}

/** Gives a test the result of its check. */
async function show(report: CheckReport, { annotate, expect, skip }: TestContext): Promise<void> {
  const { verdict, reason, hint, hintOptions = hint } = report;
  if (verdict === "failed") throw failure(linesOf(report).join("\n"));
  // Vitest's requireAssertions fails a test that asserts nothing.
  expect(verdict).not.toBe("failed");
  if (verdict === "warned") await annotate(linesOf(report).join("\n"), "warning");
  const why = hintOptions === undefined ? `${reason}` : `${reason}: ${hintOptions}`;
  if (verdict === "skipped") skip(harmlessLine(why));
}

function linesOf({ findings = [], findingsLeftOut = 0, reproduce }: CheckReport): string[] {
  const shown = findings.slice(0, MAX_SHOWN).map(({ message }) => message);
  const left = findings.length - shown.length + findingsLeftOut;
  return [
    ...shown,
    ...(left > 0 ? [`and ${left} more`] : []),
    ...(reproduce === undefined ? [] : [reproduce]),
    ...(reproduce?.includes("$TXFEED_") ? [VARIABLES_NOTE] : []),
  ].map(harmlessLine);
}

/** An error without a stack trace, which would only show the suite's code. */
function failure(message: string): Error {
  const error = new Error(message);
  error.stack = message;
  return error;
}

/** The timeout of a run. An invalid target is reported by the first check, not here. */
function limitFor(target: Target | undefined, timeoutMs: number | undefined): number {
  const collectMs = collectMsOf(target);
  return limitOption("timeoutMs", timeoutMs, { standardMs: DEFAULT_TIMEOUT_MS, collectMs });
}
