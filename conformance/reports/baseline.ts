import { exclusions } from "../../generated/exclusions.ts";
import { type RequirementId, requirements } from "../../generated/requirements.ts";
import { formats } from "../../src/contract/formats.ts";
import { type TxfeedError, UsageError } from "../../src/errors.ts";
import { suggestion } from "../../src/nearest.ts";
import { isDecided } from "./groups.ts";
import type { Report } from "./report.ts";

/** A failure that is known, and until when it is put up with. */
export interface KnownFailure {
  readonly requirement: RequirementId;
  readonly reason: string;
  /** The last day, YYYY-MM-DD. */
  readonly expires: string;
}

/** What became of the known failures. */
export interface BaselineReport {
  /** They fail, as is known: they do not fail the run. */
  readonly known: readonly KnownFailure[];
  /** They pass: each fails the run until it is taken out. */
  readonly stale: readonly KnownFailure[];
  /** They fail, and their day is over: each fails the run. */
  readonly expired: readonly KnownFailure[];
  /** This run could not tell, or was not asked to: they neither fail it nor excuse anything. */
  readonly undecided: readonly KnownFailure[];
}

const MEMBERS = ["requirement", "reason", "expires"];

/**
 * Reads a baseline: a JSON array of `{"requirement", "reason", "expires"}`. Throws a TxfeedError
 * `usage` that names the entry and what is wrong with it.
 */
export function parseBaseline(text: string): readonly KnownFailure[] {
  let entries: unknown;
  try {
    entries = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    throw refusal(`it is not JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(entries)) {
    throw refusal('a baseline is an array of {"requirement", "reason", "expires"}');
  }
  const known: KnownFailure[] = [];
  for (const [at, entry] of entries.entries()) {
    const failure = entryOf(entry, `entry ${at + 1}`);
    const before = known.findIndex(({ requirement }) => requirement === failure.requirement);
    if (before >= 0) {
      throw refusal(`entry ${at + 1} lists ${failure.requirement} again, as entry ${before + 1}`);
    }
    known.push(failure);
  }
  return known;
}

function entryOf(entry: unknown, place: string): KnownFailure {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
    throw refusal(`${place} is no object with requirement, reason and expires`);
  }
  const { requirement, reason, expires } = entry as Record<string, unknown>;
  const unknown = Object.keys(entry).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) {
    throw refusal(`${place} has a member '${unknown}' (there are: ${MEMBERS.join(", ")})`);
  }
  if (typeof requirement !== "string") throw refusal(`${place} names no requirement`);
  if (!isRequirement(requirement)) {
    const ids = Object.keys(requirements);
    const advice = suggestion(requirement, ids, "txfeed conformance --list shows all");
    throw refusal(`${place}: there is no requirement '${requirement}'; ${advice}`);
  }
  const named = `${place} (${requirement})`;
  if (exclusions[requirement] !== undefined) {
    throw refusal(`${named} is excluded: no run decides it, so it can't be a known failure`);
  }
  if (typeof reason !== "string" || reason.trim() === "") throw refusal(`${named} has no reason`);
  if (typeof expires !== "string") {
    throw refusal(`${named} has no expires: the last day that it is put up with, YYYY-MM-DD`);
  }
  if (!formats.date(expires)) {
    throw refusal(`${named} expires on '${expires}', which is no day in the form YYYY-MM-DD`);
  }
  return { requirement, reason, expires };
}

function isRequirement(id: string): id is RequirementId {
  return Object.hasOwn(requirements, id);
}

function refusal(what: string): TxfeedError {
  return new UsageError(what);
}

/**
 * Holds a report against what is known to fail. Verdicts stay as they are; what became of the known
 * failures is added, and decides with them whether the run fails.
 *
 * An entry counts where its requirement was decided. In a run that could not tell it neither fails
 * nor excuses anything, so that runs with different means share a baseline.
 *
 * @param today YYYY-MM-DD.
 */
export function applyBaseline(
  report: Report,
  baseline: readonly KnownFailure[],
  today: string,
): Report {
  const byId = new Map(report.requirements.map((one) => [one.id, one]));
  const fate = ({ requirement, expires }: KnownFailure): keyof BaselineReport => {
    const found = byId.get(requirement);
    if (!found || !isDecided(found)) return "undecided";
    if (found.verdict === "passed") return "stale";
    return expires < today ? "expired" : "known";
  };
  const sorted = Map.groupBy(baseline, fate);
  const { known = [], stale = [], expired = [], undecided = [] } = Object.fromEntries(sorted);
  return { ...report, baseline: { known, stale, expired, undecided } };
}

/** Whether an entry of the baseline excuses a requirement. */
export function isKnown({ baseline }: Report, id: RequirementId): boolean {
  return baseline?.known.some(({ requirement }) => requirement === id) ?? false;
}
