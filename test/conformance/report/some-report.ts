import { causesOf } from "../../../conformance/report/causes.ts";
import type {
  CheckReport,
  EvidencedFinding,
  Report,
  RequirementReport,
  Verdict,
} from "../../../conformance/report/report.ts";
import type { Delivery, Exchange } from "../../../conformance/wire/exchange.ts";
import { type RequirementId, requirements } from "../../../generated/requirements.ts";

/** A GET and its response, as in a report. */
export function exchange(nr: number, path: string, status: number | "no response" = 200): Exchange {
  const base = {
    nr,
    request: {
      method: "GET",
      url: `http://127.0.0.1:1${path}`,
      headers: { authorization: "Bearer $TXFEED_TOKEN" },
    },
    durationMs: 1,
  };
  if (status === "no response") return { ...base, failure: "reset" };
  const headers = { "content-type": "application/json" };
  return { ...base, response: { status, headers, body: "{}" } };
}

export function delivery(nr: number, name: string): Delivery {
  const at = "2026-01-05T09:00:01.123Z";
  const request = { method: "POST", path: "/", headers: {}, body: "{}" };
  return { nr, name, receivedAt: at, answeredAt: at, request };
}

/** A finding and its check. */
export function finding(
  requirement: RequirementId,
  of: { path?: string; expected?: string; actual?: string; evidence: number[] },
): EvidencedFinding {
  const { path = "", expected = "200", actual = "500", evidence } = of;
  const level = requirements[requirement].derived ? "warning" : "error";
  const message = `somewhere ${path}: expected ${expected}, got ${actual}`;
  return { requirement, level, path, message, expected, actual, evidence };
}

/** A requirement with findings. */
export function broken(
  id: RequirementId,
  findings: readonly EvidencedFinding[],
  verdict: Verdict = "failed",
): RequirementReport {
  const [{ expected, actual } = {}] = findings;
  const check: CheckReport = {
    name: "a fact",
    verdict,
    assertions: findings.length,
    ...(expected !== undefined && { expected }),
    ...(actual !== undefined && { actual }),
    findings,
  };
  return { id, verdict, checks: [check] };
}

export function passed(id: RequirementId): RequirementReport {
  return { id, verdict: "passed", checks: [{ name: "a fact", verdict: "passed", assertions: 1 }] };
}

/** A report of some requirements, with its summary and causes. */
export function reportOf(
  requirements: readonly RequirementReport[],
  more: Partial<Report> = {},
): Report {
  const summary = { passed: 0, failed: 0, warned: 0, partly: 0, skipped: 0, excluded: 0 };
  for (const { verdict } of requirements) summary[verdict] += 1;
  const { traffic = [] } = more;
  return {
    target: "http://127.0.0.1:1",
    profile: "full",
    startedAt: "2026-01-05T09:00:00.000Z",
    durationMs: 1234,
    summary,
    claims: { total: 0, decided: 0, failed: 0, situations: { total: 0, met: 0 } },
    checks: 3,
    assertions: 1_234,
    requirements,
    causes: causesOf(requirements, traffic),
    suiteErrors: [],
    traffic,
    ...more,
  };
}
