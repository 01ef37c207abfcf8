import { claims, type RequirementId, requirements } from "../../generated/requirements.ts";
import { counted, printable, shortened } from "../../src/text.ts";
import { openCausesOf, trafficLine } from "./cause-lines.ts";
import { type Comparison, isWorse, type SituationChange } from "./compare/compare.ts";
import type { ReadCause } from "./compare/read-report.ts";
import {
  type ChangeGroup,
  type ComparedFiles,
  describeRun,
  resultOf,
  sectionsOf,
  situationGroupsOf,
  slowdownOf,
} from "./compare/text.ts";
import {
  type Ending,
  endingOf,
  headlinesOf,
  refusalsIn,
  refusedVerbsIn,
  undecidedBecause,
} from "./ending.ts";
import {
  type Cause,
  GROUPS,
  isDecided,
  type KnownFailure,
  type Report,
  type RequirementReport,
  selectedGroups,
  type Verdict,
} from "./report.ts";
import { gainsOf, gainText, openGroups, unmetGroups } from "./undecided.ts";

/** Maximum number of causes. A job summary is limited to a megabyte. */
const MAX_CAUSES = 30;
const LONGEST_VALUE = 300;

const ENDINGS: Readonly<Record<Exclude<Ending, "undecided">, string>> = {
  held: "✅ nothing fails",
  failed: "❌ failed",
};

/**
 * Renders a summary in GitHub's Markdown, for the page of a CI job: the totals, a row for each
 * group, the failures by likely cause, and the skipped requirements with reasons.
 */
export function renderMarkdown(report: Report): string {
  const { summary, requirements: all, brokenOff, checks, assertions, durationMs } = report;
  const decided = summary.passed + summary.failed + summary.warned;
  const { passed, failed, warned, partly, skipped, excluded } = summary;
  const work = `${counted(checks, "check")}, ${counted(assertions, "assertion")}`;
  return [
    `## Conformance of ${code(report.target)}`,
    "",
    `**${titleOf(report)}**: ${decided} of ${all.length} requirements decided, ${passed} passed, ` +
      `${failed} failed, ${warned} warned, ${partly > 0 ? `${partly} partly, ` : ""}` +
      `${skipped} skipped, ${excluded} excluded ` +
      `(profile ${report.profile}, ${work}, ${(durationMs / 1000).toFixed(1)} s)`,
    ...renderClaims(report),
    ...headlinesOf(report).flatMap(({ text, requirements: ids }) => [
      "",
      `> ⚠️ ${plain(text)}${ids.length === 0 ? "" : ` (${ids.join(", ")})`}`,
    ]),
    ...(brokenOff === undefined ? [] : ["", `> The run stopped early: ${plain(brokenOff)}`]),
    ...[...refusalsIn(report), ...refusedVerbsIn(report)].flatMap((line) => [
      "",
      `> ${plain(line)}`,
    ]),
    "",
    ...renderTable(all),
    ...renderCauses(report),
    ...renderFaults(report),
    ...renderBaseline(report),
    ...renderOpen(report),
    "",
  ].join("\n");
}

function renderClaims({ claims: { total, decided, failed, situations } }: Report): string[] {
  if (total === 0) return [];
  const met =
    situations.total === 0 ? "" : `, in ${situations.met} of ${situations.total} situations`;
  const broken = failed === 0 ? "" : `, ${failed} failed`;
  return ["", `${decided} of ${total} claims decided${met}${broken}`];
}

function titleOf(report: Report): string {
  const ending = endingOf(report);
  return ending === "undecided" ? `⚠️ undecided: ${undecidedBecause(report)}` : ENDINGS[ending];
}

const VERDICTS: readonly Verdict[] = [
  "passed",
  "failed",
  "warned",
  "partly",
  "skipped",
  "excluded",
];

