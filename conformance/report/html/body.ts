import { segmentsOf } from "../../../src/contract/pointer.ts";
import { counted, shortened } from "../../../src/text.ts";
import type { Delivery, Exchange } from "../../wire/exchange.ts";
import { grouped, type Html, html, type ReportPage, receivedText } from "./html.ts";

/** Maximum number of lines around a marked member, and of a whole body. */
const MAX_LINES_AROUND = 24;
const MAX_BODY_LINES = 150;
const MAX_TEXT = 4_000;

/** Longer bodies are parsed only to mark a member; otherwise their beginning is shown as text. */
const LARGE = 200_000;

/**
 * Renders a received body, pretty-printed if it is JSON, and limited in size.
 *
 * @param pointer The member to mark; only its surroundings are shown.
 */
export function receivedBody(
  page: ReportPage,
  entry: Exchange | Delivery,
  pointer?: string,
): Html | undefined {
  const text = receivedText(entry);
  if (text === "") return undefined;
  const isPlace = pointer?.startsWith("/");
  const json = isPlace || text.length < LARGE ? page.bodyOf(entry) : undefined;
  if (json === undefined) return sentBody(text);
  return listing(
    isPlace
      ? around(json, segmentsOf(pointer ?? ""), MAX_LINES_AROUND)
      : linesOfValue(json, MAX_BODY_LINES),
  );
}

/** Renders the beginning of a text. */
export function sentBody(text: string): Html {
  const lines: JsonLine[] = [{ text: text.slice(0, MAX_TEXT) }];
  const more = text.length - MAX_TEXT;
  if (more > 0) lines.push({ text: `… ${grouped(more)} more characters`, kind: "left-out" });
  return listing(lines);
}

function listing(lines: readonly JsonLine[]): Html {
  const entry = lines.map(({ text, kind }, at) => {
    const end = at < lines.length - 1 ? "\n" : "";
    if (kind === "marked") {
      const start = text.length - text.trimStart().length;
      return html`${text.slice(0, start)}<mark>${text.slice(start)}</mark>${end}`;
    }
    return kind === "left-out" ? html`<i>${text}</i>${end}` : html`${text}${end}`;
  });
  // Scrollable content must be focusable to be scrolled by keyboard.
  return html`<pre tabindex="0" role="group" aria-label="Body, ${counted(lines.length, "line")}"
>${entry}</pre>`;
}

/** A line of pretty-printed JSON. */
export interface JsonLine {
  readonly text: string;
  /** `marked`: part of the marked member; `left-out`: a note about omitted content. */
  readonly kind?: "marked" | "left-out";
}

/** Number of siblings shown on each side of the marked member, and of its ancestors. */
const MAX_NEIGHBOURS = 5;
const MAX_ANCESTOR_NEIGHBOURS = 1;
const MAX_STRING = 300;
const MAX_KEY = 120;
const DEEPEST = 40;

/** Collects lines up to a limit. */
class Lines {
  readonly items: JsonLine[] = [];
  readonly most: number;
  isFull = false;

  constructor(most: number) {
    this.most = most;
  }

  add(depth: number, text: string, kind?: JsonLine["kind"]): void {
    if (this.items.length >= this.most) this.isFull = true;
    else this.items.push({ text: "  ".repeat(depth) + text, ...(kind && { kind }) });
  }

  /** Adds a note about omitted members. */
  leaveOut(depth: number, count: number, { isArray }: Members): void {
    if (count === 0) return;
    this.add(depth, `… ${counted(count, isArray ? "more item" : "more member")}`, "left-out");
  }
}

const TOP: Place = { depth: 0, before: "", after: "" };

/** Pretty-prints a value; if it has more than `most` lines, adds a note that there is more. */
export function linesOfValue(value: unknown, most: number): JsonLine[] {
  const lines = new Lines(most);
  writeAll(lines, value, TOP);
  return endOf(lines);
}

/**
 * Pretty-prints a value with one member marked. If it has more than `most` lines, only the path to
 * the member and its siblings are shown.
 *
 * @param segments The path to the member. If it is missing, its expected place is marked.
 */
export function around(value: unknown, segments: readonly string[], most: number): JsonLine[] {
  const lines = new Lines(most);
  writeTo(lines, value, segments, TOP, false);
  if (!lines.isFull) return lines.items;
  const folded = new Lines(2 * most + 4 * Math.min(segments.length, DEEPEST));
  writeTo(folded, value, segments, TOP, true);
  return endOf(folded);
}

function endOf({ items, isFull }: Lines): JsonLine[] {
  return isFull ? [...items, { text: "… more lines are not shown", kind: "left-out" }] : items;
}

/** The position of a value: its indentation, and the text before and after it on its line. */
interface Place {
  readonly depth: number;
  readonly before: string;
  readonly after: string;
}

/** Access to the members of an object or array without copying them. */
interface Members {
  readonly isArray: boolean;
  readonly length: number;
  readonly nameAt: (index: number) => string;
  readonly valueAt: (index: number) => unknown;
  /** Returns -1 if no member has the name. */
  readonly indexOf: (name: string) => number;
}

/** The members of an object or array; undefined for other values. */
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

/** Writes a value down to the member at `segments`, folding other containers if `isFolded`. */
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
  const beside = isArray ? 0 : rest.length > 1 ? MAX_ANCESTOR_NEIGHBOURS : MAX_NEIGHBOURS;
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
    const name = isArray ? `[${shortened(segment, MAX_KEY)}]` : keyOf(segment);
    lines.add(depth + 1, `${name}: nothing there`, "marked");
  }
  lines.add(depth, `${isArray ? "]" : "}"}${after}`);
}

/** Writes a value in one line: a container as its number of members. */
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

/** Writes a whole value, until the lines are full. */
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
  return JSON.stringify(shortened(name, MAX_KEY));
}

function scalar(value: unknown): string {
  if (typeof value !== "string") return String(value);
  const text = JSON.stringify(value.slice(0, MAX_STRING));
  if (value.length <= MAX_STRING) return text;
  return `${text.slice(0, -1)}…" (${counted(value.length, "character")})`;
}
