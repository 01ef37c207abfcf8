import { counted, printable, shortened, type TextStyle, wrapped } from "../../src/text.ts";
import { type OpenGroup, whyOf } from "./open.ts";
import type { Verdict } from "./report.ts";
import { type CauseView, MARKS, trafficLine, VARIABLES_NOTE, type View } from "./view.ts";

/** The maximum line width, in columns. */
const WIDTH = 100;
const MAX_CAUSES = 25;

/** With more gains than this, only `--verbose` lists them all. */
const MAX_GAINS = 5;

interface TextOptions {
  /** Facts about the run, such as its timeout for responses. */
  readonly facts?: readonly string[];
  /** The files that were written: "report in report.json". */
  readonly files?: readonly string[];
  /** Whether to list what was not decided, with reasons. */
  readonly isVerbose?: boolean;
}

/**
 * Renders a report as text: a row for each group with a mark for each requirement, the failures by
 * likely cause, and the number of claims last.
 */
export function renderText(
  view: View,
  style: TextStyle,
  { facts = [], files = [], isVerbose = false }: TextOptions = {},
): string {
  const { report, ending, gains } = view;
  const paint = { held: style.good, failed: style.bad, undecided: style.bad }[ending];
  const open = isVerbose ? [...view.undecided, ...view.unmet] : [];
  const most = isVerbose ? gains.length : MAX_GAINS;
  const widest = Math.max(...gains.map(({ action }) => action.length));
  return [
    `${style.bold("conformance")} of ${printable(report.target)}, profile ${report.profile}`,
    ...facts.map(style.dim),
    ...view.notes.flatMap(({ text, ids, isDoubt }) => {
      const what = ids.length === 0 ? text : `${text}: ${ids.join(", ")} not decided`;
      return indented(what, 0).map(isDoubt ? style.bad : style.warn);
    }),
    "",
    ...renderGroups(view, style),
    ...(gains.length > 0 ? ["", `  ${style.bold("to decide more:")}`] : []),
    ...gains.slice(0, most).map(({ action, gain }) => `    ${action.padEnd(widest)}  ${gain}`),
    ...moreThan(most, gains.length, "more"),
    ...open.flatMap((group) => renderOpen(group, style)),
    ...(view.notSelected > 0 && isVerbose
      ? ["", `  ${counted(view.notSelected, "requirement")} not selected`]
      : []),
    ...renderCauses(view, style),
    ...view.lists.flatMap(({ count, title, isBad, items }) => [
      "",
      `  ${(isBad ? style.bad : style.bold)(`${count} ${title}`)}`,
      ...items.flatMap(({ ids, text }) => hanging(ids.join(" "), text, 4)),
    ]),
    "",
    ...files.map(printable),
    style.dim(view.work),
    ...(ending === "held" ? [] : indented(view.result, 0).map(style.bad)),
    style.bold(paint(view.sum)),
  ].join("\n");
}

function renderGroups({ groups }: View, style: TextStyle): string[] {
  const widest = Math.max(...groups.map(({ members }) => members.length));
  const seen = new Set(groups.flatMap(({ members }) => members.map(({ verdict }) => verdict)));
  const legend = (Object.keys(MARKS) as Verdict[])
    .filter((verdict) => seen.has(verdict))
    .map((verdict) => `${paintOf(verdict, style)(MARKS[verdict])} ${verdict}`);
  return [
    ...groups.map(({ group, title, members, claims: { total, decided } }) => {
      const marks = members.map(({ verdict }) => paintOf(verdict, style)(MARKS[verdict])).join(" ");
      const padding = "  ".repeat(widest - members.length);
      const count = total === 0 ? "excluded" : `${decided} of ${counted(total, "claim")}`;
      const head = `${group.padEnd(5)} ${title.padEnd(20)}`;
      return `  ${head}${marks}${padding}   ${decided === 0 ? style.dim(count) : count}`;
    }),
    "",
    `  ${legend.join("   ")}`,
  ];
}

/** Renders what was not decided for one reason. */
function renderOpen({ title, items, ...why }: OpenGroup, style: TextStyle): string[] {
  const lines = items.flatMap(({ ids, text }) =>
    text === "" ? indented(ids.join(" "), 4) : hanging(`${ids.join(" ")}:`, text, 4),
  );
  return ["", ...hanging(`${title}:`, whyOf(why), 2), ...lines.map(style.dim)];
}

function renderCauses({ causes, consequences }: View, style: TextStyle): string[] {
  const blocks = causes.slice(0, MAX_CAUSES).flatMap((cause) => ["", ...block(cause, style)]);
  const followers = new Map(consequences.map((one) => [`${one.lead} ${one.consequenceOf}`, one]));
  return [
    ...(causes.length > 0 ? ["", `  ${style.bold(counted(causes.length, "likely cause"))}`] : []),
    ...blocks,
    ...moreThan(MAX_CAUSES, causes.length, "more causes"),
    ...(followers.size > 0 ? ["", `  ${style.bold("probable consequences")}`] : []),
    ...[...followers.values()]
      .slice(0, MAX_CAUSES)
      .flatMap(({ lead, sentence, consequenceOf }) =>
        hanging(lead, shortened(`of ${consequenceOf}: ${sentence}`, WIDTH - 14), 4),
      ),
    ...moreThan(MAX_CAUSES, followers.size, "more consequences"),
    ...(blocks.some((line) => line.includes("$TXFEED_"))
      ? ["", style.dim(`    ${VARIABLES_NOTE}`)]
      : []),
  ];
}

function moreThan(shown: number, all: number, what: string): string[] {
  const more = all - shown;
  return more > 0 ? [`    and ${more} ${what}: --verbose, --html FILE or --report-json FILE`] : [];
}

/** Renders a likely cause: what it breaks, where, and what shows it. */
function block(cause: CauseView, style: TextStyle): string[] {
  const { lead, sentence, isFailure, title, findings, facts, shownBy } = cause;
  const paint = isFailure ? style.bad : style.warn;
  const [first = "", ...rest] = hanging(
    `${isFailure ? MARKS.failed : MARKS.warned} ${lead}`,
    sentence,
    2,
  );
  return [
    paint(first),
    ...rest.map(style.bold),
    ...indented(`${title}   ${findings}`, 4),
    ...facts.flatMap(({ label, ids, lines: [line = "", ...others] }) => {
      const text = [ids.join(" "), line].filter(Boolean).join(": ");
      return [text, ...others].flatMap((each, at) =>
        hanging((at === 0 ? label : "").padEnd(8), each, 4),
      );
    }),
    ...(shownBy ? [style.dim(`    ${printable(trafficLine(shownBy))}`)] : []),
  ];
}

/** Wraps an untrusted text and indents each line. */
export function indented(text: string, by: number): string[] {
  return wrapped(printable(text), WIDTH - by).map((line) => " ".repeat(by) + line);
}

/** Indents a text after its first word; further lines begin below the text. */
export function hanging(first: string, text: string, by: number): string[] {
  const head = `${" ".repeat(by)}${printable(first)}  `;
  return wrapped(printable(text), WIDTH - head.length).map((line, at) => {
    return `${at === 0 ? head : " ".repeat(head.length)}${line}`.trimEnd();
  });
}

/** The colour of a verdict. */
function paintOf(verdict: Verdict, style: TextStyle): (text: string) => string {
  const paint = { passed: style.good, failed: style.bad, warned: style.warn };
  return paint[verdict as keyof typeof paint] ?? style.dim;
}
