/**
 * `npm run evidence`: prints, as JSON, what the conformance suite decides and finds. Printed before
 * and after a change of the suite, it shows whether the change loses anything.
 */
import { parseArgs } from "node:util";
import { explore, type Report, replayEvidence, runConformance } from "../conformance/index.ts";
import type { Target } from "../conformance/target.ts";
import type { Evidence } from "../conformance/wire/evidence.ts";
import { runScript, ScriptError } from "../scripts/run-script.ts";
import { startMock } from "../src/cli/prism.ts";
import { createSandbox } from "../src/sandbox/index.ts";
import { choicesOf, targetOf } from "../test/conformance/alternative-server/driver.ts";
import { AlternativeServer } from "../test/conformance/alternative-server/server.ts";
import { readOptions } from "./options.ts";
import { plans, runPlan } from "./plan.ts";
import { tally } from "./score.ts";
import { failedClaims, runSuite } from "./trial.ts";

/** The seeds of the alternative server's choices. */
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];

/** How many random scripts explore each of these servers. */
const SCRIPTS = 20;

const PARTS = { decided, replay, alternative, kills, sequences, mutants };

type Part = keyof typeof PARTS;

const FLAGS = {
  seed: { type: "string", value: "N", help: "seed of the 300 mutants", default: "35" },
} as const;

const summary = "prints what the conformance suite decides and finds";
const positionals = [`[${Object.keys(PARTS).join("|")}]...`];
await runScript({ name: "evidence", summary, positionals, flags: FLAGS }, main);

/** @returns The exit status. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: FLAGS, allowPositionals: true });
  const names = positionals.length > 0 ? positionals : Object.keys(PARTS);
  const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
  if (unknown !== undefined) throw new ScriptError([`evidence: there is no part ${unknown}`]);
  const evidence: Partial<Record<Part, unknown>> = {};
  for (const name of names as Part[]) evidence[name] = await PARTS[name](values.seed);
  console.log(JSON.stringify(evidence, null, 2));
  return 0;
}

/** The claims and situations decided on the sandbox, with credentials alone, and on the mock. */
async function decided() {
  await using sandbox = await createSandbox({ world: "small" });
  const whole = decidedIn(await runSuite(sandbox));
  await using other = await createSandbox({ world: "small" });
  const { baseUrl, accounts } = other;
  const bare: Target = { baseUrl, credentials: accounts[0], profile: "full" };
  const credentials = decidedIn(await runConformance(bare));
  const prism = await startMock();
  try {
    const any = { accountId: "mock", clientId: "mock", clientSecret: "mock" };
    const onMock: Target = { baseUrl: prism.url, credentials: any, profile: "mock" };
    return { driver: whole, credentials, mock: decidedIn(await runConformance(onMock)) };
  } finally {
    await prism.stop();
  }
}

/** The names of decided claims, and of situations as `CLAIM in SITUATION`. */
function decidedIn(report: Report) {
  const reports = report.requirements.flatMap(({ claims = [] }) => claims);
  const claims = reports.filter(({ verdict }) => verdict !== "undecided").map(({ id }) => id);
  const situations = reports.flatMap(({ id, situations: all = [] }) =>
    all.filter(({ met }) => met).map(({ name }) => `${id} in ${name}`),
  );
  const counts = { claims: claims.length, situations: situations.length };
  return { counts, failed: failedClaims(report), claims, situations };
}

/** Whether the replay of a run gives the same report, byte by byte. */
async function replay() {
  await using sandbox = await createSandbox({ world: "small" });
  const evidence: Evidence[] = [];
  const onEvidence = (entry: Evidence) => evidence.push(structuredClone(entry));
  const live = await runSuite(sandbox, { onEvidence });
  const again = await replayEvidence(evidence);
  return { entries: evidence.length, isEqual: JSON.stringify(live) === JSON.stringify(again) };
}

/** What the suite and exploration find in a correct server of another make. */
async function alternative() {
  const servers: object[] = [];
  for (const seed of SEEDS) {
    const how = choicesOf(seed);
    await using server = await new AlternativeServer(how).start();
    const target = targetOf(server, how);
    const { counts, failed } = decidedIn(await runConformance(target));
    const explored = await explore(target, { seed: 1, scripts: SCRIPTS });
    const { scripts, steps, findings } = explored;
    servers.push({ seed, ...counts, failed, explored: { scripts, steps, findings } });
  }
  return servers;
}

/** The claims that fail for each bug. */
async function kills() {
  const all = await triedBy("--live", "--scripts", "0");
  return Object.fromEntries(all.map(({ fault, result }) => [fault.id, result.failedClaims]));
}

/** The sequence faults, each with the number of steps of its shortest script. */
async function sequences() {
  const all = await triedBy("--sequences", "--scripts", "0");
  const outcomes = all.map(({ fault, score: { outcome }, result: { steps } }) => {
    return [fault.id, { outcome, steps }];
  });
  return Object.fromEntries(outcomes);
}

/** How many of 300 generated mutants of the sandbox the suite detects. */
async function mutants(seed: string) {
  const sample = ["--mutants", "--processes", "1", "--sample", "300", "--seed", seed];
  const all = await triedBy(...sample);
  return { seed, ...tally(all.map(({ score }) => score)) };
}

/** The bugs that `npm run mutation` tries with these arguments. */
async function triedBy(...args: readonly string[]) {
  const options = readOptions(args);
  return (await runPlan(await plans[options.kind](options), options.processes)).all;
}
