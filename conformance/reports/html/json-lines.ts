import { counted, shortened } from "./words.ts";

/** A line of pretty-printed JSON. */
export interface JsonLine {
  readonly text: string;
  /** `marked`: of the member that was asked for; `left-out`: tells of what is not shown. */
  readonly kind?: "marked" | "left-out";
}

/** How much is shown of what stands beside a member, and beside what leads to it. */
const MOST_NEIGHBOURS = 5;
const MOST_ON_THE_WAY = 1;
const MOST_STRING = 300;
const MOST_KEY = 120;
const DEEPEST = 40;

/** A place to write lines to, of which only so many are kept. */
class Lines {
  readonly kept: JsonLine[] = [];
  readonly most: number;
  isFull = false;

  constructor(most: number) {
    this.most = most;
  }

  add(depth: number, text: string, kind?: JsonLine["kind"]): void {
    if (this.kept.length >= this.most) this.isFull = true;
    else this.kept.push({ text: "  ".repeat(depth) + text, ...(kind && { kind }) });
  }
}

/** The whole of a value in at most so many lines; the last one says that there is more. */
export function wholeOf(value: unknown, most: number): JsonLine[] {
  const lines = new Lines(most);
  writeAll(lines, value, { depth: 0, before: "", after: "" });
  return endOf(lines);
}

/**
 * A value with one of its members marked: all of it where that has so many lines, and else the way
 * to the member and what stands beside it.
 *
 * @param segments The member's place; where there is none, what would be there is marked.
 */
export function around(value: unknown, segments: readonly string[], most: number): JsonLine[] {
  const whole = new Lines(most);
  writeTo(whole, value, segments, { depth: 0, before: "", after: "" }, false);
  if (!whole.isFull) return whole.kept;
  const folded = new Lines(2 * most + 4 * Math.min(segments.length, DEEPEST));
  writeTo(folded, value, segments, { depth: 0, before: "", after: "" }, true);
  return endOf(folded);
}

function endOf({ kept, isFull }: Lines): JsonLine[] {
  return isFull ? [...kept, { text: "… more that is not shown here", kind: "left-out" }] : kept;
}

/** Where a value stands: what comes before it on its line, and after. */
interface Place {
  readonly depth: number;
  readonly before: string;
  readonly after: string;
}

type Members = readonly (readonly [name: string, value: unknown])[];

/** The members of an object or array; undefined of all else. */
function membersOf(value: unknown): Members | undefined {
  return typeof value === "object" && value !== null ? Object.entries(value) : undefined;
}

/** Writes the way to a member. Off that way, containers are folded, or not. */
function writeTo(
  lines: Lines,
  value: unknown,
  segments: readonly string[],
  place: Place,
  isFolded: boolean,
): void {
  const [segment, ...rest] = segments;
  const members = membersOf(value);
  if (segment === undefined || !members || place.depth > DEEPEST) {
    writeAll(lines, value, place, "marked");
    return;
  }
  const isArray = Array.isArray(value);
  const { depth, before, after } = place;
  lines.add(depth, `${before}${isArray ? "[" : "{"}`);
  const at = members.findIndex(([name]) => name === segment);
  const beside = isArray ? 0 : rest.length > 1 ? MOST_ON_THE_WAY : MOST_NEIGHBOURS;
  const isShown = (index: number, name: string) =>
    !isFolded || name === "id" || Math.abs(index - Math.max(at, 0)) <= beside;
  let hidden = 0;
  for (const [index, [name, member]] of members.entries()) {
    if (!isShown(index, name)) {
      hidden += 1;
      continue;
    }
    leftOut(lines, depth + 1, hidden, isArray);
    hidden = 0;
    const inner = placeOf(name, isArray, depth + 1, index < members.length - 1);
    if (name === segment) writeTo(lines, member, rest, inner, isFolded);
    else if (isFolded) writeFolded(lines, member, inner);
    else writeAll(lines, member, inner);
  }
  leftOut(lines, depth + 1, hidden, isArray);
  if (at < 0) {
    const name = isArray ? `[${shortened(segment, MOST_KEY)}]` : keyOf(segment);
    lines.add(depth + 1, `${name}: nothing there`, "marked");
  }
  lines.add(depth, `${isArray ? "]" : "}"}${after}`);
}

function leftOut(lines: Lines, depth: number, count: number, isArray: boolean): void {
  if (count === 0) return;
  lines.add(depth, `… ${counted(count, isArray ? "item" : "member")} more`, "left-out");
}

function writeFolded(lines: Lines, value: unknown, { depth, before, after }: Place): void {
  const members = membersOf(value);
  if (!members || members.length === 0) writeAll(lines, value, { depth, before, after });
  else if (Array.isArray(value)) {
    lines.add(depth, `${before}[ … ${counted(members.length, "item")} ]${after}`);
  } else lines.add(depth, `${before}{ … ${counted(members.length, "member")} }${after}`);
}

/** Writes all of a value, for as long as there is room. */
function writeAll(lines: Lines, value: unknown, place: Place, kind?: "marked"): void {
  if (lines.isFull) return;
  const { depth, before, after } = place;
  const members = membersOf(value);
  const isArray = Array.isArray(value);
  if (!members) lines.add(depth, `${before}${scalar(value)}${after}`, kind);
  else if (members.length === 0)
    lines.add(depth, `${before}${isArray ? "[]" : "{}"}${after}`, kind);
  else if (depth > DEEPEST) writeFolded(lines, value, place);
  else {
    lines.add(depth, `${before}${isArray ? "[" : "{"}`, kind);
    for (const [index, [name, member]] of members.entries()) {
      if (lines.isFull) return;
      const inner = placeOf(name, isArray, depth + 1, index < members.length - 1);
      writeAll(lines, member, inner, kind);
    }
    lines.add(depth, `${isArray ? "]" : "}"}${after}`, kind);
  }
}

function placeOf(name: string, isArray: boolean, depth: number, isFollowed: boolean): Place {
  return { depth, before: isArray ? "" : `${keyOf(name)}: `, after: isFollowed ? "," : "" };
}

function keyOf(name: string): string {
  return JSON.stringify(shortened(name, MOST_KEY));
}

function scalar(value: unknown): string {
  if (typeof value !== "string") return String(value);
  const text = JSON.stringify(value.slice(0, MOST_STRING));
  if (value.length <= MOST_STRING) return text;
  return `${text.slice(0, -1)}…" (${counted(value.length, "character")})`;
}
