import { exclusions } from "../generated/exclusions.ts";
import { type RequirementId, requirementIds, requirements } from "../generated/requirements.ts";
import { findingOf, warningOf } from "../src/contract/finding.ts";
import { reasonOf, TxfeedError } from "../src/errors.ts";
import type { Breach, Check } from "./check.ts";
import { type Delivery, isDelivery } from "./deliveries/delivery.ts";
import { lackOf } from "./means.ts";
import { causesOf } from "./reports/causes.ts";
import type {
  CheckReport,
  EvidencedFinding,
  Report,
  RequirementReport,
  SuiteFault,
  Verdict,
} from "./reports/report.ts";
import { shownInReport } from "./reports/shown.ts";
import { shortened } from "./reports/text.ts";
import type { Session } from "./session.ts";
import { strayBreaches } from "./shape.ts";
import { CutShort, Refused, Unseen } from "./unseen.ts";
import { curlOf, type Exchange } from "./wire/exchange.ts";

/** What a run is judged by, besides its checks. */
export interface JudgeOptions {
  /** Groups or ids; all unless set. */
  readonly only?: readonly string[] | undefined;
  /** Whether what breaks a derived requirement fails it, rather than warns. */
  readonly strict?: boolean | undefined;
  /** Called when a check is through. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Awaited between what drives the target and what looks at all that came of it. */
  readonly beforeCompare?: (() => Promise<void>) | undefined;
}

export interface Progress {
  readonly done: number;
  readonly of: number;
  /** What was looked at last. */
  readonly requirement: RequirementId;
}

/** What the verdicts of a run add up to. */
export type Judgement = Pick<
  Report,
  "summary" | "checks" | "assertions" | "requirements" | "causes" | "faults" | "shown"
>;

/**
 * Runs checks by a session, be it live or of evidence. What only asks comes first and at once; then
 * what drives the target, one by one; what compares all that came of it, last.
 */
export async function judge(
  checks: readonly Check[],
  session: Session,
  { only, strict = false, onProgress = () => {}, beforeCompare }: JudgeOptions = {},
): Promise<Judgement> {
  const chosen = checks.filter(({ requirement }) => isAskedFor(requirement, only));
  const bench = new Bench(session, strict);
  const reports = new Map<Check, CheckReport>();
  let done = 0;
  const run = async (check: Check) => {
    reports.set(check, await bench.run(check));
    done += 1;
    onProgress({ done, of: chosen.length, requirement: check.requirement });
  };
  const inPhase = (phase: Phase) => chosen.filter((check) => phaseOf(check) === phase);
  await all(inPhase("ask").map(run));
  for (const check of inPhase("drive")) await run(check);
  await beforeCompare?.();
  await all(inPhase("compare").map(run));

  const verdicts: RequirementReport[] = [];
  for (const id of requirementIds) {
    const own = chosen.filter(({ requirement }) => requirement === id);
    const done = own.map((check) => reports.get(check) as CheckReport);
    verdicts.push(await bench.sumUp(id, done, only));
  }
  const shown = bench.shown();
  const looked = [...reports.values()].filter(({ verdict }) => verdict !== "skipped");
  return {
    summary: summarize(verdicts),
    checks: looked.length,
    assertions: looked.reduce((sum, { assertions = 0 }) => sum + assertions, 0),
    requirements: verdicts,
    causes: causesOf(verdicts, shown),
    faults: bench.faults,
    shown,
  };
}

/** Waits for all of them, so that none is left running; then rejects as the first did that did. */
async function all(running: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(running);
  await Promise.all(running);
}

/** The check that the judge adds itself, where nothing else tells what a body shows. */
const NO_BODY = "no body breaks it";

type Phase = "ask" | "drive" | "compare";

function phaseOf({ needs }: Check): Phase {
  if (needs.some((need) => need.startsWith("verb:") || need === "writes")) return "drive";
  return needs.includes("deliveries") ? "compare" : "ask";
}

function isAskedFor(id: RequirementId, only: readonly string[] | undefined): boolean {
  return only === undefined || only.includes(id) || only.includes(id.slice(0, id.indexOf("-")));
}

/** A target can break everything at a million places, with values of megabytes. */
const MAX_FINDINGS = 20_000;
const MAX_FINDINGS_OF_CHECK = 1_000;
const MAX_SHOWN_BY = 20;
const MAX_TEXT = 1_000;
const MAX_CURL = 10_000;

/** Where checks are run and what they find is written down. */
class Bench {
  readonly faults: SuiteFault[] = [];
  readonly #session: Session;
  readonly #strict: boolean;
  readonly #shown = new Map<number, Exchange | Delivery>();
  /** Skips that leave nothing open which another check saw. */
  readonly #harmless = new Set<CheckReport>();
  #findings = 0;

  constructor(session: Session, strict: boolean) {
    this.#session = session;
    this.#strict = strict;
  }

