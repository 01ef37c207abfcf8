import type { RequirementId } from "../../generated/requirements.ts";
import { UsageError } from "../../src/errors.ts";
import { assertDuration } from "../../src/options.ts";
import { verbs as allVerbs, type Verb } from "../driver.ts";
import type { LiveRunOptions } from "../run/live-run.ts";
import type { Target } from "../target.ts";
import { Coverage } from "../verbs/state-tables.ts";
import type { Script } from "../verbs/step.ts";
import { ALPHABET } from "../verbs/table.ts";
import { type ExploreFinding, type ExploreReport, findingOf } from "./report.ts";
import { type PlayedScript, randomScripts, shrink } from "./scripts.ts";
import { endOf, everyScript, Stage } from "./stage.ts";

/** Options of an exploration. */
export interface ExploreOptions
  extends Pick<LiveRunOptions, "patienceMs" | "signal" | "concurrency"> {
  /** The seed of the random scripts; default: 1. */
  readonly seed?: number | undefined;
  /** How long scripts are begun, in milliseconds; default: 60,000, or no limit with `scripts`. */
  readonly timeMs?: number | undefined;
  /** The most scripts; default: no limit. */
  readonly scripts?: number | undefined;
  /** Plays every script of up to so many steps instead of random ones. Needs snapshots. */
  readonly depth?: number | undefined;
  /** The number of findings after which it ends; default: 10. */
  readonly mostFindings?: number | undefined;
  readonly onProgress?: ((progress: ExploreProgress) => void) | undefined;
}

export interface ExploreProgress {
  readonly scripts: number;
  readonly steps: number;
  readonly findings: number;
  /** What happens now, such as `shrinking a script`. */
  readonly now: string;
}

const DEFAULT_TIME_MS = 60_000;

/** With this many findings of different requirements, more are rarely of use. */
const MOST_FINDINGS = 10;

/**
 * Explores a target: plays scripts of the driver's verbs, compares each step with a model of the
 * interface's state tables, and shrinks each failure to a short script.
 *
 * @returns Resolves to the report, also if the run was broken off.
 * @throws {TxfeedError} like `runConformance`; `usage` if fast-check is not installed or the driver
 * lacks what an option needs
 */
export async function explore(
  target: Target,
  options: ExploreOptions = {},
): Promise<ExploreReport> {
  const { seed = 1, depth, onProgress, mostFindings = MOST_FINDINGS, ...rest } = options;
  const { scripts: most = Number.POSITIVE_INFINITY, timeMs: given, ...live } = rest;
  const timeMs =
    given ?? (options.scripts === undefined ? DEFAULT_TIME_MS : Number.POSITIVE_INFINITY);
  if (given !== undefined) assertDuration("timeMs", given);
  const { driver = {} } = target;
  const verbs = ALPHABET.filter((verb) => typeof driver[verb] === "function");
  const start = performance.now();
  const stage = new Stage(target, live);
  const tally = new Tally();
  const report = (now: string) => onProgress?.({ ...tally.counts(), now });
  let brokenOff: string | undefined;
  let equalScripts: number | undefined;
  const isOver = () =>
    tally.scripts >= most || tally.findings.size >= mostFindings || live.signal?.aborted === true;

  const judge = async (outcome: PlayedScript) => {
    tally.add(outcome);
    report("playing scripts");
    const { failed } = outcome;
    const primary = failed?.violations[0]?.requirement;
    if (!failed || primary === undefined || tally.isKnown(primary)) return;
    report(`shrinking a script that breaks ${primary}`);
    // The snapshots of the exhaustive mode belong to the current run.
    const most = depth === undefined ? undefined : Number.POSITIVE_INFINITY;
    const play = (script: Script) => stage.play(script, most);
    const short = await shrink(outcome, primary, play);
    report(`playing the script that breaks ${primary} again`);
    if (await isReproducible(short, primary, play)) {
      tally.findings.set(primary, findingOf(target, short, primary));
    } else tally.unordered.set(primary, (tally.unordered.get(primary) ?? 0) + 1);
  };
  try {
    await stage.session();
    if (depth !== undefined) {
      const every = await everyScript(stage, verbs, depth, { judge, isOver });
      equalScripts = every.equal;
    } else {
      for await (const script of randomScripts(verbs, seed)) {
        if (isOver() || performance.now() - start >= timeMs) break;
        await judge(await stage.play(script));
      }
    }
  } catch (error) {
    brokenOff = endOf(error);
    if (brokenOff === undefined) throw error;
  } finally {
    await stage.close();
  }
  if (brokenOff === undefined) await playForGood(target, live, tally.findings, report);
  const lacking = [...ALPHABET, "settle", "snapshot", "restore"] as const;
  return {
    target: target.baseUrl,
    mode: depth === undefined ? "random" : "exhaustive",
    ...(depth === undefined ? { seed } : { depth }),
    durationMs: Math.round(performance.now() - start),
    ...{ scripts: tally.scripts, steps: tally.steps },
    ...(equalScripts !== undefined && { equalScripts }),
    coverage: tally.coverage.tables(),
    missingVerbs: allVerbs.filter(
      (verb) => (lacking as readonly Verb[]).includes(verb) && typeof driver[verb] !== "function",
    ),
    refusals: [...tally.refusals].map(([verb, one]) => ({ verb, ...one })),
    findings: [...tally.findings.values()],
    failedScripts: tally.failedScripts,
    unordered: [...tally.unordered.keys()].filter((id) => !tally.findings.has(id)),
    ...(brokenOff !== undefined && { brokenOff }),
  };
}

