import { exclusions } from "../../generated/exclusions.ts";
import { type RequirementId, requirements } from "../../generated/requirements.ts";
import { UsageError } from "../../src/errors.ts";
import { parseExpiringEntries } from "../../src/expiring-entries.ts";
import { suggestion } from "../../src/nearest.ts";
import { counted } from "../../src/text.ts";
import {
  type BaselineReport,
  isDecided,
  type KnownFailure,
  type Report,
  type RequirementReport,
} from "./report.ts";

/**
 * The result of a run:
 * - `failed`: there is an unknown failure, or the baseline is outdated;
 * - `undecided`: nothing failed, but no check reached a verdict, there were suite errors, or a
 *   headline puts the run in doubt;
 * - `held`: there are no failures except known ones.
 */
export type Ending = "held" | "failed" | "undecided";

export function endingOf(report: Report): Ending {
  const { baseline, summary, suiteErrors } = report;
  const { stale = [], expired = [] } = baseline ?? {};
  if (failuresIn(report).length + stale.length + expired.length > 0) return "failed";
  const decided = summary.passed + summary.failed + summary.warned + summary.partly;
  const isDoubtful = suiteErrors.length > 0 || headlinesOf(report).length > 0;
  return decided === 0 || isDoubtful ? "undecided" : "held";
}

/** The failed requirements that the baseline does not excuse. */
export function failuresIn(report: Report): RequirementReport[] {
  return report.requirements.filter(
    ({ id, verdict }) => verdict === "failed" && !knownFailure(report, id),
  );
}

/** Something that puts the whole run in doubt, for the top of a report. */
export interface Headline {
  readonly text: string;
  /** The same in a few words. */
  readonly why: string;
  /** The requirements that it leaves undecided. */
  readonly requirements: readonly RequirementId[];
}

/** With less than one delivery for this many steps, nearly nothing was delivered. */
const STEPS_PER_DELIVERY = 10;

/**
 * Returns what puts the run in doubt: the target refused the credentials or every verb, nearly
 * nothing was delivered, or the target accepted a verb of the driver but its promised effect did
 * not occur.
 */
export function headlinesOf(report: Pick<Report, "activity" | "requirements">): Headline[] {
  return [
    ...refusedCredentials(report),
    ...completeRefusal(report),
    ...silence(report),
    ...unmetPromises(report),
  ];
}

function refusedCredentials({ requirements }: Pick<Report, "requirements">): Headline[] {
  const tokens = requirements.find(({ id }) => id === "AUTH-01")?.checks ?? [];
  const isRefused = tokens.some(({ findings = [] }) =>
    findings.some(({ path, actual = "" }) => path === "" && /^4\d\d\b/.test(actual)),
  );
  const endpoints = requirements.filter(({ id }) => id.startsWith("EP-"));
  if (!isRefused || endpoints.some(({ verdict }) => verdict !== "skipped")) return [];
  const text =
    "The target issued no token for the run's credentials. Check TXFEED_ACCOUNT_ID, " +
    "TXFEED_CLIENT_ID and TXFEED_CLIENT_SECRET.";
  return [{ text, why: "the run has no token", requirements: [] }];
}

const NOT_DONE = "the target did not do what the driver asked for";

function completeRefusal(report: Pick<Report, "activity" | "requirements">): Headline[] {
  const { activity } = report;
  if (!activity || activity.steps > 0 || refusedVerbsIn(report).length === 0) return [];
  const text =
    "The target refused every verb of the driver that was called. " +
    "`txfeed driver check` tries each of them.";
  return [{ text, why: NOT_DONE, requirements: [] }];
}

function silence({ activity }: Pick<Report, "activity">): Headline[] {
  if (!activity || activity.deliveries * STEPS_PER_DELIVERY >= activity.steps) return [];
  const { deliveries, steps } = activity;
  const got =
    deliveries === 0
      ? "Nothing was delivered"
      : `Nearly nothing was delivered: ${counted(deliveries, "delivery", "deliveries")}`;
  const text =
    `${got} after ${counted(steps, "step")} that must send events. ` +
    "Check that the target delivers every event to the URL of the run's receiver.";
  return [{ text, why: NOT_DONE, requirements: [] }];
}

function unmetPromises(report: Pick<Report, "requirements">): Headline[] {
  return idsByReason(report, "unmet").map(([reason, ids]) => ({
    text: `The target accepted a verb of the driver, but its effect did not occur: ${reason}`,
    why: NOT_DONE,
    requirements: ids,
  }));
}

/** The requirements of the checks with a mark, by the reason of the checks. */
function idsByReason({ requirements }: Pick<Report, "requirements">, mark: "unmet" | "refused") {
  const marked = requirements.flatMap(({ id, checks }) =>
    checks.flatMap(({ [mark]: isMarked, reason = "" }) => (isMarked ? [{ id, reason }] : [])),
  );
  return [...Map.groupBy(marked, ({ reason }) => reason)].map(
    ([reason, all]) => [reason, [...new Set(all.map(({ id }) => id))]] as const,
  );
}

/** Names the verbs of the driver that the target refused, with what they leave undecided. */
export function refusedVerbsIn(report: Pick<Report, "requirements">): string[] {
  return idsByReason(report, "refused").map(([reason, ids]) => {
    return `${reason}; affects ${counted(ids.length, "requirement")}`;
  });
}

/** Describes the requests that the run's receiver refused, one sentence each. */
export function refusalsIn({ refusals }: Pick<Report, "refusals">): string[] {
  if (!refusals) return [];
  const { atOtherPaths, tooLarge, whenFull } = refusals;
  const deliveries = (count: number) => counted(count, "delivery", "deliveries");
  const atOthers = `${counted(atOtherPaths, "request")} at other paths (404): not counted`;
  return [
    ...(atOtherPaths > 0 ? [`${atOthers} as deliveries`] : []),
    ...(tooLarge > 0 ? [`${deliveries(tooLarge)} too large to keep (413)`] : []),
    ...(whenFull > 0 ? [`${deliveries(whenFull)} after the receiver was full (503)`] : []),
  ].map((what) => `the run's receiver refused ${what}`);
}

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

/** The entry of the baseline that excuses a requirement. */
export function knownFailure({ baseline }: Report, id: RequirementId): KnownFailure | undefined {
  return baseline?.known.find(({ requirement }) => requirement === id);
}
