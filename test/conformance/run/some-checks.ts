import { once } from "../../../conformance/assert.ts";
import { type Check, type Found, type Session, Skip } from "../../../conformance/check.ts";
import type { Report } from "../../../conformance/report/report.ts";
import { type RunOptions, runConformance } from "../../../conformance/run/run.ts";
import type { Target } from "../../../conformance/target.ts";
import type { Exchange } from "../../../conformance/wire/exchange.ts";
import {
  type ClaimId,
  claimIds,
  claims,
  type RequirementId,
} from "../../../generated/requirements.ts";
import { notFound, serve } from "../../support/local-server.ts";
import { targetAt, withToken } from "../runs.ts";

/** Checks with a fixed result, and runs of them against a server that responds to everything. */

export const exchange: Exchange = {
  nr: 1,
  request: { method: "GET", url: "http://127.0.0.1:1/cards?limit=1", headers: {} },
  durationMs: 1,
};
export const breach = { expected: "a", actual: "b", evidence: [exchange] as const };
export const passes = once([]);
export const breaks = once([breach]);
export const noData = new Skip("nothing there", "data of the kind");

export function claimsOf(requirement: RequirementId): ClaimId[] {
  return claimIds.filter((id) => claims[id].requirement === requirement);
}

/** A check of some claims, or of all of a requirement. */
export function check(
  decides: RequirementId | readonly ClaimId[],
  result: Found | Skip | ((session: Session) => Promise<Found | Skip>),
  changed: Partial<Check> = {},
): Check {
  const own = typeof decides === "string" ? claimsOf(decides) : decides;
  const run = typeof result === "function" ? result : async () => result;
  return { claims: own, title: "a", requires: [], run, ...changed } as Check;
}

/** A check that passes after it has done something. */
export function doing(
  decides: RequirementId,
  act: (session: Session) => unknown,
  changed: Partial<Check> = {},
): Check {
  const run = async (session: Session) => {
    await act(session);
    return passes;
  };
  return check(decides, run, changed);
}

export async function runOf(
  checks: readonly Check[],
  options: RunOptions = {},
  changed: Partial<Target> = {},
): Promise<Report> {
  const target = targetAt(await serve(withToken(notFound)), changed);
  return runConformance(target, { patienceMs: 500, ...options }, checks);
}

export const resultIn = (report: Report, wanted: RequirementId = "CONV-06") =>
  report.requirements.find(({ id }) => id === wanted);