/**
 * Plays the scripts of the findings once more, without going back: the resources in the requests of
 * a finding then still exist.
 */
async function playForGood(
  target: Target,
  live: LiveRunOptions,
  findings: Map<RequirementId, ExploreFinding>,
  report: (now: string) => void,
): Promise<void> {
  const { snapshot, restore } = target.driver ?? {};
  if (findings.size === 0 || !snapshot || !restore) return;
  const stage = new Stage(target, live, false);
  try {
    for (const [requirement, { script }] of findings) {
      report(`playing the script that breaks ${requirement} for good`);
      const outcome = await stage.play(script);
      const { violations = [] } = outcome.failed ?? {};
      if (!violations.some((one) => one.requirement === requirement)) continue;
      findings.set(requirement, findingOf(target, outcome, requirement));
    }
  } catch (error) {
    // The findings remain as they are.
    if (endOf(error) === undefined) throw error;
  } finally {
    await stage.close();
  }
}

/** How often a failure must be repeated that the delivery could explain. */
const REPEATS = 10;

/** How often a requirement is examined whose failures are not repeated. */
const MOST_UNCERTAIN = 3;

/**
 * Whether a failure is certain: it is about more than the delivery, of which the interface
 * guarantees neither the order nor that it comes once (WHK-04), or it comes every time.
 */
async function isReproducible(
  { script, failed }: PlayedScript,
  requirement: RequirementId,
  play: (script: Script) => Promise<PlayedScript>,
): Promise<boolean> {
  const own = failed?.violations.find((one) => one.requirement === requirement);
  if (!own?.isAboutDelivery) return true;
  for (let times = 0; times < REPEATS; times++) {
    const { violations = [] } = (await play(script)).failed ?? {};
    if (!violations.some((one) => one.requirement === requirement)) return false;
  }
  return true;
}

/** The counts of an exploration. */
class Tally {
  scripts = 0;
  steps = 0;
  failedScripts = 0;
  readonly coverage = new Coverage();
  readonly refusals = new Map<Verb, { times: number; reason: string }>();
  readonly findings = new Map<RequirementId, ExploreFinding>();
  /** How often the delivery explained a requirement's failure. */
  readonly unordered = new Map<RequirementId, number>();

  isKnown(requirement: RequirementId): boolean {
    const uncertain = this.unordered.get(requirement) ?? 0;
    return this.findings.has(requirement) || uncertain >= MOST_UNCERTAIN;
  }

  add({ played, failed }: PlayedScript): void {
    this.scripts += 1;
    if (failed) this.failedScripts += 1;
    for (const { step, outcome, refusal, transitions } of played) {
      if (outcome !== "left out") this.steps += 1;
      for (const transition of transitions) this.coverage.note(transition);
      if (outcome !== "refused") continue;
      const known = this.refusals.get(step.verb) ?? { times: 0, reason: refusal?.reason ?? "" };
      this.refusals.set(step.verb, { ...known, times: known.times + 1 });
    }
  }

  counts() {
    return { scripts: this.scripts, steps: this.steps, findings: this.findings.size };
  }
}

/**
 * Plays a script of an exploration, with new resources.
 *
 * @returns Resolves to what the first failing step breaks; empty if the script holds.
 * @throws {TxfeedError} `unreachable`, `port-in-use` or `usage` like `runConformance`; `usage` also
 * if the target refused a step, so that nothing is decided
 */
export async function replayScript(
  target: Target,
  script: Script,
  options: Pick<LiveRunOptions, "patienceMs" | "signal"> = {},
): Promise<ExploreFinding[]> {
  const stage = new Stage(target, options);
  let outcome: PlayedScript;
  try {
    outcome = await stage.play(script);
  } catch (error) {
    const reason = endOf(error);
    if (reason === undefined) throw error;
    throw new UsageError(`the script could not be played: ${reason}`, { cause: error });
  } finally {
    await stage.close();
  }
  const { violations = [] } = outcome.failed ?? {};
  return violations.map(({ requirement }) => findingOf(target, outcome, requirement));
}
