import { exclusions } from "../../generated/exclusions.ts";
import { type RequirementId, requirements } from "../../generated/requirements.ts";
import { UsageError } from "../../src/errors.ts";
import { parseExpiringEntries } from "../../src/expiring-entries.ts";
import { suggestion } from "../../src/nearest.ts";
import { isDecided } from "./groups.ts";
import type { BaselineReport, KnownFailure, Report } from "./report.ts";

/**
 * Reads a baseline: a JSON array of `{"requirement", "reason", "expires"}`.
 *
 * @throws {TxfeedError} `usage` that names the entry and what is wrong with it
 */
export function parseBaseline(text: string): readonly KnownFailure[] {
  const names = ["requirement", "reason", "expires"] as const;
  const entries = parseExpiringEntries(text, "a baseline", names);
  return entries.map((entry, index) => {
    const { requirement } = entry;
    const place = `entry ${index + 1}`;
    if (!isRequirement(requirement)) {
      const ids = Object.keys(requirements);
      const advice = suggestion(requirement, ids, "txfeed conformance --list shows all");
      throw new UsageError(`${place}: there is no requirement "${requirement}"; ${advice}`);
    }
    if (exclusions[requirement] !== undefined) {
      const why = "no run decides it, so it can't be a known failure";
      throw new UsageError(`${place} (${requirement}) is excluded: ${why}`);
    }
    const first = entries.findIndex((other) => other.requirement === requirement);
    if (first < index) {
      throw new UsageError(`${place} lists ${requirement} again, as entry ${first + 1}`);
    }
    return { ...entry, requirement };
  });
}

function isRequirement(id: string): id is RequirementId {
  return Object.hasOwn(requirements, id);
}

/**
 * Compares a report with the known failures. Verdicts do not change; the state of the known
 * failures is added and, with the verdicts, decides whether the run fails.
 *
 * An entry counts only if its requirement was decided. Otherwise it neither fails the run nor
 * excuses a failure, so runs with different capabilities can share a baseline.
 *
 * @param today YYYY-MM-DD.
 */
export function applyBaseline(
  report: Report,
  baseline: readonly KnownFailure[],
  today: string,
): Report {
  const byId = new Map(report.requirements.map((one) => [one.id, one]));
  const classify = ({ requirement, expires }: KnownFailure): keyof BaselineReport => {
    const found = byId.get(requirement);
    if (!found || !isDecided(found)) return "undecided";
    if (found.verdict === "passed") return "stale";
    return expires < today ? "expired" : "known";
  };
  const sorted = Map.groupBy(baseline, classify);
  const { known = [], stale = [], expired = [], undecided = [] } = Object.fromEntries(sorted);
  return { ...report, baseline: { known, stale, expired, undecided } };
}

/** Whether an entry of the baseline excuses a requirement. */
export function isKnown({ baseline }: Report, id: RequirementId): boolean {
  return baseline?.known.some(({ requirement }) => requirement === id) ?? false;
}
