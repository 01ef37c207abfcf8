import { counted, shortened } from "../../../src/text.ts";

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

  /** Tells of members that are not shown. */
  leaveOut(depth: number, count: number, { isArray }: Members): void {
    if (count === 0) return;
    this.add(depth, `… ${counted(count, isArray ? "item" : "member")} more`, "left-out");
  }
}

const TOP: Place = { depth: 0, before: "", after: "" };

/** The whole of a value in at most so many lines; the last one says that there is more. */
export function wholeOf(value: unknown, most: number): JsonLine[] {
  const lines = new Lines(most);
  writeAll(lines, value, TOP);
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
  writeTo(whole, value, segments, TOP, false);
  if (!whole.isFull) return whole.kept;
  const folded = new Lines(2 * most + 4 * Math.min(segments.length, DEEPEST));
  writeTo(folded, value, segments, TOP, true);
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

/** What an object or array has, without a copy of it: there may be a million. */
interface Members {
  readonly isArray: boolean;
  readonly length: number;
  readonly nameAt: (index: number) => string;
  readonly valueAt: (index: number) => unknown;
  /** Where a member is; -1 where there is none of the name. */
  readonly indexOf: (name: string) => number;
}

/** The members of an object or array; undefined of all else. */
function membersOf(value: unknown): Members | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) {
    return {
      isArray: true,
      length: value.length,
      nameAt: String,
      valueAt: (index) => value[index],
      indexOf: (name) => (/^\d+$/.test(name) && Number(name) < value.length ? Number(name) : -1),
    };
  }
  const names = Object.keys(value);
  return {
    isArray: false,
    length: names.length,
    nameAt: (index) => names[index] ?? "",
    valueAt: (index) => (value as Record<string, unknown>)[names[index] ?? ""],
    indexOf: (name) => names.indexOf(name),
  };
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
  const { depth, before, after } = place;
  if (segment === undefined || !members || depth > DEEPEST) {
    writeAll(lines, value, place, "marked");
    return;
  }
  const { isArray, length } = members;
  lines.add(depth, `${before}${isArray ? "[" : "{"}`);
  const at = members.indexOf(segment);
  const beside = isArray ? 0 : rest.length > 1 ? MOST_ON_THE_WAY : MOST_NEIGHBOURS;
  const isNear = (index: number) => Math.abs(index - Math.max(at, 0)) <= beside;
  const isShown = (index: number) =>
    !isFolded || isNear(index) || (!isArray && members.nameAt(index) === "id");
  let hidden = 0;
  for (let index = 0; index < length && !lines.isFull; index += 1) {
    if (!isShown(index)) {
      hidden += 1;
      continue;
    }
    lines.leaveOut(depth + 1, hidden, members);
    hidden = 0;
    const [member, inner] = [members.valueAt(index), placeOf(members, index, depth + 1)];
    if (index === at) writeTo(lines, member, rest, inner, isFolded);
    else if (isFolded) writeFolded(lines, member, inner);
    else writeAll(lines, member, inner);
  }
  lines.leaveOut(depth + 1, hidden, members);
  if (at < 0) {
    const name = isArray ? `[${shortened(segment, MOST_KEY)}]` : keyOf(segment);
    lines.add(depth + 1, `${name}: nothing there`, "marked");
  }
  lines.add(depth, `${isArray ? "]" : "}"}${after}`);
}

/** Writes a value in a line: of what has members, how many they are. */
function writeFolded(lines: Lines, value: unknown, place: Place): void {
  const { depth, before, after } = place;
  const members = membersOf(value);
  if (!members || members.length === 0) writeAll(lines, value, place);
  else {
    const { isArray, length } = members;
    const count = counted(length, isArray ? "item" : "member");
    lines.add(depth, `${before}${isArray ? `[ … ${count} ]` : `{ … ${count} }`}${after}`);
  }
}

/** Writes all of a value, for as long as there is room. */
function writeAll(lines: Lines, value: unknown, place: Place, kind?: "marked"): void {
  const { depth, before, after } = place;
  const members = membersOf(value);
  if (!members) {
    lines.add(depth, `${before}${scalar(value)}${after}`, kind);
    return;
  }
  const { isArray, length } = members;
  if (length === 0) lines.add(depth, `${before}${isArray ? "[]" : "{}"}${after}`, kind);
  else if (depth > DEEPEST) writeFolded(lines, value, place);
  else {
    lines.add(depth, `${before}${isArray ? "[" : "{"}`, kind);
    for (let index = 0; index < length && !lines.isFull; index += 1) {
      writeAll(lines, members.valueAt(index), placeOf(members, index, depth + 1), kind);
    }
    lines.add(depth, `${isArray ? "]" : "}"}${after}`, kind);
  }
}

function placeOf({ isArray, length, nameAt }: Members, index: number, depth: number): Place {
  const before = isArray ? "" : `${keyOf(nameAt(index))}: `;
  return { depth, before, after: index < length - 1 ? "," : "" };
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