  /** What findings name by its number, each once, in the order in which it came. */
  shown(): (Exchange | Delivery)[] {
    return shownInReport([...this.#shown.values()].sort((a, b) => a.nr - b.nr));
  }

  async run(check: Check): Promise<CheckReport> {
    const { requirement, title: name } = check;
    const lack = lackOf(check.needs, this.#session.means);
    if (lack) {
      const report: CheckReport = { name, verdict: "skipped", ...lack };
      // What this run was not given leaves nothing open; what a mock can't show does.
      const isForMock = this.#session.means.profile === "mock" && check.needs.includes("state");
      if (!isForMock || check.isOneOfSeveral) this.#harmless.add(report);
      return report;
    }
    const session = this.#session.named(`${requirement}: ${name}`);
    const found = await this.#look(requirement, name, async () => {
      const seen = await check.run(session);
      return seen instanceof Unseen
        ? seen
        : this.#write(requirement, name, seen.looked, seen.breaches);
    });
    if (!(found instanceof Unseen)) return found;
    const { unskip } = found;
    const reason = shortened(found.reason, MAX_TEXT);
    const wish = unskip !== undefined && { unskip };
    const report: CheckReport = { name, verdict: "skipped", reason, ...wish };
    const isOpen = found instanceof CutShort || found instanceof Refused;
    if (check.isOneOfSeveral && !isOpen) this.#harmless.add(report);
    return report;
  }

  /** Has something looked at. A fault in that is the suite's: it decides nothing. */
  async #look<T>(
    requirement: RequirementId,
    check: string,
    look: () => Promise<T>,
  ): Promise<T | Unseen> {
    try {
      return await look();
    } catch (error) {
      if (error instanceof TxfeedError) throw error;
      if (error instanceof Unseen) return error;
      const message = reasonOf(error);
      this.faults.push({ requirement, check, message });
      return new CutShort(`a fault of the suite, please report it: ${message}`);
    }
  }

  /** Stamps a requirement and its weight, in one place for what holds and for what does not. */
  #write(
    id: RequirementId,
    name: string,
    assertions: number,
    breaches: readonly Breach[],
  ): CheckReport {
    const [breach] = breaches;
    if (!breach) return { name, verdict: "passed", assertions };
    const findings = this.#bounded(breaches).map((each): EvidencedFinding => {
      const { path = "", expected, actual } = each;
      const shownBy = each.shownBy.slice(0, MAX_SHOWN_BY);
      for (const shown of shownBy) this.#shown.set(shown.nr, shown);
      const place = `${shortened(placeOf(each.shownBy[0]), MAX_TEXT)}${path && ` ${path}`}`;
      const make = each.isWarning ? warningOf : findingOf;
      const finding = make(id, place, { path, expected, actual });
      return { ...finding, shownBy: shownBy.map(({ nr }) => nr) };
    });
    const left = breaches.length - findings.length;
    const areWarnings = requirements[id].derived || breaches.every((one) => one.isWarning);
    const isWarning = areWarnings && !this.#strict;
    const [first] = breach.shownBy;
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

  /** As many breaches as a report has room for, at least one, their texts cut short. */
  #bounded(breaches: readonly Breach[]): Breach[] {
    const room = Math.min(MAX_FINDINGS_OF_CHECK, MAX_FINDINGS - this.#findings);
    const kept = breaches.slice(0, Math.max(1, room));
    this.#findings += kept.length;
    return kept.map((breach) => ({
      ...breach,
      ...(breach.path !== undefined && { path: shortened(breach.path, MAX_TEXT) }),
      expected: shortened(breach.expected, MAX_TEXT),
      actual: shortened(breach.actual, MAX_TEXT),
    }));
  }

  /** What its checks make of a requirement. */
  async sumUp(
    id: RequirementId,
    checks: readonly CheckReport[],
    only: readonly string[] | undefined,
  ): Promise<RequirementReport> {
    const excluded = exclusions[id];
    if (excluded !== undefined) return { id, verdict: "excluded", reason: excluded, checks: [] };
    if (!isAskedFor(id, only)) {
      return { id, verdict: "skipped", reason: "not asked for", checks: [] };
    }
    const all = [...checks];
    // What a body shows against a requirement is told, whether or not a check looks for it.
    if (!all.some(({ verdict }) => verdict === "failed" || verdict === "warned")) {
      const stray = await this.#look(id, NO_BODY, () => strayBreaches(this.#session, id));
      if (!(stray instanceof Unseen) && stray.length > 0) {
        all.push(this.#write(id, NO_BODY, stray.length, stray));
      }
    }
    const verdict = this.#verdictOf(all);
    if (verdict !== "skipped") return { id, verdict, checks: all };
    const skips = all.filter((check) => check.verdict === "skipped");
    const { reason = "no check looks at it", unskip } =
      skips.find((check) => !this.#harmless.has(check)) ?? skips[0] ?? {};
    return { id, verdict, reason, ...(unskip !== undefined && { unskip }), checks: all };
  }

  /**
   * A requirement is what its worst check is. One that could not look leaves it undecided, unless
   * all that it lacked is something that this run was not given: then what the others saw decides.
   */
  #verdictOf(reports: readonly CheckReport[]): Verdict {
    const isThere = (wanted: Verdict) => reports.some(({ verdict }) => verdict === wanted);
    if (isThere("failed")) return "failed";
    if (isThere("warned")) return "warned";
    if (!isThere("passed")) return "skipped";
    const isOpen = reports.some(
      (report) => report.verdict === "skipped" && !this.#harmless.has(report),
    );
    return isOpen ? "skipped" : "passed";
  }
}

/** What a finding was seen in, for people. */
function placeOf(shown: Exchange | Delivery): string {
  if (isDelivery(shown)) return shown.name || "a delivery";
  const { method, url } = shown.request;
  return `${method} ${new URL(url).pathname}`;
}

function summarize(reports: readonly RequirementReport[]): Record<Verdict, number> {
  const summary = { passed: 0, failed: 0, warned: 0, skipped: 0, excluded: 0 };
  for (const { verdict } of reports) summary[verdict] += 1;
  return summary;
}
