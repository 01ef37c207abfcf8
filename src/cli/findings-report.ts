import { requirements } from "../../generated/requirements.ts";
import type { Level } from "../contract/index.ts";
import { counted, printable, type TextStyle, wrapped } from "../text.ts";
import type { FindingGroup, FindingGroups, Unreadable } from "./finding-groups.ts";

/** The mark of each level, as in the matrix of a conformance run. */
export const LEVEL_MARKS: Record<Level, string> = { error: "✗", warning: "!", notice: "·" };

const WIDTH = 100;

/** The colour of each level. */
export function paintOf(level: Level, style: TextStyle): (text: string) => string {
  if (level === "error") return style.bad;
  return level === "warning" ? style.warn : style.dim;
}

/** Renders a report as text: unreadable lines, groups of findings, and the summary last. */
export function renderReport(
  {
    unreadable,
    groups,
    summary,
  }: { unreadable: Unreadable; groups: FindingGroups; summary: string },
  style: TextStyle,
): string {
  const blocks = [...renderUnreadable(unreadable, style), ...renderGroups(groups, style)];
  return [...blocks.slice(1), ...(blocks.length > 0 ? [""] : []), summary, ""].join("\n");
}

function renderUnreadable({ first, count }: Unreadable, style: TextStyle): string[] {
  if (count === 0) return [];
  const more = count - first.length;
  const placed = (place: string) => (/^\d+$/.test(place) ? `line ${place}` : printable(place));
  return [
    "",
    `  ${style.bad(`✗ ${counted(count, "line")}`)} ${style.bold("unreadable")}`,
    ...first.map(({ place, problem }) => `    ${placed(place)}: ${printable(problem)}`),
    ...(more > 0 ? [style.dim(`    and ${more.toLocaleString("en-US")} more`)] : []),
  ];
}

/** Renders a block per requirement, with an entry per group. */
function renderGroups(groups: FindingGroups, style: TextStyle): string[] {
  const { uncounted } = groups;
  return [
    ...groups.byRequirement().flatMap((ofOne) => renderRequirement(ofOne, style)),
    ...(uncounted > 0 ? ["", `  and ${counted(uncounted, "finding")} in further groups`] : []),
  ];
}

function renderRequirement(groups: readonly FindingGroup[], style: TextStyle): string[] {
  const [{ requirement, level } = groups[0] as FindingGroup] = groups;
  const head = `${LEVEL_MARKS[level]} ${requirement}  ${level.padEnd(9)}`;
  const indent = " ".repeat(head.length + 2);
  const [text = "", ...rest] = wrapped(requirements[requirement].text, WIDTH - indent.length);
  const widest = Math.max(...groups.map(({ subject }) => printable(subject).length));
  return [
    "",
    `  ${paintOf(level, style)(head)}${style.bold(text)}`,
    ...rest.map((line) => indent + style.bold(line)),
    ...groups.flatMap((group) => renderGroup(group, widest, style)),
  ];
}

function renderGroup(group: FindingGroup, widest: number, style: TextStyle): string[] {
  const { subject, path, first } = group;
  const places = style.dim(renderPlaces(group));
  if (subject === "") return [`    ${printable(first)}`, `      ${places}`];
  const where = `${printable(subject).padEnd(widest)}  ${printable(path) || "(body)"}`;
  return [`    ${where}   ${places}`, `      ${printable(first)}`];
}

/** Renders the count and first places: "once, on line 3", "12 times, on lines 3, 4, 5, 6, 7, …". */
function renderPlaces({ count, places, isElsewhere }: FindingGroup): string {
  const often = count === 1 ? "once" : counted(count, "time");
  const listed = places.join(places.some((place) => place.includes(",")) ? "; " : ", ");
  const kind = /^\d+$/.test(listed) ? "line " : "lines ";
  const where = /^\d/.test(listed) ? `on ${kind}${listed}` : `at ${listed}`;
  return `${often}, ${where}${isElsewhere ? ", …" : ""}`;
}
