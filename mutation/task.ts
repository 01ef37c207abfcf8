import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import sandboxDriver from "../conformance/drivers/sandbox.ts";
import { type ExploreOptions, type ExploreReport, explore } from "../conformance/index.ts";
import { isBroken, type Report } from "../conformance/report/report.ts";
import { type Evidence, EvidenceReader, evidenceLine } from "../conformance/wire/evidence.ts";
import { claims as catalogue } from "../generated/requirements.ts";
import { ROOT } from "../mutants/files.ts";
import { writeAtomically } from "../src/cli/file.ts";
import { reasonOf } from "../src/errors.ts";
import { createSandbox, type WorldName } from "../src/sandbox/index.ts";
import { startMutant } from "./mutant.ts";
import type { Mutation } from "./mutation.ts";
import { mutations } from "./mutations/index.ts";
import { replayMutation } from "./replay.ts";
import { type Found, NOTHING } from "./score.ts";
import { sequenceFaults } from "./sequences/faults.ts";
import { failedClaims, runTrial, type Trial } from "./trial.ts";

/** A run of the suite, with a bug or after random scripts. */
export interface SuiteTask {
  readonly kind: "suite";
  readonly id?: string;
  readonly world?: WorldName;
  readonly scripts?: { readonly count: number; readonly seed: number };
}

/** The recorded run of this process. */
let evidence: readonly Evidence[] | undefined;

/**
 * Runs the suite.
 *
 * @param recorded The file with the run to replay; without it, every bug runs live.
 */
export async function runSuiteTask(
  { id, world, scripts }: SuiteTask,
  recorded?: string,
): Promise<Found> {
  const mutation = mutations.find((one) => one.id === id);
  try {
    if (mutation && recorded !== undefined) evidence ??= readRun(recorded);
    const { report, fired, violations, way } =
      mutation && evidence
        ? await tryMutation(mutation, evidence)
        : { ...(await runTrial({ mutation, world, scripts })), way: "all checks" as const };
    const failing = report.requirements.filter(isBroken);
    return {
      ...{ way, fired, volume: `${report.claims.decided} claims` },
      ...{ failed: failing.map((one) => one.id), failedClaims: failedClaims(report) },
      findings: failing.map(({ id, checks }) => {
        const { name = "", actual = "" } = checks.find((one) => one.findings) ?? {};
        return `${id} ${name}: ${actual}`;
      }),
      errors: [
        ...report.suiteErrors.map((one) => `error in the suite: ${one.check}: ${one.message}`),
        ...(report.brokenOff === undefined ? [] : [`broken off: ${report.brokenOff}`]),
        // A mutation inside the sandbox may cause violations.
        ...(mutation ? [] : violations),
      ],
      // Among its own checks, a mutation has no other requirement to lead the report.
      ...(way !== "own checks" && { firstCause: report.causes[0]?.requirements[0] }),
    };
  } catch (error) {
    return { ...NOTHING, errors: [`no run: ${reasonOf(error)}`] };
  }
}

/** How a mutation was tried: all checks, or only those of the requirements of its claims. */
type Way = "replayed" | "replayed in part" | "own checks" | "all checks";

/**
 * Tries a mutation in the fastest way that decides its claims: on a recorded run, or live with the
 * checks of its claims, or live with all checks, because others may see what these miss.
 */
async function tryMutation(
  mutation: Mutation,
  recorded: readonly Evidence[],
): Promise<Trial & { readonly way: Way }> {
  const isCaught = ({ report }: { readonly report: Report }) => {
    const failed = failedClaims(report);
    return mutation.claims.every((id) => failed.includes(id));
  };
  const replayed = mutation.world ? undefined : await replayMutation(recorded, mutation);
  if (replayed?.isComplete) return { ...replayed, violations: [], way: "replayed" };
  if (replayed && isCaught(replayed)) {
    return { ...replayed, violations: [], way: "replayed in part" };
  }
  const only = [...new Set(mutation.claims.map((id) => catalogue[id].requirement))];
  const own = await runTrial({ mutation, only });
  if (isCaught(own)) return { ...own, way: "own checks" };
  return { ...(await runTrial({ mutation })), way: "all checks" };
}

