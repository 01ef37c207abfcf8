import { isBroken, type Report } from "../conformance/report/report.ts";
import { runSuite } from "../mutation/trial.ts";
import { reasonOf } from "../src/errors.ts";
import { createSandbox } from "../src/sandbox/index.ts";
import { scripts } from "./scripts/index.ts";
import { Divergence, playScript } from "./scripts/player.ts";
import {
  type Baseline,
  type Hits,
  isLess,
  type MutantTask,
  type Result,
  type Task,
  type Verdict,
} from "./task.ts";

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

const SUITE = "suite";

function theSwitch(): Switch {
  return (globalThis as unknown as { __stryker__: Switch }).__stryker__;
}

export async function runTask(task: Task, baseline: Baseline): Promise<Result> {
  const { nr } = task;
  if (task.part === "mutant") return { nr, ...(await runMutant(task, baseline)) };
  try {
    return { nr, baseline: task.part === "scripts" ? await playAll() : await runAll() };
  } catch (error) {
    return { nr, error: reasonOf(error) };
  }
}

async function playAll(): Promise<Partial<Baseline>> {
  const traces: Record<string, readonly string[]> = {};
  for (const script of scripts) {
    theSwitch().currentTestId = script.name;
    traces[script.name] = await playScript(script);
  }
  const { static: staticHits = {}, perTest: scriptHits = {} } = theSwitch().mutantCoverage ?? {};
  return { traces, staticHits, scriptHits };
}

async function runAll(): Promise<Partial<Baseline>> {
  theSwitch().currentTestId = SUITE;
  const report = await runOnSandbox();
  const failing = failingIn(report);
  if (failing.length > 0) throw new Error(`the unmodified sandbox fails ${failing.join(" ")}`);
  const suiteHits = theSwitch().mutantCoverage?.perTest[SUITE] ?? {};
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

async function runMutant(
  task: MutantTask,
  baseline: Baseline,
): Promise<Pick<Result, "verdict" | "isSpent">> {
  const start = performance.now();
  const state = theSwitch();
  const activate = () => {
    Object.assign(state, { activeMutant: task.id, hitCount: 0, hitLimit: task.maxHits });
  };
  const end = (verdict: Judged): Verdict => {
    return { ...verdict, durationMs: Math.round(performance.now() - start) };
  };
  activate();
  const difference = await firstDifference(task.scripts, baseline);
  if (!difference) {
    // What it changes was computed before, for another mutant.
    if (state.hitCount === 0 && !task.isStatic) return { isSpent: true };
    return { verdict: end({ outcome: "equivalent", requirements: [] }) };
  }
  activate();
  const found = task.isInSuite ? await judge(task, baseline) : MISSED;
  const isEndless = (state.hitCount ?? 0) > task.maxHits;
  const outcome = isEndless ? "timed out" : found.outcome;
  const verdict = end({ ...found, outcome, ...difference });
  // The process must still show the unmodified sandbox when the mutant is off.
  state.activeMutant = "";
  const isSpent =
    !task.isStatic && (await firstDifference([difference.script], baseline)) !== undefined;
  return { verdict, isSpent };
}

type Difference = Required<Pick<Verdict, "script" | "where" | "expected" | "actual">>;

async function firstDifference(
  names: readonly string[],
  { traces }: Baseline,
): Promise<Difference | undefined> {
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

function differenceOf(error: unknown): Omit<Difference, "script"> {
  if (!(error instanceof Divergence)) {
    return { where: "the start", expected: "started", actual: reasonOf(error) };
  }
  const { expected = "nothing", actual = "nothing" } = error;
  let at = 0;
  while (at < expected.length && expected[at] === actual[at]) at += 1;
  const cut = (line: string) => line.slice(Math.max(0, at - BEFORE), at + AFTER);
  const where = /^\S+ \S+/.exec(expected)?.[0] ?? expected;
  return { where, expected: cut(expected), actual: cut(actual) };
}

type Judged = Omit<Verdict, "durationMs">;

const MISSED: Judged = { outcome: "missed", requirements: [] };

/** Runs the suite: first the groups that the mutant's file touches, then all. */
async function judge({ groups }: MutantTask, { verdicts }: Baseline): Promise<Judged> {
  try {
    const found = groups ? caughtBy(await runOnSandbox(groups)) : undefined;
    if (found) return { ...found, isByGroups: true };
    const judgedBy = (report: Report) => caughtBy(report) ?? undecidedBy(report, verdicts);
    // Under load a claim may be undecided by chance.
    const first = judgedBy(await runOnSandbox());
    return first.outcome === "undecided" ? judgedBy(await runOnSandbox()) : first;
  } catch (error) {
    return { outcome: "not started", requirements: [], cause: reasonOf(error) };
  }
}

function caughtBy(report: Report): Judged | undefined {
  const requirements = failingIn(report);
  if (requirements.length === 0) return undefined;
  const [first] = report.causes;
  const cause = first && `${first.requirements.join(" ")}: ${first.message}`;
  return { outcome: "caught", requirements, ...(cause && { cause }) };
}

function undecidedBy(report: Report, verdicts: Baseline["verdicts"]): Judged {
  const now = verdictsOf(report);
  const lost = Object.keys(now).filter((id) => isLess(now[id], verdicts[id]));
  if (lost.length === 0) return MISSED;
  const cause = report.brokenOff ?? report.suiteErrors[0]?.message;
  return { outcome: "undecided", requirements: lost, ...(cause && { cause }) };
}
