import {
  type ClaimId,
  type RequirementId,
  requirements,
  type Situation,
} from "../../generated/requirements.ts";
import { inOneLine } from "../../src/contract/describe.ts";
import { findingOf, warningOf } from "../../src/contract/finding.ts";
import { reasonOf, TxfeedError } from "../../src/errors.ts";
import { shortened } from "../../src/text.ts";
import { type Breach, type Check, type Found, requirementOf, type Session } from "../check.ts";
import { bodyBreaches } from "../observe/body-checks.ts";
import type { CheckReport, ClaimVerdict, EvidencedFinding, SuiteError } from "../report/report.ts";
import { Aborted, Refused, Skip, Unmet } from "../skip.ts";
import { type Capability, missingCapabilities, missingCapability } from "../target.ts";
import { curlOf, type Delivery, type Exchange, isDelivery } from "../wire/exchange.ts";

/** The title of the check that {@link CheckRunner.runCatchAll} reports. */
const NO_BODY = "no body violates the requirement";

/** Limits of a report: a target can violate everything in many places, with huge values. */
const MAX_FINDINGS = 20_000;
const MAX_FINDINGS_OF_CHECK = 1_000;
const MAX_SHOWN_BY = 20;
const MAX_TEXT = 1_000;
const MAX_CURL = 10_000;

/** Runs single checks on demand and keeps their reports. */
export class CheckRunner {
  /** Errors of the suite itself. */
  readonly suiteErrors: SuiteError[] = [];
  readonly reports = new Map<Check, CheckReport>();
  readonly #session: Session;
  readonly #strict: boolean;
  readonly #traffic = new Map<number, Exchange | Delivery>();
  /** Skips that leave the claims undecided, whatever other checks say. */
  readonly #blocking = new Set<CheckReport>();
  #driven: Promise<unknown> = Promise.resolve();
  #findings = 0;

  /**
   * @param strict Whether a violation of a derived requirement is a failure instead of a warning.
   */
  constructor(session: Session, strict = false) {
    this.#session = session;
    this.#strict = strict;
  }

  /** The exchanges and deliveries that findings refer to by number, in order of arrival. */
  traffic(): (Exchange | Delivery)[] {
    return [...this.#traffic.values()].sort((a, b) => a.nr - b.nr);
  }

  /**
   * Runs a check. Checks that drive the target run one after another.
   *
   * @returns Resolves to its report. A check with an unexpected error is reported as skipped.
   * @throws {TxfeedError} The error that ended the run, such as `unreachable`.
   */
  async run(check: Check): Promise<CheckReport> {
    const report = await this.#inTurn(check);
    this.reports.set(check, report);
    return report;
  }

  /**
   * Reports the violations of a requirement that the contract finds in any body, even if none of
   * its checks covers them.
   *
   * @returns Undefined if there are none, or if its checks have already reported a violation.
   */
  async runCatchAll(id: RequirementId): Promise<CheckReport | undefined> {
    const own = [...this.reports].filter(([check]) => requirementOf(check) === id);
    if (own.some(([, { verdict }]) => verdict === "failed" || verdict === "warned")) return;
    const stray = await this.#guard(id, NO_BODY, () => bodyBreaches(this.#session, id));
    if (stray instanceof Skip || stray.length === 0) return;
    return this.#reportOf(id, NO_BODY, { assertions: stray.length, breaches: stray });
  }

  /** Whether a check was stopped or refused, which leaves its claims undecided. */
  isBlocking(report: CheckReport): boolean {
    return this.#blocking.has(report);
  }

  #inTurn(check: Check): Promise<CheckReport> {
    if (phaseOf(check) !== "drive") return this.#run(check);
    const turn = this.#driven.then(() => this.#run(check));
    this.#driven = turn.catch(() => {});
    return turn;
  }

