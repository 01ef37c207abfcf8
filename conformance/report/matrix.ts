import { counted, printable, type TextStyle, wrapped } from "../../src/text.ts";
import { renderBaseline, renderSuiteErrors } from "./baseline-section.ts";
import { renderCauses } from "./cause-lines.ts";
import { endingOf } from "./ending.ts";
import { GROUPS, isDecided, isLeftOut, selectedGroups } from "./groups.ts";
import { refusalsIn } from "./refusals.ts";
import type { Report, RequirementReport, Verdict } from "./report.ts";

/** Notes that are printed in addition to the report. */
interface MatrixNotes {
  /** Facts about the run, such as its timeout for responses. */
  readonly facts?: readonly string[];
  /** The files that were written: "report in report.json". */
  readonly files?: readonly string[];
}

/** The mark of each verdict. */
export const MARKS: Readonly<Record<Verdict, string>> = {
  passed: "✓",
  failed: "✗",
  warned: "!",
  partly: "~",
  skipped: "·",
  excluded: "–",
};

/** The maximum line width, in columns. */
const WIDTH = 100;

/**
 * Renders a report as text: a row for each group with a mark for each requirement, the skipped
 * requirements by reason, the failures by likely cause, and the summary last.
 */
export function renderMatrix(
  report: Report,
  style: TextStyle,
  { facts = [], files = [] }: MatrixNotes = {},
): string {
  return [
    `${style.bold("conformance")} of ${printable(report.target)}, profile ${report.profile}`,
    ...facts.map((fact) => style.dim(fact)),
    ...renderBreak(report, style),
    ...refusalsIn(report).map((line) => style.warn(line)),
    "",
    ...renderGroups(report, style),
    "",
    renderLegend(style),
    ...renderSkipped(report, style),
    ...renderCauses(report, style),
    ...renderSuiteErrors(report, style),
    ...renderBaseline(report, style),
    "",
    ...files.map((file) => printable(file)),
    ...renderEnding(report, style),
    renderWork(report, style),
    renderSum(report, style),
  ].join("\n");
}

function renderBreak({ brokenOff }: Report, style: TextStyle): string[] {
  if (brokenOff === undefined) return [];
  const what = `The run stopped early: ${printable(brokenOff)}. The results so far follow.`;
  return wrapped(what, WIDTH).map((line) => style.bad(line));
}

function renderGroups({ requirements: all }: Report, style: TextStyle): string[] {
  const groups = selectedGroups(all);
  const widest = Math.max(...groups.map(([, members]) => members.length));
  return groups.map(([group, members]) => {
    const marks = members.map(({ verdict }) => paintOf(verdict, style)(MARKS[verdict])).join(" ");
    const padding = "  ".repeat(widest - members.length);
    const decided = members.filter(isDecided).length;
    const name = GROUPS[group].padEnd(20);
    const count = decided === 0 ? style.dim("none decided") : `${decided} of ${members.length}`;
    return `  ${group.padEnd(6)}${style.dim(name)}${marks}${padding}   ${count}`;
  });
}

function renderLegend(style: TextStyle): string {
  const entries = Object.entries(MARKS) as [Verdict, string][];
  const legend = entries.map(([verdict, mark]) => `${paintOf(verdict, style)(mark)} ${verdict}`);
  return `  ${legend.join("   ")}`;
}

/** Renders the skipped requirements by reason, with hints for running them. */
function renderSkipped({ requirements: all }: Report, style: TextStyle): string[] {
  const leftOut = all.filter(isLeftOut).length;
  return [
    ...skipsOf(all).flatMap(({ reason, hint, members }) => {
      const head = `${members.length} skipped:`;
      const [first = "", ...rest] = wrapped(printable(reason), WIDTH - head.length - 3);
      return [
        "",
        `  ${style.bold(head)} ${first}`,
        ...rest.map((line) => `    ${line}`),
        ...(hint === undefined ? [] : indented(`→ ${printable(hint)}`)),
        ...indented(members.map(({ id }) => id).join(" ")).map((line) => style.dim(line)),
      ];
    }),
    ...(leftOut > 0 ? ["", `  ${style.bold(`${leftOut} skipped:`)} not selected`] : []),
  ];
}

/** The requirements that are skipped for one reason. */
interface SkipGroup {
  readonly reason: string;
  readonly hint?: string;
  readonly members: readonly RequirementReport[];
}

/** Groups the skipped requirements among the selected ones by reason, the largest group first. */
export function skipsOf(all: readonly RequirementReport[]): readonly SkipGroup[] {
  const skipped = all.filter((one) => one.verdict === "skipped" && !isLeftOut(one));
  const byReason = Map.groupBy(skipped, ({ reason, hint }) => JSON.stringify([reason, hint]));
  return [...byReason.values()]
    .map((members): SkipGroup => {
      const [{ reason = "", hint } = {}] = members;
      return { reason, ...(hint !== undefined && { hint }), members };
    })
    .sort((a, b) => b.members.length - a.members.length);
}

function indented(text: string): string[] {
  return wrapped(text, WIDTH - 4).map((line) => `    ${line}`);
}

/** Explains why a run is undecided. */
function renderEnding(report: Report, style: TextStyle): string[] {
  if (endingOf(report) !== "undecided") return [];
  const { suiteErrors } = report;
  const why =
    suiteErrors.length === 0
      ? "no check reached a verdict"
      : `${counted(suiteErrors.length, "suite error")} kept checks from a verdict`;
  return [style.bad(`undecided: ${why}`)];
}

function renderWork({ checks, assertions, durationMs }: Report, style: TextStyle): string {
  const seconds = (durationMs / 1000).toFixed(1);
  const work = `${counted(checks, "check")} made ${counted(assertions, "assertion")}`;
  return style.dim(`${work} in ${seconds} s`);
}

function renderSum(report: Report, style: TextStyle): string {
  const { summary, requirements: all, baseline } = report;
  const { passed, failed, warned, skipped, excluded } = summary;
  const decided = passed + failed + warned;
  const known = baseline?.known.length ? ` (${baseline.known.length} known)` : "";
  const counts = [
    (passed > 0 ? style.good : style.dim)(`${passed} passed`),
    (failed > 0 ? style.bad : style.dim)(`${failed} failed${known}`),
    (warned > 0 ? style.warn : style.dim)(`${warned} warned`),
    `${skipped} skipped`,
    `${excluded} excluded`,
  ];
  return `${style.bold(`${decided} of ${all.length}`)} requirements decided: ${counts.join(", ")}`;
}

/** The colour of a verdict. */
function paintOf(verdict: Verdict, style: TextStyle): (text: string) => string {
  if (verdict === "passed") return style.good;
  if (verdict === "failed") return style.bad;
  return verdict === "warned" ? style.warn : style.dim;
}
