import { counted, shortened } from "../../../src/text.ts";
import { code, plain } from "../markdown.ts";
import { type Comparison, isWorse, type SituationChange } from "./compare.ts";
import type { ReadCause } from "./read-report.ts";
import {
  type ChangeGroup,
  type ComparedFiles,
  describeRun,
  resultOf,
  sectionsOf,
  situationGroupsOf,
  slowdownOf,
} from "./text.ts";

const MAX_CAUSES = 30;
const LONGEST_VALUE = 300;

/** Renders a comparison in GitHub's Markdown, for the page of a CI job or a pull request. */
export function renderMarkdown(comparison: Comparison, { a, b }: ComparedFiles): string {
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
    ...renderCauses("new", causes.new),
    ...renderCauses("gone", causes.gone),
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

function renderCauses(what: string, causes: readonly ReadCause[]): string[] {
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