  async #run(check: Check): Promise<CheckReport> {
    const { title: name } = check;
    const requirement = requirementOf(check);
    const missing = missingCapability(check.requires, this.#session.capabilities);
    if (missing) {
      const { reason } = missing;
      return {
        ...{ name, verdict: "skipped", reason, ...hintsOf(missing) },
        ...this.#missing(check.requires),
        ...claimResults(check),
      };
    }
    const session = this.#session.named(`${requirement}: ${name}`);
    const found = await this.#guard(requirement, name, async () => {
      const seen = withoutThrottled(await check.run(session), check);
      if (seen instanceof Skip) return seen;
      const found = { ...seen, breaches: withOnlyClaim(seen.breaches, check) };
      return withClaims(this.#reportOf(requirement, name, found), check, found);
    });
    if (!(found instanceof Skip)) return found;
    const reason = shortened(found.reason, MAX_TEXT);
    const report: CheckReport = {
      ...{ name, verdict: "skipped", reason, ...hintsOf(found) },
      ...this.#missing(verbsIn(found)),
      ...claimResults(check),
      ...(found instanceof Unmet && { unmet: true as const }),
      ...(found instanceof Refused && { refused: true as const }),
    };
    if (BLOCKING.some((kind) => found instanceof kind)) this.#blocking.add(report);
    return report;
  }

  /** The field of a report that lists what the run lacks. */
  #missing(wanted: readonly Capability[]): Pick<CheckReport, "missing"> {
    const missing = missingCapabilities(wanted, this.#session.capabilities);
    return missing.length > 0 ? { missing } : {};
  }

  /** Runs a check; an unexpected exception is a suite error, not a verdict. */
  async #guard<T>(
    requirement: RequirementId,
    check: string,
    run: () => Promise<T>,
  ): Promise<T | Skip> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof TxfeedError) throw error;
      if (error instanceof Skip) return error;
      const message = reasonOf(error);
      this.suiteErrors.push({ requirement, check, message });
      return new Aborted(`internal error of the suite, please report it: ${message}`);
    }
  }

  /** Builds the report of a check that ran. */
  #reportOf(id: RequirementId, name: string, { assertions, breaches }: Found): CheckReport {
    const [breach] = breaches;
    if (!breach) return { name, verdict: "passed", assertions };
    const findings = this.#bounded(breaches).map((each): EvidencedFinding => {
      const { path = "", expected, actual } = each;
      const evidence = each.evidence.slice(0, MAX_SHOWN_BY);
      for (const traffic of evidence) this.#traffic.set(traffic.nr, traffic);
      const place = `${shortened(placeOf(each.evidence[0]), MAX_TEXT)}${path && ` ${path}`}`;
      const make = each.isWarning ? warningOf : findingOf;
      const finding = make(id, place, { path, expected, actual: inOneLine(actual) });
      const { claim } = each;
      return {
        ...finding,
        ...(claim !== undefined && { claim }),
        evidence: evidence.map(({ nr }) => nr),
      };
    });
    const left = breaches.length - findings.length;
    const areWarnings = requirements[id].derived || breaches.every((one) => one.isWarning);
    const isWarning = areWarnings && !this.#strict;
    const [first] = breach.evidence;
    const reproduce = isDelivery(first) ? undefined : curlOf(first.request);
    return {
      name,
      verdict: isWarning ? "warned" : "failed",
      assertions,
      expected: shortened(breach.expected, MAX_TEXT),
      actual: shortened(breach.actual, MAX_TEXT),
      ...(reproduce !== undefined && reproduce.length <= MAX_CURL && { reproduce }),
      findings,
      ...(left > 0 && { findingsLeftOut: left }),
    };
  }

  /** Returns the violations that fit into the report, at least one, with shortened texts. */
  #bounded(breaches: readonly Breach[]): Breach[] {
    const room = Math.min(MAX_FINDINGS_OF_CHECK, MAX_FINDINGS - this.#findings);
    const reported = breaches.slice(0, Math.max(1, room));
    this.#findings += reported.length;
    return reported.map((breach) => ({
      ...breach,
      ...(breach.path !== undefined && { path: shortened(breach.path, MAX_TEXT) }),
      expected: shortened(breach.expected, MAX_TEXT),
      actual: shortened(breach.actual, MAX_TEXT),
    }));
  }
}

