import { exclusions } from "../generated/exclusions.ts";
import { type RequirementId, requirementIds, requirements } from "../generated/requirements.ts";
import { findingOf } from "../src/contract/finding.ts";
import { reasonOf, TxfeedError } from "../src/errors.ts";
import { type Breach, type Check, needs, Unseen } from "./check.ts";
import { checks as allChecks } from "./checks/index.ts";
import { curlOf, type RecordedResponse } from "./exchange.ts";
import type {
  CheckReport,
  EvidencedFinding,
  Report,
  RequirementReport,
  Verdict,
} from "./report.ts";
import { Session, type Target } from "./session.ts";
import { breachesOfShape } from "./shape.ts";

/**
 * Runs the checks against a target.
 *
 * @returns Resolves to the report. Rejects with a TxfeedError `unreachable` where nothing answers.
 */
export async function runConformance(target: Target, checks = allChecks): Promise<Report> {
  const start = performance.now();
  const session = new Session(target);
  const reports: RequirementReport[] = [];
  for (const id of requirementIds) {
    const own = checks.filter(({ requirement }) => requirement === id);
    reports.push(await runRequirement(id, own, session));
  }
  return {
    target: session.target.baseUrl,
    profile: target.profile,
    durationMs: Math.round(performance.now() - start),
    summary: summarize(reports),
    requirements: reports,
  };
}

async function runRequirement(
  id: RequirementId,
  checks: readonly Check[],
  session: Session,
): Promise<RequirementReport> {
  const excluded = exclusions[id];
  if (excluded !== undefined) return { id, verdict: "excluded", reason: excluded, checks: [] };
  const reports: CheckReport[] = [];
  for (const check of checks) reports.push(await runCheck(check, session));
  if (!checks.some(({ coversShape }) => coversShape)) {
    // What the answers show against a requirement is told, whether or not a check looks for it.
    const breaches = await breachesOfShape(session, id);
    if (breaches.length > 0) reports.push(judge(id, "no answer breaks it", breaches, session));
  }
  if (reports.length === 0) return { id, verdict: "skipped", reason: whyUnchecked(id), checks: [] };
  const verdict = worst(reports);
  const reason = verdict === "skipped" && reports.find((report) => report.reason)?.reason;
  return { id, verdict, ...(reason && { reason }), checks: reports };
}

async function runCheck(check: Check, session: Session): Promise<CheckReport> {
  const { requirement, title: name } = check;
  const missing = check.needs.find((need) => need === "state" && session.target.profile === "mock");
  if (missing) return { name, verdict: "skipped", reason: needs[missing] };
  const result = await look(check, session);
  if (result instanceof Unseen) return { name, verdict: "skipped", reason: result.reason };
  return judge(requirement, name, result, session);
}

/** Stamps a requirement and its weight, in one place for what holds and for what does not. */
function judge(
  requirement: RequirementId,
  name: string,
  breaches: readonly Breach[],
  { secrets }: Session,
): CheckReport {
  const [breach] = breaches;
  if (!breach) return { name, verdict: "passed" };
  const findings = breaches.map(({ path = "", expected, actual, exchange }): EvidencedFinding => {
    const { request, response } = exchange;
    const place = `${request.method} ${new URL(request.url).pathname}${path && ` ${path}`}`;
    return {
      ...findingOf(requirement, place, { path, expected, actual }),
      request,
      ...(response && { response: withoutParsed(response) }),
    };
  });
  const { expected, actual, exchange } = breach;
  const verdict = requirements[requirement].derived ? "warned" : "failed";
  const reproduce = curlOf(secrets.drop(exchange.request));
  return { ...secrets.drop({ name, verdict, expected, actual, findings }), reproduce };
}

/** The body stands in a report once, as it came. */
function withoutParsed({ status, headers, body }: RecordedResponse): RecordedResponse {
  return { status, headers, body };
}

/**
 * Runs a check. A fault of its own is the suite's: it decides nothing, and is never the target's.
 */
async function look(check: Check, session: Session): ReturnType<Check["run"]> {
  try {
    return await check.run(session);
  } catch (error) {
    if (error instanceof TxfeedError) throw error;
    if (error instanceof Unseen) return error;
    return new Unseen(`a fault of the suite, please report it: ${reasonOf(error)}`);
  }
}

/** A requirement is what its worst check is; one check that could not look leaves it undecided. */
function worst(reports: readonly CheckReport[]): Verdict {
  const order: Verdict[] = ["failed", "warned", "skipped"];
  return order.find((verdict) => reports.some((report) => report.verdict === verdict)) ?? "passed";
}

/** Why nothing looks at a requirement, by what would decide it. */
function whyUnchecked(id: RequirementId): string {
  const { how } = requirements[id];
  if (how.includes("http")) {
    return "compares answers of a server that keeps state, which this version does not do yet";
  }
  if (how.includes("sequence")) {
    return "compares webhook deliveries, which this version does not receive yet";
  }
  if (how.includes("schema")) {
    return "stands in webhook deliveries, which this version does not receive yet";
  }
  if (how.includes("driven")) {
    return "needs the implementation to be driven, which this version cannot do yet";
  }
  return "compares fields with each other, which this version does not do yet";
}

function summarize(reports: readonly RequirementReport[]): Record<Verdict, number> {
  const summary = { passed: 0, failed: 0, warned: 0, skipped: 0, excluded: 0 };
  for (const { verdict } of reports) summary[verdict] += 1;
  return summary;
}
