import { counted, printable, shortened, type TextStyle, wrapped } from "../../../src/text.ts";
import { type ChangeKind, type Comparison, isWorse, type SituationChange } from "./compare.ts";
import type { ReadCause } from "./read-report.ts";
import {
  type ChangeGroup,
  type ComparedFiles,
  describeRun,
  resultOf,
  sectionsOf,
  sentenceOf,
  situationGroupsOf,
  slowdownOf,
} from "./sections.ts";

const WIDTH = 100;
const MAX_CAUSES = 25;
const MAX_SITUATION_LINES = 60;

/** Renders a comparison as text: the runs, the changes by kind, and the result last. */
export function renderText(
  comparison: Comparison,
  { a, b }: ComparedFiles,
  style: TextStyle,
): string {
  const { remarks, causes, situations } = comparison;
  const slowdown = slowdownOf(comparison);
  const paint = isWorse(comparison) ? style.bad : style.good;
  return [
    `${style.bold("compare")} A ${printable(a)} → B ${printable(b)}`,
    ...hanging("A", describeRun(comparison.a), 2),
    ...hanging("B", describeRun(comparison.b), 2),
    ...remarks.flatMap((remark) => indented(remark, 2)).map((line) => style.warn(line)),
    ...sectionsOf(comparison).flatMap(({ kind, title, groups }) => [
      "",
      `  ${paintOf(kind, style)(title)}`,
      ...groups.flatMap((group) => renderGroup(group, kind, style)),
    ]),
    ...renderSituations("lost", situations.lost),
    ...renderSituations("gained", situations.gained),
    ...renderCauses("new", causes.new),
    ...renderCauses("gone", causes.gone),
    ...(slowdown === undefined ? [] : ["", `  ${style.warn(slowdown)}`]),
    "",
    style.bold(paint(resultOf(comparison))),
    "",
  ].join("\n");
}

function paintOf(kind: ChangeKind, style: TextStyle): (text: string) => string {
  if (kind === "broken") return style.bad;
  return kind === "undecided" ? style.warn : style.bold;
}

function renderGroup(
  { from, to, reason, hint, changes }: ChangeGroup,
  kind: ChangeKind,
  style: TextStyle,
): string[] {
  const why = reason === undefined ? "" : `: ${reason}`;
  const ids = changes.map(({ id }) => id).join(" ");
  return [
    ...indented(`${from} → ${to}${why}`, 4),
    ...(hint === undefined ? [] : indented(`→ ${hint}`, 6)),
    ...(kind === "broken"
      ? changes.flatMap(({ id }) => hanging(id, sentenceOf(id) ?? "", 6))
      : indented(ids, 6).map((line) => style.dim(line))),
  ];
}

function renderSituations(what: string, changes: readonly SituationChange[]): string[] {
  if (changes.length === 0) return [];
  const lines = situationGroupsOf(changes).flatMap(({ reason, hint, claims }) => [
    ...(reason === undefined ? [] : indented(reason, 4)),
    ...(hint === undefined ? [] : indented(`→ ${hint}`, 6)),
    ...claims.flatMap(([claim, names]) => {
      return indented(`${claim}: ${names.join(" ")}`, reason === undefined ? 4 : 6);
    }),
  ]);
  const more = lines.length - MAX_SITUATION_LINES;
  return [
    "",
    `  ${counted(changes.length, "situation")} ${what}`,
    ...lines.slice(0, MAX_SITUATION_LINES),
    ...(more > 0 ? [`    and ${counted(more, "more line")}: --format json lists all`] : []),
  ];
}

function renderCauses(what: string, causes: readonly ReadCause[]): string[] {
  if (causes.length === 0) return [];
  const more = causes.length - MAX_CAUSES;
  return [
    "",
    `  ${counted(causes.length, `${what} likely cause`)}`,
    ...causes.slice(0, MAX_CAUSES).map(({ requirements: [lead = ""], message }) => {
      return `    ${shortened(printable(`${lead}  ${message}`), WIDTH - 4)}`;
    }),
    ...(more > 0 ? [`    and ${counted(more, "more cause")}`] : []),
  ];
}

function indented(text: string, by: number): string[] {
  return wrapped(printable(text), WIDTH - by).map((line) => " ".repeat(by) + line);
}

/** Indents a text after its first word; further lines begin below the text. */
function hanging(first: string, text: string, by: number): string[] {
  const start = by + printable(first).length + 2;
  return wrapped(printable(text), WIDTH - start).map((line, at) => {
    const lead = at === 0 ? `${" ".repeat(by)}${printable(first)}  ` : " ".repeat(start);
    return `${lead}${line}`.trimEnd();
  });
}
