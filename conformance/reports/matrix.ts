import { requirements } from "../../generated/requirements.ts";
import type { CheckReport, Report, RequirementReport, Verdict } from "./report.ts";

/** How the matrix is painted: a function for each thing that it says. */
export interface MatrixStyle {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
}

const MARKS: Record<Verdict, string> = {
  passed: "✓",
  failed: "✗",
  warned: "!",
  skipped: "·",
  excluded: "–",
};

const GROUPS: Record<string, string> = {
  CONV: "conventions",
  AUTH: "authentication",
  SDK: "enrollment SDK",
  EP: "endpoints",
  PAGE: "pagination",
  TXN: "transactions",
  MSG: "messages",
  SUB: "card subscriptions",
  NBF: "bulk feeds",
  BLK: "bank links",
  BAC: "bank accounts",
  BTX: "bank transactions",
  MAT: "matches",
  ENR: "enrichment",
  WHK: "webhooks",
  ERR: "errors",
  VER: "versioning",
};

const WIDTH = 100;

/**
 * Renders a report for a person: a row a group and a mark a requirement, what fails, where the
 * whole report lies (`file`, where it was written), and the sum last.
 */
export function renderMatrix(report: Report, style: MatrixStyle, file?: string): string {
  return [
    `${style.bold("conformance")} of ${report.target}, profile ${report.profile}`,
    "",
    ...renderGroups(report, style),
    "",
    renderLegend(style),
    ...renderSkipped(report, style),
    ...renderBreaches(report, style),
    "",
    ...(file === undefined ? [] : [`report in ${file}`]),
    renderSum(report, style),
  ].join("\n");
}

function renderGroups({ requirements: all }: Report, style: MatrixStyle): string[] {
  const groups = Map.groupBy(all, ({ id }) => groupOf(id));
  const widest = Math.max(...[...groups.values()].map((members) => members.length));
  return [...groups].map(([group, members]) => {
    const marks = members.map(({ verdict }) => paint(verdict, style)(MARKS[verdict])).join(" ");
    const padding = "  ".repeat(widest - members.length);
    const decided = members.filter(isDecided).length;
    const name = (GROUPS[group] ?? "").padEnd(20);
    const count = decided === 0 ? style.dim("none decided") : `${decided} of ${members.length}`;
    return `  ${group.padEnd(6)}${style.dim(name)}${marks}${padding}   ${count}`;
  });
}

function renderLegend(style: MatrixStyle): string {
  const entries = Object.entries(MARKS) as [Verdict, string][];
  const legend = entries.map(([verdict, mark]) => `${paint(verdict, style)(mark)} ${verdict}`);
  return `  ${legend.join("   ")}`;
}

/** What is skipped, by reason: a skip says why, and never reads as green. */
function renderSkipped({ requirements: all }: Report, style: MatrixStyle): string[] {
  const skipped = all.filter(({ verdict }) => verdict === "skipped");
  const byReason = [...Map.groupBy(skipped, ({ reason = "" }) => reason)];
  byReason.sort(([, a], [, b]) => b.length - a.length);
  return byReason.flatMap(([reason, members]) => [
    "",
    `  ${style.bold(`${members.length} skipped:`)} ${reason}`,
    ...wrap(members.map(({ id }) => id)).map((line) => style.dim(`    ${line}`)),
  ]);
}

function renderBreaches({ requirements: all }: Report, style: MatrixStyle): string[] {
  return all
    .filter(({ verdict }) => verdict === "failed" || verdict === "warned")
    .flatMap((requirement) => renderBreach(requirement, style));
}

function renderBreach({ id, verdict, checks }: RequirementReport, style: MatrixStyle): string[] {
  const broken = checks.filter((check) => check.findings);
  return [
    "",
    `  ${paint(verdict, style)(`${MARKS[verdict]} ${id}`)}  ${style.bold(requirements[id].text)}`,
    ...broken.flatMap((check) => renderCheck(check, style)),
  ];
}

function renderCheck(
  { name, findings = [], reproduce }: CheckReport,
  style: MatrixStyle,
): string[] {
  const [first, ...others] = findings;
  return [
    `    ${name}`,
    `      ${first?.message}${others.length > 0 ? ` (and ${others.length} more)` : ""}`,
    style.dim(`      ${reproduce}`),
  ];
}

function renderSum({ summary, requirements: all, durationMs }: Report, style: MatrixStyle): string {
  const { passed, failed, warned, skipped, excluded } = summary;
  const decided = passed + failed + warned;
  const counts = [
    style.good(`${passed} passed`),
    (failed > 0 ? style.bad : style.dim)(`${failed} failed`),
    (warned > 0 ? style.warn : style.dim)(`${warned} warned`),
    `${skipped} skipped`,
    `${excluded} excluded`,
  ];
  const seconds = (durationMs / 1000).toFixed(1);
  return `${decided} of ${all.length} requirements decided in ${seconds} s: ${counts.join(", ")}`;
}

function isDecided({ verdict }: RequirementReport): boolean {
  return verdict === "passed" || verdict === "failed" || verdict === "warned";
}

function groupOf(id: string): string {
  return id.slice(0, id.indexOf("-"));
}

function paint(verdict: Verdict, style: MatrixStyle): (text: string) => string {
  if (verdict === "passed") return style.good;
  if (verdict === "failed") return style.bad;
  return verdict === "warned" ? style.warn : style.dim;
}

function wrap(words: readonly string[]): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH - 6) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}
