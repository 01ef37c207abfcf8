import type { ClaimId, RequirementId } from "../../generated/requirements.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { counted, type TextStyle } from "../../src/text.ts";
import type { Message } from "../assert.ts";
import type { Verb } from "../driver.ts";
import { linkAt } from "../observe/operations.ts";
import type { Target } from "../target.ts";
import type { TableCoverage } from "../verbs/state-tables.ts";
import { renderStep, type Script, type Step } from "../verbs/step.ts";
import { curlOf, isDelivery, linkRequest } from "../wire/exchange.ts";
import { tokenRequest } from "../wire/tokens.ts";
import type { PlayedScript } from "./scripts.ts";

/** What an exploration did and found. */
export interface ExploreReport {
  readonly target: string;
  readonly mode: "random" | "exhaustive";
  readonly seed?: number;
  readonly depth?: number;
  readonly durationMs: number;
  /** The scripts that were played, without those that shrinking tried. */
  readonly scripts: number;
  readonly steps: number;
  /** Of the exhaustive mode: scripts that were not played because another one equals them. */
  readonly equalScripts?: number;
  readonly coverage: readonly TableCoverage[];
  /** The verbs that the driver lacks, which shorten the alphabet. */
  readonly missingVerbs: readonly Verb[];
  /** The verbs that the target refused although the tables have a row, with the first reason. */
  readonly refusals: readonly { verb: Verb; times: number; reason: string }[];
  readonly findings: readonly ExploreFinding[];
  /** How often scripts failed, those with a known finding included. */
  readonly failedScripts: number;
  /** Requirements that failed only at times: deliveries may be repeated or overtake each other. */
  readonly unordered: readonly RequirementId[];
  /** Why it ended early; omitted if it did not. */
  readonly brokenOff?: string;
}

/** A requirement that a script breaks. */
export interface ExploreFinding {
  readonly requirement: RequirementId;
  /** The broken claim of the requirement; omitted if it is not known. */
  readonly claim?: ClaimId;
  readonly level: "error" | "warning";
  /** The step that shows it, in one line. */
  readonly step: string;
  /** The place in the body, as a JSON pointer; omitted if it is not in a body. */
  readonly path?: string;
  readonly expected: string;
  readonly actual: string;
  /** The other requirements that the step breaks: probably consequences. */
  readonly others: readonly RequirementId[];
  /** The shortest failing script that was found. */
  readonly script: Script;
  /** A Vitest test that plays the script. */
  readonly test: string;
  /**
   * The requests that show it, as shell lines without secrets. The first line exchanges the
   * credentials of the environment for the token of the others.
   */
  readonly curl: readonly string[];
}

/** Describes what a failing script shows. */
export function findingOf(
  target: Target,
  { script, failed }: PlayedScript,
  requirement: RequirementId,
): ExploreFinding {
  const { violations = [], step } = failed ?? {};
  const violation = violations.find((one) => one.requirement === requirement) ?? violations[0];
  if (!violation || !step) throw new Error("a finding needs a failed step");
  const { path, expected, actual, evidence } = violation.breach;
  const requests = [...new Set(evidence.flatMap((one) => curlFor(target, one)))];
  const others = violations.map((one) => one.requirement).filter((id) => id !== requirement);
  return {
    ...{ requirement, level: violation.level, step: renderStep(step) },
    ...(violation.claim !== undefined && { claim: violation.claim }),
    ...(path !== undefined && { path }),
    ...{ expected, actual, others, script },
    test: testOf(target, script, requirement),
    curl: requests.length === 0 ? [] : [tokenLine(target), ...requests],
  };
}

/** Sets the variable of the token. */
function tokenLine({ baseUrl }: Target): string {
  const { path, ...request } = tokenRequest({});
  const exchange = curlOf({ ...request, url: `${rootOf(baseUrl)}${path}` });
  const read = `tr -d '\\n' | sed -E 's/.*"access_token" *: *"([^"]+)".*/\\1/'`;
  return `TXFEED_TOKEN=$(${exchange.replace("curl -i", "curl -s")} | ${read})`;
}

function rootOf(baseUrl: string): string {
  return baseUrl.replace(/(?<!\/)\/+$/, "");
}

/** The request of an exchange; for a delivery, the request of the resource that it announces. */
function curlFor({ baseUrl }: Target, message: Message): string[] {
  if (!isDelivery(message)) return [curlOf(message.request)];
  const href = linkAt(message.json, ["_links", "self"]);
  if (href === undefined || memberOf(message.json, "id") === undefined) return [];
  try {
    return [curlOf(linkRequest(rootOf(baseUrl), href))];
  } catch {
    // The link of a faulty delivery may lead nowhere.
    return [];
  }
}

