import { exclusions, undecidable } from "../../generated/exclusions.ts";
import {
  type ClaimId,
  claims as catalogue,
  type RequirementId,
  requirementIds,
} from "../../generated/requirements.ts";
import { type Check, claimsOfRequirement, requirementOf, type Session } from "../check.ts";
import { causesOf } from "../report/causes.ts";
import {
  type CheckReport,
  type ClaimReport,
  type ClaimSummary,
  groupOf,
  type OpenReason,
  type Report,
  type RequirementReport,
  type Verdict,
} from "../report/report.ts";
import { TextBudget } from "../wire/budget.ts";
import { type Delivery, type Exchange, isDelivery } from "../wire/exchange.ts";
import { CheckRunner, phaseOf, phases } from "./check-runner.ts";

/** Options of running checks. */
export interface CheckRunOptions {
  /** Groups or ids; default: all. */
  readonly only?: readonly string[] | undefined;
  /** Whether a violation of a derived requirement is a failure instead of a warning. */
  readonly strict?: boolean | undefined;
  /** Called after each check. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Awaited before the checks that compare all deliveries. */
  readonly beforeCompare?: (() => Promise<void>) | undefined;
}

export interface Progress {
  readonly done: number;
  readonly of: number;
  /** The requirement of the last check. */
  readonly requirement: RequirementId;
}

/** The results of all checks. */
export type CheckResults = Pick<
  Report,
  | "summary"
  | "claims"
  | "checks"
  | "assertions"
  | "requirements"
  | "causes"
  | "suiteErrors"
  | "traffic"
>;

/**
 * Runs checks in a session, live or replayed. First come the checks that only send requests, then
 * those that drive the target, one at a time, then those that compare deliveries.
 */
export async function runChecks(
  checks: readonly Check[],
  session: Session,
  { only, strict, onProgress = () => {}, beforeCompare }: CheckRunOptions = {},
): Promise<CheckResults> {
  const chosen = checks.filter((check) => isSelected(requirementOf(check), only));
  const runner = new CheckRunner(session, strict);
  let done = 0;
  const run = async (check: Check) => {
    await runner.run(check);
    done += 1;
    onProgress({ done, of: chosen.length, requirement: requirementOf(check) });
  };
  for (const phase of phases) {
    if (phase === "compare") await beforeCompare?.();
    await all(chosen.filter((check) => phaseOf(check) === phase).map(run));
  }

  const verdicts: RequirementReport[] = [];
  for (const id of requirementIds) {
    const own = chosen.filter((check) => requirementOf(check) === id);
    verdicts.push(await requirementReport(runner, id, own, only));
  }
  const traffic = trafficInReport(runner.traffic());
  const decided = [...runner.reports.values()].filter(({ verdict }) => verdict !== "skipped");
  return {
    summary: summarize(verdicts),
    claims: summarizeClaims(verdicts.flatMap((one) => one.claims ?? [])),
    checks: decided.length,
    assertions: decided.reduce((sum, { assertions = 0 }) => sum + assertions, 0),
    requirements: verdicts,
    causes: causesOf(verdicts, traffic),
    suiteErrors: runner.suiteErrors,
    traffic,
  };
}

/** Waits until all have ended, then rejects with the first error. */
async function all(running: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(running);
  await Promise.all(running);
}

/**
 * Whether a run checks a requirement.
 *
 * @param only Groups or ids; undefined for all.
 */
export function isSelected(id: RequirementId, only: readonly string[] | undefined): boolean {
  return only === undefined || only.includes(id) || only.includes(groupOf(id));
}

/** Derives the verdict of a requirement from the reports of its checks. */
async function requirementReport(
  runner: CheckRunner,
  id: RequirementId,
  own: readonly Check[],
  only: readonly string[] | undefined,
): Promise<RequirementReport> {
  const excluded = exclusions[id];
  if (excluded !== undefined) return { id, verdict: "excluded", reason: excluded, checks: [] };
  if (!isSelected(id, only)) {
    return { id, verdict: "skipped", reason: "not selected", checks: [] };
  }
  const checks = own.map((check) => runner.reports.get(check) as CheckReport);
  const claims = claimReportsOf(
    id,
    own.map((check) => {
      const report = runner.reports.get(check) as CheckReport;
      return { report, isBlocking: runner.isBlocking(report) };
    }),
  );
  return requirementByClaims(id, claims, checks);
}

/** A requirement passes if each of its claims is decided, and partly if some are. */
function requirementByClaims(
  id: RequirementId,
  claims: readonly ClaimReport[],
  checks: readonly CheckReport[],
): RequirementReport {
  const worst = (["failed", "warned"] as const).find((wanted) =>
    checks.some(({ verdict }) => verdict === wanted),
  );
  if (worst) return { id, verdict: worst, claims, checks };
  const undecided = claims.filter(({ verdict }) => verdict === "undecided");
  const [first] = undecided;
  if (!first) return { id, verdict: "passed", claims, checks };
  const { reason = "", hint, hintOptions } = first;
  return {
    id,
    verdict: undecided.length < claims.length ? "partly" : "skipped",
    reason,
    ...(hint !== undefined && { hint }),
    ...(hintOptions !== undefined && { hintOptions }),
    claims,
    checks,
  };
}

