import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, type TestContext, type TestOptions, test } from "vitest";
import { exclusions } from "../generated/exclusions.ts";
import { requirementIds, requirements } from "../generated/requirements.ts";
import { reasonOf, TxfeedError } from "../src/errors.ts";
import { MAX_TIMER_MS } from "../src/options.ts";
import { harmlessLine } from "../src/text.ts";
import { type Check, requirementOf } from "./check.ts";
import { checks } from "./checks/index.ts";
import type { CheckReport } from "./report/report.ts";
import { VARIABLES_NOTE } from "./report/view.ts";
import { CheckRunner, phaseOf, phases } from "./run/check-runner.ts";
import { LiveRun } from "./run/live-run.ts";
import type { RunOptions } from "./run/run.ts";
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

/** The title of each phase of a run. */
const PARTS: Record<(typeof phases)[number], string> = {
  ask: "requests",
  drive: "driver",
  compare: "deliveries",
};

/**
 * Registers one Vitest test for each conformance check, named `ID title`. A test runs its check
 * when Vitest runs it, so `vitest -t MAT-05` runs only the checks of MAT-05.
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
  const { onProgress, timeoutMs } = options;
  const only = onlyOption(options.only);
  const run = new TestedRun(target, { ...options, only });
  const chosen = checks.filter((check) => isSelected(requirementOf(check), only));
  const ids = requirementIds.filter((id) => isSelected(id, only));
  const known = typeof target === "function" ? undefined : target;
  const limitMs = limitFor(known, timeoutMs);
  // The collecting time of a target from a function is not known yet: only the run has a timeout.
  const timeout = known ? Math.min(limitMs + GRACE_MS, MAX_TIMER_MS) : 0;
  // A retry would run a check twice. In another order, deliveries would be compared too early.
  const inOrder = { retry: 0, shuffle: false, concurrent: false, timeout };
  let done = 0;

  describe("conformance", inOrder, () => {
    afterAll(() => run.close(), timeout);

    for (const phase of phases) {
      const isConcurrent = phase !== "drive";
      const own = chosen.filter((check) => phaseOf(check) === phase);
      describeEach(PARTS[phase], { ...inOrder, concurrent: isConcurrent }, own, (check) => {
        const { title } = check;
        const requirement = requirementOf(check);
        test(`${requirement} ${title}`, async (context) => {
          const report = await run.check(check);
          done += 1;
          onProgress?.({ done, of: chosen.length, requirement });
          await show(report, context);
        });
      });
    }

    const excluded = ids.filter((id) => exclusions[id] !== undefined);
    describeEach("excluded", inOrder, excluded, (id) => {
      test(`${id} ${requirements[id].text}`, ({ skip }) => skip(exclusions[id]));
    });
  });
}

/** Registers a suite unless it is empty: Vitest fails a suite without tests. */
function describeEach<T>(
  title: string,
  options: TestOptions,
  things: readonly T[],
  register: (thing: T) => void,
): void {
  if (things.length > 0) describe(title, options, () => things.forEach(register));
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

interface Opened {
  readonly live: LiveRun;
  readonly runner: CheckRunner;
}

/** A run that starts with its first check. */
class TestedRun {
  readonly #target: Target | (() => Target | Promise<Target>);
  readonly #options: DescribeOptions;
  #opened: Promise<Opened> | undefined;
  /** Why the run ended early. */
  #ended: string | undefined;

  constructor(target: Target | (() => Target | Promise<Target>), options: DescribeOptions) {
    this.#target = target;
    this.#options = options;
  }

  /** Runs a check. */
  check(check: Check): Promise<CheckReport> {
    return this.#orSkipped(check.title, async ({ live, runner }) => {
      if (phaseOf(check) === "compare") await live.collect();
      return runner.run(check);
    });
  }

  async #orSkipped<T>(
    name: string,
    look: (opened: Opened) => Promise<T>,
  ): Promise<T | CheckReport> {
    const skipped = (reason: string): CheckReport => ({ name, verdict: "skipped", reason });
    if (this.#ended !== undefined) return skipped(this.#ended);
    try {
      this.#opened ??= this.#open();
      return await look(await this.#opened);
    } catch (error) {
      // Only the first of the checks in progress fails.
      if (this.#ended !== undefined) return skipped(this.#ended);
      this.#ended = `the run ended early: ${reasonOf(error)}`;
      throw error instanceof TxfeedError ? failure(error.message) : error;
    }
  }

  async #open(): Promise<Opened> {
    const { only, strict, timeoutMs } = this.#options;
    const target = await this.#startTarget();
    const limitMs = limitFor(target, timeoutMs);
    const live = await LiveRun.open(target, { ...this.#options, limitMs }, only);
    return { live, runner: new CheckRunner(live.session, strict) };
  }

  async #startTarget(): Promise<Target> {
    if (typeof this.#target !== "function") return this.#target;
    const { timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    const started = new AbortController();
    const late = sleep(timeoutMs, undefined, { signal: started.signal }).then(() => {
      throw failure(`the target's function took longer than ${timeoutMs / 1_000} s`);
    });
    try {
      return await Promise.race([this.#target(), late]);
    } finally {
      late.catch(() => {});
      started.abort();
    }
  }

  /** Ends the run. Throws errors that no test has reported: an early end or a suite error. */
  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    if (!opened) return;
    try {
      const { brokenOff } = await opened.live.close();
      if (brokenOff !== undefined) throw failure(`the run was aborted: ${brokenOff}`);
    } catch (error) {
      if (this.#ended === undefined) {
        throw error instanceof TxfeedError ? failure(error.message) : error;
      }
    }
    const [fault] = opened.runner.suiteErrors;
    if (fault === undefined) return;
    const { requirement, check, message } = fault;
    throw failure(
      `internal error of the suite, please report it: ${requirement} ${check}: ${message}`,
    );
  }
}
