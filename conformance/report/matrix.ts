import { counted, printable, type TextStyle, wrapped } from "../../src/text.ts";
import { renderBaseline, renderCauses, renderSuiteErrors } from "./cause-lines.ts";
import {
  endingOf,
  type Headline,
  headlinesOf,
  refusalsIn,
  refusedVerbsIn,
  undecidedBecause,
} from "./ending.ts";
import {
  GROUPS,
  isDecided,
  isLeftOut,
  type Report,
  type RequirementReport,
  selectedGroups,
  type Verdict,
} from "./report.ts";
import {
  gainsOf,
  gainText,
  type OpenGroup,
  openGroups,
  type UnmetGroup,
  unmetGroups,
} from "./undecided.ts";

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

/** With more claims than this, unmet situations are only counted. */
const MAX_UNMET = 40;

/** Reasons of fewer claims than this have one line each, if there are more than FEW of them. */
const SEVERAL = 4;
const FEW = 3;

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
    ...headlinesOf(report).flatMap((headline) => renderHeadline(headline, style)),
    ...[...refusalsIn(report), ...refusedVerbsIn(report)]
      .flatMap((line) => wrapped(printable(line), WIDTH))
      .map((line) => style.warn(line)),
    "",
    ...renderGroups(report, style),
    "",
    renderLegend(style),
    ...renderOpen(report, style),
    ...renderUnmet(report, style),
    ...renderLeftOut(report, style),
    ...renderCauses(report, style),
    ...renderSuiteErrors(report, style),
    ...renderBaseline(report, style),
    "",
    ...files.map((file) => printable(file)),
    ...renderEnding(report, style),
    renderWork(report, style),
    ...renderClaims(report, style),
    renderSum(report, style),
  ].join("\n");
}

function renderBreak({ brokenOff }: Report, style: TextStyle): string[] {
  if (brokenOff === undefined) return [];
  const what = `The run stopped early: ${printable(brokenOff)}. The results so far follow.`;
  return wrapped(what, WIDTH).map((line) => style.bad(line));
}

function renderHeadline({ text, requirements: ids }: Headline, style: TextStyle): string[] {
  const what = ids.length === 0 ? text : `${text}: ${ids.join(", ")} not decided`;
  return wrapped(printable(what), WIDTH).map((line) => style.bad(line));
}

function renderGroups({ requirements: all }: Report, style: TextStyle): string[] {
  const groups = selectedGroups(all);
  const widest = Math.max(...groups.map(([, members]) => members.length));
  return groups.map(([group, members]) => {
    const marks = members.map(({ verdict }) => paintOf(verdict, style)(MARKS[verdict])).join(" ");
    const padding = "  ".repeat(widest - members.length);
    const name = GROUPS[group].padEnd(20);
    const count = renderCount(members, style);
    return `  ${group.padEnd(6)}${style.dim(name)}${marks}${padding}   ${count}`;
  });
}

/** The decided requirements and claims of a group: "3 of 5, 12 of 21 claims". */
function renderCount(members: readonly RequirementReport[], style: TextStyle): string {
  const decided = members.filter(isDecided).length;
  const claims = members.flatMap((one) => one.claims ?? []);
  const open = claims.filter(({ verdict }) => verdict === "undecided").length;
  if (decided === 0 && open === claims.length) return style.dim("none decided");
  const ofClaims = open === 0 ? "" : `, ${claims.length - open} of ${claims.length} claims`;
  return `${decided} of ${members.length}${ofClaims}`;
}

function renderLegend(style: TextStyle): string {
  const entries = Object.entries(MARKS) as [Verdict, string][];
  const legend = entries.map(([verdict, mark]) => `${paintOf(verdict, style)(mark)} ${verdict}`);
  return `  ${legend.join("   ")}`;
}

/** Renders what was not decided: what would decide it, then the claims by reason. */
function renderOpen({ requirements: all }: Report, style: TextStyle): string[] {
  const gains = gainsOf(all);
  const widest = Math.max(...gains.map(({ action }) => action.length));
  const groups = openGroups(all);
  const small = groups.filter(({ claims }) => claims < SEVERAL);
  const isBrief = small.length > FEW;
  return [
    ...(gains.length > 0 ? ["", `  ${style.bold("to decide more:")}`] : []),
    ...gains.map((gain) => `    ${gain.action.padEnd(widest)}  ${gainText(gain)}`),
    ...groups
      .filter((group) => !isBrief || !small.includes(group))
      .flatMap((group) => [
        ...renderReason(`${counted(group.claims, "claim")} not decided`, group, style),
        ...indented(group.ids.join(" ")).map((line) => style.dim(line)),
      ]),
    ...(isBrief ? renderBrief(small, small.length < groups.length, style) : []),
  ];
}

function renderLeftOut({ requirements: all }: Report, style: TextStyle): string[] {
  const leftOut = all.filter(isLeftOut).length;
  return leftOut > 0 ? ["", `  ${style.bold(`${leftOut} skipped:`)} not selected`] : [];
}