/** Writes a Vitest test that plays a script. Credentials come from the environment. */
function testOf(
  { baseUrl }: Target,
  { opening, steps }: Script,
  requirement: RequirementId,
): string {
  const lines = (all: readonly Step[]) =>
    all.map((step) => `    ${JSON.stringify(step)},`).join("\n");
  const list = (name: string, all: readonly Step[]) =>
    all.length === 0 ? `  ${name}: [],` : `  ${name}: [\n${lines(all)}\n  ],`;
  const title = JSON.stringify(`${requirement} holds after ${steps.at(-1)?.verb ?? "the opening"}`);
  return `import { replayScript, type Script } from "txfeed/conformance";
import { expect, test } from "vitest";
import makeDriver from "./driver.js"; // yours; for the sandbox: "txfeed/conformance/sandbox-driver"

const baseUrl = ${JSON.stringify(baseUrl)};
const { TXFEED_ACCOUNT_ID = "", TXFEED_CLIENT_ID = "", TXFEED_CLIENT_SECRET = "" } = process.env;
const script: Script = {
${list("opening", opening)}
${list("steps", steps)}
};

test(${title}, async () => {
  const findings = await replayScript(
    {
      baseUrl,
      profile: "full",
      driver: await makeDriver({ baseUrl }),
      credentials: {
        accountId: TXFEED_ACCOUNT_ID,
        clientId: TXFEED_CLIENT_ID,
        clientSecret: TXFEED_CLIENT_SECRET,
      },
    },
    script,
  );
  const lines = findings.map(({ requirement, step, expected, actual }) => {
    return [requirement, "after " + step, "expected " + expected, "actual: " + actual].join(", ");
  });
  expect(lines).toEqual([]);
}, 60_000);
`;
}

/** Whether nothing was decided: the run ended early, or nothing of a state table happened. */
export function isUndecided({ coverage, brokenOff, findings }: ExploreReport): boolean {
  const isNothing = coverage.every(({ cases }) => cases.covered === 0);
  return brokenOff !== undefined || (isNothing && findings.length === 0);
}

/** Renders the report of an exploration for a terminal. The last line has the result. */
export function renderExploration(report: ExploreReport, style: TextStyle): string {
  const { coverage, findings, refusals, missingVerbs, unordered, brokenOff } = report;
  return [
    ...findings.flatMap((finding) => [...renderFinding(finding, style), ""]),
    headOf(report),
    "",
    ...coverage.map((table) => renderTable(table, style)),
    "",
    ...refusals.map(({ verb, times, reason }) =>
      style.warn(`${verb} was refused ${counted(times, "time")}: ${reason}`),
    ),
    ...(missingVerbs.length > 0 ? [`the driver has no ${missingVerbs.join(", ")}`] : []),
    ...unordered.map(
      (id) => `${id}: not judged, because deliveries were repeated or overtook each other`,
    ),
    ...(brokenOff === undefined ? [] : [style.bad(`ended early: ${brokenOff}`)]),
    resultOf(report, style),
  ].join("\n");
}

function headOf(report: ExploreReport): string {
  const { target, mode, seed, depth, scripts, steps, equalScripts, durationMs } = report;
  const what = mode === "random" ? `seed ${seed}` : `every script of up to ${depth} steps`;
  const count = (value: number) => value.toLocaleString("en-US");
  const equal = equalScripts === undefined ? "" : `, ${count(equalScripts)} equal to another`;
  const seconds = (durationMs / 1_000).toFixed(1);
  const played = `${count(scripts)} scripts${equal}, ${count(steps)} steps, ${seconds} s`;
  return `${target}: ${what}: ${played}`;
}

function renderTable(coverage: TableCoverage, style: TextStyle): string {
  const { table, missing } = coverage;
  const counts = (["states", "rows", "cases"] as const).map((part) => {
    return `${coverage[part].covered} of ${coverage[part].total} ${part}`;
  });
  const line = `${table.padEnd(25)} ${counts.join(", ").padEnd(42)}`;
  return missing.length === 0 ? line.trimEnd() : line + style.warn(`not: ${missing.join(", ")}`);
}

function resultOf(report: ExploreReport, style: TextStyle): string {
  const { findings, scripts, coverage } = report;
  if (findings.length > 0) {
    const ids = findings.map(({ requirement }) => requirement).join(", ");
    return style.bad(`${counted(findings.length, "finding")}: ${ids}`);
  }
  if (isUndecided(report)) return style.bad("nothing was decided");
  const [covered, total] = coverage.reduce(
    ([done, all], { cases }) => [done + cases.covered, all + cases.total],
    [0, 0],
  );
  const transitions = `${covered} of ${total} transitions of the state tables happened`;
  const text = `no finding in ${scripts.toLocaleString("en-US")} scripts; ${transitions}`;
  return covered === total ? style.good(text) : style.warn(text);
}

function renderFinding(finding: ExploreFinding, style: TextStyle): string[] {
  const { requirement, level, step, path, expected, actual, others, script } = finding;
  const place = path ? ` ${path}` : "";
  const indent = (text: string) => text.replaceAll(/^(?=.)/gm, "    ");
  const list = (steps: readonly Step[]) =>
    steps.map((one, at) => `    ${at + 1}. ${renderStep(one)}`);
  const verdict = style.bad(level === "error" ? "FAILED" : "WARNED");
  return [
    `${verdict} ${style.bold(requirement)} after ${step}`,
    `  expected${place}: ${expected}`,
    `  actual: ${actual}`,
    ...(others.length > 0 ? [`  also: ${others.join(", ")}`] : []),
    ...(script.opening.length > 0 ? ["  given:", ...list(script.opening)] : []),
    "  script:",
    ...list(script.steps),
    ...(finding.curl.length > 0 ? ["  requests:", ...finding.curl.map((one) => `    ${one}`)] : []),
    "  test:",
    indent(finding.test.trimEnd()),
  ];
}