function renderTable(all: readonly RequirementReport[]): string[] {
  return [
    `| group | decided | ${VERDICTS.join(" | ")} |`,
    `|---|---|${VERDICTS.map(() => "---:").join("|")}|`,
    ...selectedGroups(all).map(([group, members]) => {
      const counts = VERDICTS.map(
        (wanted) => members.filter(({ verdict }) => verdict === wanted).length || "",
      );
      const decided = `${members.filter(isDecided).length} of ${members.length}`;
      return `| ${group} ${GROUPS[group]} | ${decided} | ${counts.join(" | ")} |`;
    }),
  ];
}

function renderCauses(report: Report): string[] {
  const open = openCausesOf(report);
  if (open.length === 0) return [];
  const causes = open.filter(({ consequenceOf }) => consequenceOf === undefined);
  const others = open.filter(({ consequenceOf }) => consequenceOf !== undefined);
  const consequences = new Set(
    others.map(({ requirements: [lead], consequenceOf, because = "" }) => {
      return `- probable consequence of ${consequenceOf}: **${lead}**, because ${because}`;
    }),
  );
  const more = causes.length - MAX_CAUSES;
  return [
    "",
    "### Failures",
    "",
    ...causes.slice(0, MAX_CAUSES).flatMap((cause) => renderCause(cause, report)),
    ...(more > 0 ? [`- and ${counted(more, "more cause")} in the report`] : []),
    ...[...consequences].slice(0, MAX_CAUSES),
  ];
}

function renderCause(cause: Cause, { traffic, requirements: all }: Report): string[] {
  const { requirements: ids, message, findings, evidence, claim, details = [] } = cause;
  const [lead, ...others] = ids as [RequirementId, ...RequirementId[]];
  const isFailure =
    cause.level === "error" ||
    all.some(({ id, verdict }) => verdict === "failed" && ids.includes(id));
  const found = traffic.find(({ nr }) => nr === evidence[0]);
  const also = others.length === 0 ? "" : `; also breaks ${others.join(", ")}`;
  return [
    `- ${isFailure ? "❌" : "⚠️"} **${lead}** ${plain(requirements[lead].text)}`,
    `  - ${code(shortened(message, LONGEST_VALUE))} (${counted(findings, "finding")}${also})`,
    ...(claim === undefined ? [] : [`  - claim ${claim}: ${plain(claims[claim].text)}`]),
    ...(details.length === 0 ? [] : [`  - ${code(details.join("; "))}`]),
    ...(found ? [`  - ${code(trafficLine(found))}`] : []),
  ];
}

function renderFaults({ suiteErrors }: Report): string[] {
  if (suiteErrors.length === 0) return [];
  return [
    "",
    "### Internal errors of the suite, not of the target",
    "",
    ...suiteErrors.map(
      ({ requirement, check, message }) => `- ${requirement} ${plain(check)}: ${code(message)}`,
    ),
  ];
}

function renderBaseline({ baseline }: Report): string[] {
  if (!baseline) return [];
  const { stale, expired, known, undecided } = baseline;
  const rows = (what: string, failures: readonly KnownFailure[]) =>
    failures.map(
      ({ requirement, reason, expires }) =>
        `- ${what}: **${requirement}**, until ${expires}: ${plain(reason)}`,
    );
  return [
    "",
    "### Known failures",
    "",
    ...rows("❌ passes now, remove it", stale),
    ...rows("❌ expired", expired),
    ...rows("fails, as expected", known),
    ...rows("not decided in this run", undecided),
  ];
}

function renderOpen({ requirements: all }: Report): string[] {
  const open = openGroups(all);
  const unmet = unmetGroups(all);
  const gains = gainsOf(all);
  const claims = open.reduce((sum, group) => sum + group.claims, 0);
  const situations = unmet.reduce((sum, group) => sum + group.situations, 0);
  return [
    ...(gains.length === 0 ? [] : ["", "### To decide more", ""]),
    ...gains.map((gain) => `- ${gain.action}: ${gainText(gain)}`),
    ...renderFolded(
      `${counted(claims, "claim")} not decided, by reason`,
      open.map((group) => `- ${whyOpen(group)}: ${group.ids.join(" ")}`),
    ),
    ...renderFolded(
      `${counted(situations, "situation")} of decided claims not met, by reason`,
      unmet.flatMap((group) => [
        `- ${whyOpen(group)}`,
        ...group.claims.map((one) => `  - ${one.id}: ${one.situations.join(", ")}`),
      ]),
    ),
  ];
}

