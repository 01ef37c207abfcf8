import { causesOf } from "../../../conformance/report/causes.ts";
import type {
  CheckReport,
  ClaimReport,
  EvidencedFinding,
  Report,
  RequirementReport,
} from "../../../conformance/report/report.ts";
import type { Delivery, Exchange } from "../../../conformance/wire/exchange.ts";
import {
  claims as catalogue,
  claimIds,
  type RequirementId,
  requirements as sentences,
} from "../../../generated/requirements.ts";

/** A GET and its response, as in a report. */
export function exchange(
  nr: number,
  path: string,
  status: number | "no response" = 200,
  body = "{}",
): Exchange {
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
  return { ...base, response: { status, headers, body } };
}

export function delivery(nr: number, name: string): Delivery {
  const at = "2026-01-05T09:00:01.123Z";
  const request = { method: "POST", path: "/", headers: {}, body: "{}" };
  return { nr, name, receivedAt: at, answeredAt: at, request };
}

/** A finding and its check. */
export function finding(
  requirement: RequirementId,
  of: {
    readonly path?: string | undefined;
    readonly expected?: string | undefined;
    readonly actual?: string | undefined;
    readonly evidence: readonly number[];
  },
): EvidencedFinding {
  const { path = "", expected = "200", actual = "500", evidence } = of;
  const level = sentences[requirement].derived ? "warning" : "error";
  const message = `somewhere ${path}: expected ${expected}, got ${actual}`;
  return { requirement, level, path, message, expected, actual, evidence };
}

/** A requirement with findings, all of whose claims fail. */
export function broken(
  id: RequirementId,
  findings: readonly EvidencedFinding[],
  verdict: "failed" | "warned" = "failed",
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
  return { id, verdict, claims: claimsOf(id, { verdict }), checks: [check] };
}

export function passed(id: RequirementId): RequirementReport {
  const checks = [{ name: "a fact", verdict: "passed", assertions: 1 } as const];
  return { id, verdict: "passed", claims: claimsOf(id, { verdict: "passed" }), checks };
}

/** A requirement that a check could not decide. */
export function skipped(id: RequirementId, why: Omit<CheckReport, "name" | "verdict">) {
  const { reason = "", hint } = why;
  const open = { reason, ...(hint !== undefined && { hint }) };
  const claims = claimsOf(id, { verdict: "undecided", ...open });
  const results = claims.map(({ id, verdict }) => ({ id, verdict, situations: [] }));
  const checks = [{ name: "a fact", verdict: "skipped" as const, claims: results, ...why }];
  return { id, verdict: "skipped" as const, ...open, claims, checks };
}

function claimsOf(id: RequirementId, of: Omit<ClaimReport, "id">): ClaimReport[] {
  return claimIds
    .filter((claim) => catalogue[claim].requirement === id)
    .map((claim) => ({ id: claim, ...of }));
}

/** A report of some requirements, with its summary and causes. */
export function reportOf(
  requirements: readonly RequirementReport[],
  more: Partial<Report> = {},
): Report {
  const summary = { passed: 0, failed: 0, warned: 0, partly: 0, skipped: 0, excluded: 0 };
  for (const { verdict } of requirements) summary[verdict] += 1;
  const { traffic = [] } = more;
  const claims = requirements.flatMap(({ claims = [] }) => claims.map(({ verdict }) => verdict));
  const count = (...wanted: string[]) => claims.filter((one) => wanted.includes(one)).length;
  return {
    target: "http://127.0.0.1:1",
    profile: "full",
    startedAt: "2026-01-05T09:00:00.000Z",
    durationMs: 1234,
    summary,
    claims: {
      ...{ total: claims.length, decided: claims.length - count("undecided") },
      ...{ failed: count("failed", "warned"), situations: { total: 0, met: 0 } },
    },
    checks: 3,
    assertions: 1_234,
    requirements,
    causes: causesOf(requirements, traffic),
    suiteErrors: [],
    traffic,
    ...more,
  };
}
