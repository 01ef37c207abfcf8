import { type ClaimId, claims as catalogue, type Situation } from "../../generated/requirements.ts";
import { inOneLine } from "../../src/contract/describe.ts";
import { findingOf, noticeOf, warningOf } from "../../src/contract/finding.ts";
import { reasonOf, TxfeedError } from "../../src/errors.ts";
import { shortened } from "../../src/text.ts";
import { nameOf } from "../assert.ts";
import {
  type Breach,
  type Check,
  type ClaimBreach,
  type Found,
  requirementOf,
  type Session,
} from "../check.ts";
import type { CheckReport, ClaimVerdict, EvidencedFinding, SuiteError } from "../report/report.ts";
import { Aborted, Refused, Skip, Unmet } from "../skip.ts";
import { type Capability, missingCapabilities, missingCapability } from "../target.ts";
import { curlOf, type Delivery, type Exchange, isDelivery } from "../wire/exchange.ts";

/** Limits of a report: a target can violate everything in many places, with huge values. */
const MAX_FINDINGS = 20_000;
const MAX_FINDINGS_OF_CHECK = 1_000;
const MAX_SHOWN_BY = 20;
const MAX_TEXT = 1_000;
const MAX_CURL = 10_000;

/** The report of a check. */
export interface CheckResult {
  readonly report: CheckReport;
  /** Whether it was stopped or refused: its claims are undecided, whatever other checks say. */
  readonly isBlocking: boolean;
}

/** Runs single checks on demand. */
export class CheckRunner {
  /** Errors of the suite itself. */
  readonly suiteErrors: SuiteError[] = [];
  readonly #session: Session;
  readonly #strict: boolean;
  readonly #traffic = new Map<number, Exchange | Delivery>();
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
  run(check: Check): Promise<CheckResult> {
    if (phaseOf(check) !== "drive") return this.#run(check);
    const turn = this.#driven.then(() => this.#run(check));
    this.#driven = turn.catch(() => {});
    return turn;
  }

