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
import { type Delivery, type Exchange, isDelivery, receivedText } from "../wire/exchange.ts";
import { type CheckResult, CheckRunner, phaseOf, phases } from "./check-runner.ts";

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
  const results = new Map<Check, CheckResult>();
  const run = async (check: Check) => {
    results.set(check, await runner.run(check));
    const progress = { done: results.size, of: chosen.length };
    onProgress({ ...progress, requirement: requirementOf(check) });
  };
  for (const phase of phases) {
    if (phase === "compare") await beforeCompare?.();
    const running = chosen.filter((check) => phaseOf(check) === phase).map(run);
    // Rejects with the first error after all have ended.
    await Promise.allSettled(running);
    await Promise.all(running);
  }

  const verdicts = requirementIds.map((id) => {
    const own = chosen.filter((check) => requirementOf(check) === id);
    const ofChecks = own.map((check) => results.get(check) as CheckResult);
    return requirementReport(id, ofChecks, isSelected(id, only));
  });
  const traffic = trafficInReport(runner.traffic());
  const reports = [...results.values()].map(({ report }) => report);
  const decided = reports.filter(({ verdict }) => verdict !== "skipped");
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

/**
 * Whether a run checks a requirement.
 *
 * @param only Groups or ids; undefined for all.
 */
export function isSelected(id: RequirementId, only: readonly string[] | undefined): boolean {
  return only === undefined || only.includes(id) || only.includes(groupOf(id));
}

/** A requirement passes if each of its claims is decided, and partly if some are. */
function requirementReport(
  id: RequirementId,
  results: readonly CheckResult[],
  isChosen: boolean,
): RequirementReport {
  const excluded = exclusions[id];
  if (excluded !== undefined) return { id, verdict: "excluded", reason: excluded, checks: [] };
  if (!isChosen) return { id, verdict: "skipped", reason: "not selected", checks: [] };
  const claims = claimsOfRequirement(id).map((claim) => claimReport(claim, results));
  const checks = results.map(({ report }) => report);
  const worst = worstOf(checks);
  if (worst) return { id, verdict: worst, claims, checks };
  const undecided = claims.filter(({ verdict }) => verdict === "undecided");
  const [first] = undecided;
  if (!first) return { id, verdict: "passed", claims, checks };
  const verdict = undecided.length < claims.length ? "partly" : "skipped";
  return { id, verdict, ...openReason(first), claims, checks };
}

function worstOf(
  reports: readonly { readonly verdict: string }[],
): "failed" | "warned" | undefined {
  return (["failed", "warned"] as const).find((wanted) =>
    reports.some(({ verdict }) => verdict === wanted),
  );
}

/** Only the reason of something, and its hints. */
function openReason({ reason = "", hint, hintOptions }: OpenReason): OpenReason {
  return {
    reason,
    ...(hint !== undefined && { hint }),
    ...(hintOptions !== undefined && { hintOptions }),
  };
}

function summarize(reports: readonly RequirementReport[]): Record<Verdict, number> {
  const summary = { passed: 0, failed: 0, warned: 0, partly: 0, skipped: 0, excluded: 0 };
  for (const { verdict } of reports) summary[verdict] += 1;
  return summary;
}

/**
 * A claim fails if one of its checks finds it violated. It passes if one of its checks decided it
 * and none was stopped or refused. Otherwise it is undecided.
 */
function claimReport(id: ClaimId, results: readonly CheckResult[]): ClaimReport {
  const own = results.flatMap(({ report, isBlocking }) => {
    const result = report.claims?.find((one) => one.id === id);
    return result ? [{ ...result, report, isBlocking }] : [];
  });
  const isPassed =
    own.some(({ verdict }) => verdict === "passed") && !own.some(({ isBlocking }) => isBlocking);
  const verdict = worstOf(own) ?? (isPassed ? "passed" : "undecided");
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
function whyOpen(id: ClaimId, own: readonly (CheckResult & OpenReason)[]): OpenReason {
  type Reason = OpenReason & Pick<CheckReport, "missing">;
  const reasons = own.flatMap(({ report, ...open }): Reason[] => {
    const { missing } = report;
    if (open.reason !== undefined) return [{ ...openReason(open), ...(missing && { missing }) }];
    return report.verdict === "skipped" ? [report] : [];
  });
  const why =
    own.find(({ isBlocking }) => isBlocking)?.report ??
    reasons.find(({ missing }) => missing !== undefined) ??
    reasons.find(({ hint }) => hint !== undefined) ??
    reasons[0];
  const noCase = undecidable[id] ?? (own.length > 0 ? NO_CASE : NO_CHECK);
  return openReason({ reason: noCase, ...why });
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
    const body = receivedText(entry);
    const unparsed = withBody(entry, body);
    if (budget.take(JSON.stringify(unparsed).length) || body.length <= KEPT_CHARS) return unparsed;
    const cut = isDelivery(entry) ? entry.cut : entry.response?.cut;
    const left = `the evidence has all ${body.length} characters`;
    return withBody(entry, body.slice(0, KEPT_CHARS), cut ?? left);
  });
}

/** Removes the parsed body and replaces the body text. */
function withBody(entry: Exchange | Delivery, body: string, cut?: string): Exchange | Delivery {
  const described = cut !== undefined && { cut };
  if (isDelivery(entry)) {
    const { json, ...delivery } = entry;
    return { ...delivery, request: { ...entry.request, body }, ...described };
  }
  const { response, ...exchange } = entry;
  if (!response) return exchange;
  const { json, ...unparsed } = response;
  return { ...exchange, response: { ...unparsed, body, ...described } };
}