/** Renders a list that is folded at first. */
function renderFolded(summary: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  return ["", `<details><summary>${summary}</summary>`, "", ...items, "", "</details>"];
}

function whyOpen({ reason, hint }: { readonly reason: string; readonly hint?: string }): string {
  return `${plain(reason)}${hint === undefined ? "" : ` → ${plain(hint)}`}`;
}

/** Escapes Markdown, and GitHub's mentions and references. */
function plain(text: string): string {
  return printable(text)
    .replace(/[<>&@#$]/g, (mark) => `&#${mark.charCodeAt(0)};`)
    .replace(/[\\`*_[\]|~]/g, "\\$&");
}

/** Formats text as code, even if it contains backticks. */
function code(text: string): string {
  const traffic = printable(text);
  const longest = Math.max(0, ...[...traffic.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  const space = longest > 0 ? " " : "";
  return `${fence}${space}${traffic}${space}${fence}`;
}

/** Renders a comparison in GitHub's Markdown, for the page of a CI job or a pull request. */
export function renderComparison(comparison: Comparison, { a, b }: ComparedFiles): string {
  const { remarks, causes, situations } = comparison;
  const slowdown = slowdownOf(comparison);
  return [
    `## Conformance of ${code(a)} and ${code(b)} compared`,
    "",
    `**${isWorse(comparison) ? "❌" : "✅"} ${resultOf(comparison)}**`,
    "",
    `- A: ${plain(describeRun(comparison.a))}`,
    `- B: ${plain(describeRun(comparison.b))}`,
    ...(slowdown === undefined ? [] : [`- ${slowdown}`]),
    ...remarks.flatMap((remark) => ["", `> ${plain(remark)}`]),
    ...sectionsOf(comparison).flatMap(({ title, groups }) => [
      "",
      `### ${title}`,
      "",
      ...groups.map(renderGroup),
    ]),
    ...renderSituations("lost", situations.lost),
    ...renderSituations("gained", situations.gained),
    ...renderComparedCauses("new", causes.new),
    ...renderComparedCauses("gone", causes.gone),
    "",
  ].join("\n");
}

function renderGroup({ from, to, reason, hint, changes }: ChangeGroup): string {
  const why = reason === undefined ? "" : ` (${plain(reason)})`;
  const advice = hint === undefined ? "" : ` → ${plain(hint)}`;
  return `- ${from} → ${to}${why}${advice}: ${changes.map(({ id }) => plain(id)).join(" ")}`;
}

function renderSituations(what: string, changes: readonly SituationChange[]): string[] {
  if (changes.length === 0) return [];
  return [
    "",
    `### ${counted(changes.length, "situation")} ${what}`,
    "",
    ...situationGroupsOf(changes).flatMap(({ reason, hint, claims }) => {
      const why = reason === undefined ? "" : ` (${plain(reason)})`;
      const advice = hint === undefined ? "" : ` → ${plain(hint)}`;
      return claims.map(([claim, names]) => {
        return `- ${plain(`${claim}: ${names.join(", ")}`)}${why}${advice}`;
      });
    }),
  ];
}

function renderComparedCauses(what: string, causes: readonly ReadCause[]): string[] {
  if (causes.length === 0) return [];
  const more = causes.length - MAX_CAUSES;
  return [
    "",
    `### ${counted(causes.length, `${what} likely cause`)}`,
    "",
    ...causes.slice(0, MAX_CAUSES).map(({ requirements: [lead = ""], message }) => {
      return `- **${plain(lead)}** ${code(shortened(message, LONGEST_VALUE))}`;
    }),
    ...(more > 0 ? [`- and ${counted(more, "more cause")}`] : []),
  ];
}