/** Skips after which no other check decides a claim. */
const BLOCKING = [Aborted, Refused, Unmet];

/**
 * Drops the violations that follow from a request that the target throttled. Their claims are
 * undecided.
 */
function withoutThrottled(found: Found | Skip, { claims = [] }: Check): Found | Skip {
  if (found instanceof Skip) return found;
  const throttled = new Map(found.breaches.map((breach) => [breach, throttledIn(breach)]));
  const breaches = found.breaches.filter((breach) => !throttled.get(breach));
  const dropped = found.breaches.filter((breach) => throttled.get(breach));
  const [first] = dropped;
  if (!first) return found;
  if (breaches.length === 0) return new Aborted(`${throttled.get(first)}`);
  const open = new Set(dropped.map(({ claim }) => claim));
  const decided = found.decided ?? new Map(claims.map((claim) => [claim, new Set<Situation>()]));
  const rest = [...decided].filter(([claim]) => !open.has(claim) && !open.has(undefined));
  return { ...found, breaches, decided: new Map(rest) };
}

/** Why a request that a violation depends on was never answered; undefined if all were. */
function throttledIn({ evidence }: Breach): string | undefined {
  const found = evidence.find((one) => !isDelivery(one) && one.throttled);
  return found && (found as Exchange).failure;
}

/** Names the claim of each breach, if the check has only one. */
function withOnlyClaim(breaches: readonly Breach[], { claims = [] }: Check): readonly Breach[] {
  const [claim, second] = claims;
  if (claim === undefined || second !== undefined) return breaches;
  return breaches.map((breach) => ({ claim, ...breach }));
}

function withClaims(report: CheckReport, check: Check, found: Found): CheckReport {
  const { verdict } = report;
  const worst = verdict === "failed" || verdict === "warned" ? verdict : "passed";
  return { ...report, ...claimResults(check, found, worst) };
}

/**
 * What a check says about its claims: all are undecided if it found nothing.
 *
 * @param worst The verdict on the claims that a breach names.
 */
function claimResults(
  { claims }: Check,
  found?: Found,
  worst: ClaimVerdict = "passed",
): Pick<CheckReport, "claims"> {
  if (!claims) return {};
  const { breaches = [], situations = [], decided } = found ?? {};
  const violated = new Set(breaches.map(({ claim }) => claim));
  const verdictOf = (id: ClaimId): ClaimVerdict => {
    if (violated.has(id) || violated.has(undefined)) return worst;
    return found && (decided?.has(id) ?? true) ? "passed" : "undecided";
  };
  return {
    claims: claims.map((id) => {
      const all = new Set([...situations, ...(decided?.get(id) ?? [])]);
      return { id, verdict: verdictOf(id), situations: [...all] };
    }),
  };
}

/** The fields of a report that carry a hint. */
function hintsOf({ hint }: Pick<Skip, "hint">): Pick<CheckReport, "hint" | "hintOptions"> {
  if (hint === undefined) return {};
  return typeof hint === "string" ? { hint } : { hint: hint.flags, hintOptions: hint.options };
}

/** The verbs that a hint suggests. */
function verbsIn({ hint }: Pick<Skip, "hint">): Capability[] {
  const verbs = typeof hint === "object" ? (hint.verbs ?? []) : [];
  return verbs.map((verb) => `verb:${verb}` as Capability);
}

/** The phases of a run, in order. A check may use what earlier phases caused. */
export const phases = ["ask", "drive", "compare"] as const;

/**
 * The phase of a check: `ask` only sends requests, `drive` changes the target, `compare` uses all
 * deliveries of the run.
 */
export function phaseOf({ requires }: Check): (typeof phases)[number] {
  if (requires.some((need) => need.startsWith("verb:") || need === "writes")) return "drive";
  return requires.includes("deliveries") ? "compare" : "ask";
}

/** Names the exchange or delivery of a finding. */
function placeOf(traffic: Exchange | Delivery): string {
  if (isDelivery(traffic)) return traffic.name || "a delivery";
  const { method, url } = traffic.request;
  return `${method} ${new URL(url).pathname}`;
}