/** The code that a recorded run depends on. */
const DECIDING = ["{src,generated,conformance}/**/*.{ts,js}", "mutation/{trial,mutant}.ts"];

/**
 * The file with the evidence of a run of the whole suite, with every option, against the
 * unmodified sandbox. It is recorded once for each state of the code.
 */
export async function recordedRun(): Promise<string> {
  const hash = createHash("sha256");
  for (const file of globSync(DECIDING, { cwd: ROOT }).toSorted()) {
    hash.update(file).update(readFileSync(join(ROOT, file)));
  }
  const name = `${hash.digest("hex").slice(0, 16)}.ndjson`;
  const file = join(ROOT, "node_modules/.cache/recorded-run", name);
  if (existsSync(file)) return file;
  const entries: Evidence[] = [];
  const { report } = await runTrial({ onEvidence: (entry) => entries.push(entry) });
  if (report.claims.failed > 0 || report.brokenOff !== undefined) {
    const found = report.brokenOff ?? failedClaims(report).join(" ");
    throw new Error(`no run was recorded: the suite finds in the unmodified sandbox: ${found}`);
  }
  mkdirSync(dirname(file), { recursive: true });
  await writeAtomically(file, entries.map(evidenceLine).join(""));
  return file;
}

/** Reads the entries of a recorded run. */
export function readRun(file: string): readonly Evidence[] {
  const reader = new EvidenceReader();
  for (const [at, line] of readFileSync(file, "utf8").trimEnd().split("\n").entries()) {
    reader.add(line, at + 1);
  }
  return reader.end();
}

/** An exploration of the sandbox with a bug, or of the unmodified one with a seed. */
export interface ExploreTask {
  readonly kind: "explore";
  readonly id?: string;
  readonly scripts?: { readonly count: number; readonly seed: number };
}

/** Random scripts find most bugs within seconds. Every short script follows, to miss none. */
const PASSES: readonly ExploreOptions[] = [
  { scripts: 600, mostFindings: 1 },
  { depth: 3, mostFindings: 1 },
];

export async function runExploration(task: ExploreTask): Promise<Found> {
  const fault = sequenceFaults.find(({ id }) => id === task.id);
  const { count, seed } = task.scripts ?? {};
  let [fired, played] = [0, 0];
  try {
    let report: ExploreReport | undefined;
    for (const options of fault ? PASSES : [{ scripts: count, seed }]) {
      if (report?.findings.length) break;
      const next = await exploreWith(options, fault);
      [fired, played, report] = [fired + next.fired, played + next.report.scripts, next.report];
    }
    const { findings = [], brokenOff } = report ?? {};
    const shown = findings.find((one) => fault && idsOf(one).includes(fault.requirement));
    const first = shown ?? findings[0];
    return {
      ...NOTHING,
      ...{ fired, volume: `${played} scripts`, way: "explored" },
      failed: findings.flatMap(idsOf),
      findings: findings.map(({ requirement, expected, actual }) => {
        return `${requirement}: expected ${expected}, actual ${actual}`;
      }),
      errors: brokenOff === undefined ? [] : [brokenOff],
      ...(first && { firstCause: first.requirement, steps: first.script.steps.length }),
    };
  } catch (error) {
    return { ...NOTHING, fired, errors: [reasonOf(error)] };
  }
}

/** The requirements that a finding names. */
function idsOf({ requirement, others }: ExploreReport["findings"][number]): readonly string[] {
  return [requirement, ...others];
}

async function exploreWith(options: ExploreOptions, fault: Mutation | undefined) {
  await using sandbox = await createSandbox({ world: "empty" });
  await using mutant = await startMutant(sandbox, fault);
  const { baseUrl } = mutant;
  const [credentials] = sandbox.accounts;
  const driver = sandboxDriver({ baseUrl });
  const report = await explore({ baseUrl, credentials, profile: "full", driver }, options);
  return { report, fired: mutant.fired() };
}
