import { isBroken, type Report } from "../conformance/report/report.ts";
import { type Baseline, type Found, type Hits, NOTHING } from "../mutation/score.ts";
import { failedClaims, runSuite } from "../mutation/trial.ts";
import { reasonOf } from "../src/errors.ts";
import { createSandbox } from "../src/sandbox/index.ts";
import { scripts } from "./scripts/index.ts";
import { Divergence, playScript, type Trace } from "./scripts/player.ts";

/** A run of the unmodified sandbox, which mutants are compared with. */
export interface MeasureTask {
  readonly kind: "measure";
  readonly part: "scripts" | "suite";
}

/** A run with a mutant. */
export interface MutantTask {
  readonly kind: "mutant";
  /** The number of the mutant in the instrumented code. */
  readonly id: string;
  /** The scripts that reach it. */
  readonly scripts: readonly string[];
  /** The requirement groups that run before all others. */
  readonly groups: readonly string[];
  /** Whether the suite reaches it. Otherwise the suite can't see it. */
  readonly isInSuite: boolean;
  /** How often it may be evaluated before the run counts as an endless loop. */
  readonly maxHits: number;
}

/** Whether a verdict on a requirement or a claim decides less than another. */
export function isLess(verdict: string | undefined, other: string | undefined): boolean {
  const rank = (one: string | undefined) => ["partly", "passed"].indexOf(one ?? "");
  return rank(verdict) < rank(other);
}

/** The variable that the instrumented code reads. */
interface Switch {
  activeMutant: string;
  /** Counts evaluations of the active mutant; above the limit it throws. */
  hitCount?: number | undefined;
  hitLimit?: number;
  /** What the evaluations are counted for. */
  currentTestId?: string | undefined;
  mutantCoverage?: { static: Hits; perTest: Record<string, Hits> };
}

function theSwitch(): Switch {
  return (globalThis as unknown as { __stryker__: Switch }).__stryker__;
}

/** Runs the scripts or the suite on the unmodified sandbox. */
export async function measure({ part }: MeasureTask): Promise<Found> {
  try {
    const baseline = part === "scripts" ? await playAll() : await runAll();
    return { ...NOTHING, baseline };
  } catch (error) {
    return { ...NOTHING, errors: [reasonOf(error)] };
  }
}

async function playAll(): Promise<Partial<Baseline>> {
  const traces: Record<string, Trace> = {};
  for (const script of scripts) {
    theSwitch().currentTestId = script.name;
    traces[script.name] = await playScript(script);
  }
  const { static: staticHits = {}, perTest: scriptHits = {} } = theSwitch().mutantCoverage ?? {};
  return { traces, staticHits, scriptHits };
}

async function runAll(): Promise<Partial<Baseline>> {
  theSwitch().currentTestId = "suite";
  const report = await runOnSandbox();
  const failing = failingIn(report);
  if (failing.length > 0) throw new Error(`the unmodified sandbox fails ${failing.join(" ")}`);
  const suiteHits = theSwitch().mutantCoverage?.perTest["suite"] ?? {};
  return { verdicts: verdictsOf(report), suiteHits };
}

async function runOnSandbox(only?: readonly string[]): Promise<Report> {
  await using sandbox = await createSandbox({ world: "small" });
  return await runSuite(sandbox, { only });
}

/** The verdict on each requirement and on each claim. */
function verdictsOf({ requirements }: Report): Record<string, string> {
  const judged = requirements.flatMap((one) => [one, ...(one.claims ?? [])]);
  return Object.fromEntries(judged.map(({ id, verdict }) => [id, verdict]));
}

function failingIn({ requirements }: Report): string[] {
  return requirements.filter(isBroken).map(({ id }) => id);
}

/** Compares a mutant with the unmodified sandbox, and judges it if it differs. */
export async function runMutant(
  task: MutantTask & { readonly isAlone?: boolean },
  baseline: Baseline,
): Promise<Found> {
  const state = theSwitch();
  const activate = () => {
    Object.assign(state, { activeMutant: task.id, hitCount: 0, hitLimit: task.maxHits });
  };
  activate();
  const other = await firstDifference(task.scripts, baseline);
  if (!other) {
    // What it changes was computed before, for another mutant.
    const isUnseen = task.scripts.length > 0 && state.hitCount === 0 && !task.isAlone;
    return { ...EQUIVALENT, ...(isUnseen && { isSpent: true, isVoid: true }) };
  }
  activate();
  const found = task.isInSuite ? await judge(task, baseline) : MISSED;
  const isEndless = (state.hitCount ?? 0) > task.maxHits;
  const outcome = isEndless ? "timed out" : found.outcome;
  const difference = [`script ${other.script}, ${other.where}`, ...other.lines];
  // The process must still show the unmodified sandbox when the mutant is off.
  state.activeMutant = "";
  const isSpent = !task.isAlone && (await firstDifference([other.script], baseline)) !== undefined;
  return { ...found, outcome, difference, isSpent };
}

const EQUIVALENT: Found = { ...NOTHING, outcome: "equivalent", way: "compared" };
const MISSED: Found = { ...NOTHING, fired: 1, way: "all checks" };

async function firstDifference(names: readonly string[], { traces }: Baseline) {
  for (const script of scripts.filter(({ name }) => names.includes(name))) {
    try {
      await playScript(script, traces[script.name]);
    } catch (error) {
      return { script: script.name, ...differenceOf(error) };
    }
  }
  return undefined;
}

/** What the texts of a difference show of a line before and after its first difference. */
const [BEFORE, AFTER] = [60, 100];

function differenceOf(error: unknown) {
  if (!(error instanceof Divergence)) return { where: "the start", lines: [reasonOf(error)] };
  const { expected = "nothing", actual = "nothing" } = error;
  let at = 0;
  while (at < expected.length && expected[at] === actual[at]) at += 1;
  const cut = (line: string) => line.slice(Math.max(0, at - BEFORE), at + AFTER);
  const where = /^\S+ \S+/.exec(expected)?.[0] ?? expected;
  return { where, lines: [`- ${cut(expected)}`, `+ ${cut(actual)}`] };
}

/** Runs the suite: first the groups that the mutant's file touches, then all. */
async function judge({ groups }: MutantTask, { verdicts }: Baseline): Promise<Found> {
  try {
    const own = groups.length > 0 ? await runOnSandbox(groups) : undefined;
    if (own && failingIn(own).length > 0) return foundBy(own, verdicts, "own checks");
    const found = foundBy(await runOnSandbox(), verdicts, "all checks");
    // Under load a claim may be undecided by chance.
    const isUndecided = found.outcome === "undecided";
    return isUndecided ? foundBy(await runOnSandbox(), verdicts, "all checks") : found;
  } catch (error) {
    return { ...MISSED, outcome: "not started", findings: [reasonOf(error)] };
  }
}

function foundBy(report: Report, verdicts: Baseline["verdicts"], way: string): Found {
  const failed = failingIn(report);
  const [cause] = report.causes;
  const found = { ...MISSED, way, failed, failedClaims: failedClaims(report) };
  if (cause && failed.length > 0) {
    return { ...found, findings: [`${cause.requirements.join(" ")}: ${cause.message}`] };
  }
  const now = verdictsOf(report);
  const lost = Object.keys(now).filter((id) => isLess(now[id], verdicts[id]));
  if (failed.length > 0 || lost.length === 0) return found;
  return { ...found, outcome: "undecided", findings: lost };
}
