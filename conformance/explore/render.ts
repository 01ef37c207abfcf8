import { counted, type TextStyle } from "../../src/text.ts";
import type { ExploreReport } from "./explore.ts";
import type { ExploreFinding } from "./finding.ts";
import { renderStep, type Step } from "./step.ts";
import type { TableCoverage } from "./tables.ts";

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
    ...unordered.map((id) => `${id}: not judged, because deliveries overtook each other`),
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
