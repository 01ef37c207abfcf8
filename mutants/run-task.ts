import type { Report } from "../conformance/report/report.ts";
import { runSuite } from "../mutation/trial.ts";
import { reasonOf } from "../src/errors.ts";
import { createSandbox } from "../src/sandbox/index.ts";
import { isLess } from "./rank.ts";
import { scripts } from "./scripts/index.ts";
import { Divergence, playScript } from "./scripts/player.ts";
import type { Baseline, Hits, MutantTask, Result, Task, Verdict } from "./task.ts";

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
  const { static: staticHits, perTest: scriptHits } = coverage();
  return { traces, staticHits, scriptHits };
}

async function runAll(): Promise<Partial<Baseline>> {
  theSwitch().currentTestId = SUITE;
  await using sandbox = await createSandbox({ world: "small" });
  const report = await runSuite(sandbox, {});
  const failing = report.requirements.filter(isFailing).map(({ id }) => id);
  if (failing.length > 0) throw new Error(`the unmodified sandbox fails ${failing.join(" ")}`);
  return { verdicts: verdictsOf(report), suiteHits: coverage().perTest[SUITE] ?? {} };
}

function coverage() {
  return theSwitch().mutantCoverage ?? { static: {}, perTest: {} };
}

/** The verdict on each requirement and on each claim. */
function verdictsOf({ requirements }: Report): Record<string, string> {
  const judged = requirements.flatMap((one) => [one, ...(one.claims ?? [])]);
  return Object.fromEntries(judged.map(({ id, verdict }) => [id, verdict]));
}

const isFailing = ({ verdict }: Report["requirements"][number]) =>
  verdict === "failed" || verdict === "warned";

const UNSEEN: Omit<Verdict, "durationMs"> = { outcome: "missed", requirements: [] };

async function runMutant(
  task: MutantTask,
  baseline: Baseline,
): Promise<Pick<Result, "verdict" | "isSpent">> {
  const start = performance.now();
  const state = theSwitch();
  const activate = () => {
    Object.assign(state, { activeMutant: task.id, hitCount: 0, hitLimit: task.maxHits });
  };
  const end = (verdict: Omit<Verdict, "durationMs">): Verdict => {
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
  const found = await (task.isInSuite ? judge(task, baseline) : UNSEEN);
  const { script } = difference;
  const isEndless = (state.hitCount ?? 0) > task.maxHits;
  const outcome = isEndless ? "timed out" : found.outcome;
  const verdict = end({ ...found, outcome, ...difference });
  // The process must still show the unmodified sandbox when the mutant is off.
  state.activeMutant = "";
  const isSpent = !task.isStatic && (await firstDifference([script], baseline)) !== undefined;
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
const BEFORE = 60;
const AFTER = 100;

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

/** Runs the suite: first the groups that the mutant's file touches, then all. */
async function judge(
  { groups }: MutantTask,
  baseline: Baseline,
): Promise<Omit<Verdict, "durationMs">> {
  const outcomeOf = async (only?: readonly string[]): Promise<Omit<Verdict, "durationMs">> => {
    await using sandbox = await createSandbox({ world: "small" });
    const report = await runSuite(sandbox, { only });
    const requirements = report.requirements.filter(isFailing).map(({ id }) => id);
    const [first] = report.causes;
    if (requirements.length > 0) {
      const cause = first && `${first.requirements.join(" ")}: ${first.message}`;
      return { outcome: "caught", requirements, ...(cause && { cause }) };
    }
    if (only) return { outcome: "missed", requirements };
    const now = verdictsOf(report);
    const lost = Object.keys(now).filter((id) => isLess(now[id], baseline.verdicts[id]));
    const why = report.brokenOff ?? report.suiteErrors[0]?.message;
    if (lost.length === 0) return { outcome: "missed", requirements: [] };
    return { outcome: "undecided", requirements: lost, ...(why && { cause: why }) };
  };
  try {
    if (groups) {
      const found = await outcomeOf(groups);
      if (found.outcome === "caught") return { ...found, isByGroups: true };
    }
    const found = await outcomeOf();
    // Under load a claim may be undecided by chance.
    return found.outcome === "undecided" ? await outcomeOf() : found;
  } catch (error) {
    return { outcome: "not started", requirements: [], cause: reasonOf(error) };
  }
}