  async #run(check: Check): Promise<CheckResult> {
    const { title, requires } = check;
    const lacking = missingCapability(requires, this.#session.capabilities);
    if (lacking) return this.#resultOf(check, new Skip(lacking.reason, lacking.hint), requires);
    const requirement = requirementOf(check);
    try {
      const found = await check.run(this.#session.named(`${requirement}: ${title}`));
      return this.#resultOf(check, withoutThrottled(found, check));
    } catch (error) {
      if (error instanceof TxfeedError) throw error;
      if (error instanceof Skip) return this.#resultOf(check, error);
      const message = reasonOf(error);
      this.suiteErrors.push({ requirement, check: title, message });
      const reason = `internal error of the suite, please report it: ${message}`;
      return this.#resultOf(check, new Aborted(reason));
    }
  }

  /** @param required What the check requires, if the run lacks some of it. */
  #resultOf(check: Check, seen: Found | Skip, required?: readonly Capability[]): CheckResult {
    const { title: name, wants = [] } = check;
    const found =
      seen instanceof Skip ? undefined : { ...seen, breaches: withClaims(seen.breaches, check) };
    const skip = seen instanceof Skip ? seen : seen.assertions === 0 ? firstOf(seen) : undefined;
    const wanted = required ?? [...wants, ...(skip ? verbsIn(skip) : [])];
    const missing = missingCapabilities(wanted, this.#session.capabilities);
    const report: CheckReport = {
      ...(found && !skip ? this.#reportOf(name, found) : skippedBy(skip as Skip, name)),
      ...(found && this.#notices(found)),
      ...(missing.length > 0 && { missing }),
      ...claimResults(check, found, this.#strict),
    };
    return { report, isBlocking: BLOCKING.some((kind) => skip instanceof kind) };
  }

  /** Builds the report of a check that ran. */
  #reportOf(name: string, { assertions, breaches }: Found<ClaimBreach>): CheckReport {
    const [breach] = breaches;
    if (!breach) return { name, verdict: "passed", assertions };
    const findings = this.#bounded(breaches).map((each) =>
      this.#finding(each, each.isWarning ? warningOf : findingOf),
    );
    const left = breaches.length - findings.length;
    const [first] = breach.evidence;
    const reproduce = isDelivery(first) ? undefined : curlOf(first.request);
    return {
      name,
      verdict: verdictOn(breaches, this.#strict),
      assertions,
      expected: shortened(breach.expected, MAX_TEXT),
      actual: shortened(breach.actual, MAX_TEXT),
      ...(reproduce !== undefined && reproduce.length <= MAX_CURL && { reproduce }),
      findings,
      ...(left > 0 && { findingsLeftOut: left }),
    };
  }

  /** A finding of a violation. Its evidence becomes part of the report. */
  #finding(breach: ClaimBreach, make: typeof findingOf): EvidencedFinding {
    const { claim, path = "", expected, actual } = breach;
    const evidence = breach.evidence.slice(0, MAX_SHOWN_BY);
    for (const traffic of evidence) this.#traffic.set(traffic.nr, traffic);
    const place = `${shortened(nameOf(breach.evidence[0]), MAX_TEXT)}${path && ` ${path}`}`;
    const finding = make(claim, place, { path, expected, actual: inOneLine(actual) });
    return { ...finding, evidence: evidence.map(({ nr }) => nr) };
  }

  /** The field of a report with what a run with all deliveries would report. */
  #notices({ notices = [] }: Found): Pick<CheckReport, "notices"> {
    if (notices.length === 0) return {};
    return { notices: this.#bounded(notices).map((each) => this.#finding(each, noticeOf)) };
  }

  /** Returns the violations that fit into the report, at least one, with shortened texts. */
  #bounded(breaches: readonly ClaimBreach[]): ClaimBreach[] {
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

function skippedBy(skip: Skip, name: string): CheckReport {
  return {
    ...{ name, verdict: "skipped", reason: shortened(skip.reason, MAX_TEXT), ...hintsOf(skip) },
    ...(skip instanceof Unmet && { unmet: true as const }),
    ...(skip instanceof Refused && { refused: true as const }),
  };
}

/**
 * Drops the violations that follow from a request that the target throttled. Their claims are
 * undecided.
 */
function withoutThrottled(found: Found | Skip, check: Check): Found | Skip {
  if (found instanceof Skip) return found;
  const all = withClaims(found.breaches, check);
  const throttled = new Map(all.map((breach) => [breach, throttledIn(breach)]));
  const breaches = all.filter((breach) => !throttled.get(breach));
  const dropped = all.filter((breach) => throttled.get(breach));
  const [first] = dropped;
  if (!first) return found;
  if (breaches.length === 0) return new Aborted(`${throttled.get(first)}`);
  const open = new Set(dropped.map(({ claim }) => claim));
  const decided =
    found.decided ?? new Map(check.claims.map((claim) => [claim, new Set<Situation>()]));
  const rest = [...decided].filter(([claim]) => !open.has(claim));
  return { ...found, breaches, decided: new Map(rest) };
}

/** Why a request that a violation depends on was never answered; undefined if all were. */
function throttledIn({ evidence }: Breach): string | undefined {
  const found = evidence.find((one) => !isDelivery(one) && one.throttled);
  return found && (found as Exchange).failure;
}

/** Names the claim of each breach of a check that has only one. */
function withClaims(breaches: readonly Breach[], { claims: [claim] }: Check): ClaimBreach[] {
  return breaches.map((breach) => ({ claim, ...breach }));
}

/** The verdict on something with breaches. A breach of a derived claim is a warning. */
function verdictOn(breaches: readonly ClaimBreach[], strict: boolean): "failed" | "warned" {
  const areWarnings = breaches.every(
    ({ claim, isWarning }) => isWarning || catalogue[claim].derived,
  );
  return areWarnings && !strict ? "warned" : "failed";
}

/** What a check says about its claims: all are undecided if it found nothing. */
function claimResults(
  { claims }: Check,
  found?: Found,
  strict = false,
): Pick<CheckReport, "claims"> {
  const { breaches = [], situations = [], decided, open } = found ?? {};
  const verdictOf = (id: ClaimId): ClaimVerdict => {
    const own = breaches.filter(({ claim }) => claim === id) as ClaimBreach[];
    if (own.length > 0) return verdictOn(own, strict);
    return found && (decided?.has(id) ?? true) ? "passed" : "undecided";
  };
  return {
    claims: claims.map((id) => {
      const all = new Set([...situations, ...(decided?.get(id) ?? [])]);
      const why = open?.get(id);
      return {
        ...{ id, verdict: verdictOf(id), situations: [...all] },
        ...(why && { reason: shortened(why.reason, MAX_TEXT), ...hintsOf(why) }),
      };
    }),
  };
}

/** Why the first claim of a check without cases is open. */
function firstOf({ open }: Found): Skip {
  const [first] = open?.values() ?? [];
  return first ?? new Skip("no case occurred");
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
export function phaseOf({ requires, phase }: Check): (typeof phases)[number] {
  if (phase) return phase;
  if (requires.some((need) => need.startsWith("verb:") || need === "writes")) return "drive";
  return requires.includes("deliveries") ? "compare" : "ask";
}