function summarize(reports: readonly RequirementReport[]): Record<Verdict, number> {
  const summary = { passed: 0, failed: 0, warned: 0, partly: 0, skipped: 0, excluded: 0 };
  for (const { verdict } of reports) summary[verdict] += 1;
  return summary;
}

/** The report of a check. */
interface ReportedCheck {
  readonly report: CheckReport;
  /** Whether it was stopped or refused, so that its claims stay undecided. */
  readonly isBlocking: boolean;
}

/** The reports of all claims of a requirement, from the reports of its checks. */
function claimReportsOf(id: RequirementId, checks: readonly ReportedCheck[]): ClaimReport[] {
  return claimsOfRequirement(id).map((claim) => claimReport(claim, checks));
}

/**
 * A claim fails if one of its checks finds it violated. It passes if one of its checks decided it
 * and none was stopped or refused. Otherwise it is undecided.
 */
function claimReport(id: ClaimId, checks: readonly ReportedCheck[]): ClaimReport {
  const own = checks.flatMap(({ report, isBlocking }) => {
    const result = report.claims?.find((one) => one.id === id);
    return result ? [{ ...result, report, isBlocking }] : [];
  });
  const verdicts = own.map(({ verdict }) => verdict);
  const violated = (["failed", "warned"] as const).find((one) => verdicts.includes(one));
  const isBlocked = own.some(({ isBlocking }) => isBlocking);
  const passed = verdicts.includes("passed") && !isBlocked ? "passed" : undefined;
  const verdict = violated ?? passed ?? "undecided";
  const why = whyOpen(id, own);
  const met = new Set(own.flatMap((one) => (one.verdict === "undecided" ? [] : one.situations)));
  const { situations: names } = catalogue[id];
  return {
    ...{ id, verdict },
    ...(verdict === "undecided" && why),
    ...(names.length > 0 && {
      situations: names.map((name) =>
        met.has(name) ? { name, met: true } : { name, met: false, ...why },
      ),
    }),
  };
}

/** Why a claim is undecided, or a situation of it not met, and how to change that. */
function whyOpen(id: ClaimId, own: readonly (ReportedCheck & OpenReason)[]): OpenReason {
  const reasons = own.flatMap((one): (OpenReason & Pick<CheckReport, "missing">)[] => {
    const { report, reason, hint, hintOptions } = one;
    if (reason === undefined) return report.verdict === "skipped" ? [report] : [];
    return [{ ...report, reason, hint, hintOptions } as CheckReport];
  });
  const why =
    own.find(({ isBlocking }) => isBlocking)?.report ??
    reasons.find(({ missing }) => missing !== undefined) ??
    reasons.find(({ hint }) => hint !== undefined) ??
    reasons[0];
  const noCase = undecidable[id] ?? (own.length > 0 ? NO_CASE : NO_CHECK);
  const { reason = noCase, hint, hintOptions } = why ?? {};
  return {
    reason,
    ...(hint !== undefined && { hint }),
    ...(hintOptions !== undefined && { hintOptions }),
  };
}

const NO_CHECK = "no check decides it";
const NO_CASE = "no case of it occurred";

/** Counts claims and their situations, except those of excluded requirements. */
function summarizeClaims(reports: readonly ClaimReport[]): ClaimSummary {
  const situations = reports.flatMap((report) => report.situations ?? []);
  const count = (...verdicts: readonly ClaimReport["verdict"][]) =>
    reports.filter(({ verdict }) => verdicts.includes(verdict)).length;
  return {
    total: reports.length,
    decided: reports.length - count("undecided"),
    failed: count("failed", "warned"),
    situations: { total: situations.length, met: situations.filter(({ met }) => met).length },
  };
}

/** Maximum size of all bodies in a report. Further bodies are only in the evidence. */
const MAX_CHARS = 16_000_000;

/** Number of characters kept of a shortened body. */
const KEPT_CHARS = 1_000;

/**
 * Removes parsed bodies from exchanges and deliveries. Shortens bodies after the total size reaches
 * the limit, and describes that in `cut`.
 */
function trafficInReport(all: readonly (Exchange | Delivery)[]): (Exchange | Delivery)[] {
  const budget = new TextBudget({ chars: MAX_CHARS, values: 0 });
  return all.map((entry) => {
    const unparsed = withBody(entry, (body, cut) => ({ body, ...(cut !== undefined && { cut }) }));
    if (budget.take(JSON.stringify(unparsed).length)) return unparsed;
    return withBody(entry, (body, cut) => {
      if (body.length <= KEPT_CHARS) return { body, ...(cut !== undefined && { cut }) };
      const left = `the evidence has all ${body.length} characters`;
      return { body: body.slice(0, KEPT_CHARS), cut: cut ?? left };
    });
  });
}

/** Removes the parsed body and replaces the body text. */
function withBody(
  entry: Exchange | Delivery,
  change: (body: string, cut?: string) => { readonly body: string; readonly cut?: string },
): Exchange | Delivery {
  if (isDelivery(entry)) {
    const { json, ...delivery } = entry;
    const { body, cut } = change(entry.request.body, entry.cut);
    const request = { ...entry.request, body };
    return { ...delivery, request, ...(cut !== undefined && { cut }) };
  }
  const { response, ...exchange } = entry;
  if (!response) return exchange;
  const { json, ...unparsed } = response;
  return { ...exchange, response: { ...unparsed, ...change(response.body, response.cut) } };
}
