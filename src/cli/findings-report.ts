import { requirements } from "../../generated/requirements.ts";
import type { Level } from "../contract/index.ts";
import { counted, printable, type TextStyle } from "../text.ts";
import type { FindingGroup, FindingGroups } from "./finding-groups.ts";
import { renderUnreadable, type Unreadable } from "./unreadable.ts";

/** The mark of each level, as the matrix of a conformance run has them. */
export const LEVEL_MARKS: Record<Level, string> = { error: "✗", warning: "!", notice: "·" };

const WIDTH = 100;

/** The colour of each level. */
export function paintOf(level: Level, style: TextStyle): (text: string) => string {
  if (level === "error") return style.bad;
  return level === "warning" ? style.warn : style.dim;
}

/** Renders a report for a person: what can't be judged, what was found, and the sum last. */
export function renderReport(
  { unreadable, faults, sum }: { unreadable: Unreadable; faults: FindingGroups; sum: string },
  style: TextStyle,
): string {
  const blocks = [...renderUnreadable(unreadable, style), ...renderGroups(faults, style)];
  return [...blocks.slice(1), ...(blocks.length > 0 ? [""] : []), sum, ""].join("\n");
}

/** A block a requirement, a row a fault. */
function renderGroups(faults: FindingGroups, style: TextStyle): string[] {
  const { uncounted } = faults;
  return [
    ...faults.byRequirement().flatMap((group) => renderRequirement(group, style)),
    ...(uncounted > 0 ? ["", `  and ${counted(uncounted, "finding")} of further faults`] : []),
  ];
}

function renderRequirement(group: readonly FindingGroup[], style: TextStyle): string[] {
  const [{ requirement, level } = group[0] as FindingGroup] = group;
  const head = `${LEVEL_MARKS[level]} ${requirement}  ${level.padEnd(9)}`;
  const indent = " ".repeat(head.length + 2);
  const [text = "", ...rest] = wrapped(requirements[requirement].text, WIDTH - indent.length);
  const widest = Math.max(...group.map(({ subject }) => printable(subject).length));
  return [
    "",
    `  ${paintOf(level, style)(head)}${style.bold(text)}`,
    ...rest.map((line) => indent + style.bold(line)),
    ...group.flatMap((fault) => renderGroup(fault, widest, style)),
  ];
}

function renderGroup(fault: FindingGroup, widest: number, style: TextStyle): string[] {
  const { subject, path, first } = fault;
  const places = style.dim(renderPlaces(fault));
  if (subject === "") return [`    ${printable(first)}`, `      ${places}`];
  const where = `${printable(subject).padEnd(widest)}  ${printable(path) || "(body)"}`;
  return [`    ${where}   ${places}`, `      ${printable(first)}`];
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}

/** How often, and where first: "once, on line 3", "12 times, on lines 3, 4, 5, 6, 7, …". */
function renderPlaces({ count, places, isElsewhere }: FindingGroup): string {
  const often = count === 1 ? "once" : counted(count, "time");
  const listed = places.join(places.some((place) => place.includes(",")) ? "; " : ", ");
  const kind = /^\d+$/.test(listed) ? "line " : "lines ";
  const where = /^\d/.test(listed) ? `on ${kind}${listed}` : `at ${listed}`;
  return `${often}, ${where}${isElsewhere ? ", …" : ""}`;
}