/** Renders reasons of few claims, one line each. */
function renderBrief(groups: readonly OpenGroup[], isRest: boolean, style: TextStyle): string[] {
  const count = groups.reduce((sum, { claims }) => sum + claims, 0);
  const lines = groups.flatMap((group) => hanging("", `${group.ids.join(" ")}: ${whyText(group)}`));
  return [
    "",
    `  ${style.bold(`${counted(count, isRest ? "more claim" : "claim")} not decided:`)}`,
    ...lines,
  ];
}

/** Renders the situations in which decided claims were not checked, a line for each claim. */
function renderUnmet({ requirements: all }: Report, style: TextStyle): string[] {
  const groups = unmetGroups(all);
  const claims = groups.reduce((sum, group) => sum + group.claims.length, 0);
  if (claims > MAX_UNMET) return renderUnmetCounts(groups, style);
  return groups.flatMap((group) => [
    ...renderReason(unmetText(group.situations, group.claims.length), group, style),
    ...group.claims
      .flatMap(({ id, situations }) => hanging("", `${id}: ${situations.join(" ")}`))
      .map((line) => style.dim(line)),
  ]);
}

/** Renders how many situations were not met for each reason. */
function renderUnmetCounts(groups: readonly UnmetGroup[], style: TextStyle): string[] {
  const count = groups.reduce((sum, { situations }) => sum + situations, 0);
  const claims = new Set(groups.flatMap((group) => group.claims.map(({ id }) => id)));
  const width = String(groups[0]?.situations ?? 0).length;
  return [
    "",
    `  ${style.bold(`${unmetText(count, claims.size)}:`)}`,
    ...groups.flatMap((group) =>
      hanging(`${String(group.situations).padStart(width)}  `, whyText(group)),
    ),
    "    → --report-json FILE and --html FILE list each situation",
  ];
}

function unmetText(situations: number, claims: number): string {
  return `${counted(situations, "situation")} of ${counted(claims, "claim")} not met`;
}

/** A reason, and how to change that, in one line. */
function whyText({ reason, hint }: Pick<OpenGroup, "reason" | "hint">): string {
  return hint === undefined ? reason : `${reason} → ${hint}`;
}

/** Indents a text after its first words; further lines are indented further. */
function hanging(first: string, text: string): string[] {
  const by = 4 + Math.max(2, first.length);
  return wrapped(printable(text), WIDTH - by).map((line, at) =>
    at === 0 ? `    ${first}${line}` : " ".repeat(by) + line,
  );
}

/** Renders how much is open, why, and how to change that. */
function renderReason(
  what: string,
  { reason, hint }: Pick<OpenGroup, "reason" | "hint">,
  style: TextStyle,
): string[] {
  const head = `${what}:`;
  const [first = "", ...rest] = wrapped(printable(reason), WIDTH - head.length - 3);
  return [
    "",
    `  ${style.bold(head)} ${first}`,
    ...rest.map((line) => `    ${line}`),
    ...(hint === undefined ? [] : indented(`→ ${printable(hint)}`)),
  ];
}

function indented(text: string): string[] {
  return wrapped(text, WIDTH - 4).map((line) => `    ${line}`);
}

/** Explains why a run is undecided, or its failures are in doubt. */
function renderEnding(report: Report, style: TextStyle): string[] {
  const isUndecided = endingOf(report) === "undecided";
  if (!isUndecided && headlinesOf(report).length === 0) return [];
  const what = isUndecided ? "undecided" : "in doubt";
  return [style.bad(`${what}: ${undecidedBecause(report)}`)];
}

function renderWork({ checks, assertions, durationMs }: Report, style: TextStyle): string {
  const seconds = (durationMs / 1000).toFixed(1);
  const work = `${counted(checks, "check")} made ${counted(assertions, "assertion")}`;
  return style.dim(`${work} in ${seconds} s`);
}

function renderClaims({ claims }: Report, style: TextStyle): string[] {
  const { total, decided, failed, situations } = claims;
  if (total === 0) return [];
  const met =
    situations.total === 0 ? "" : `, in ${situations.met} of ${situations.total} situations`;
  const broken = failed === 0 ? "" : `, ${style.bad(`${failed} failed`)}`;
  return [`${style.bold(`${decided} of ${total}`)} claims decided${met}${broken}`];
}

function renderSum(report: Report, style: TextStyle): string {
  const { summary, requirements: all, baseline } = report;
  const { passed, failed, warned, partly, skipped, excluded } = summary;
  const decided = passed + failed + warned;
  const known = baseline?.known.length ? ` (${baseline.known.length} known)` : "";
  const counts = [
    (passed > 0 ? style.good : style.dim)(`${passed} passed`),
    (failed > 0 ? style.bad : style.dim)(`${failed} failed${known}`),
    (warned > 0 ? style.warn : style.dim)(`${warned} warned`),
    ...(partly > 0 ? [`${partly} partly`] : []),
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
