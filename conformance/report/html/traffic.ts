import { segmentsOf } from "../../../src/contract/pointer.ts";
import { counted, shortened } from "../../../src/text.ts";
import {
  curlOf,
  type Delivery,
  type Exchange,
  isDelivery,
  receivedText,
} from "../../wire/exchange.ts";
import {
  cut,
  details,
  facts,
  type Html,
  html,
  more,
  nameOf,
  note,
  type ReportPage,
  section,
} from "./html.ts";

// Exchanges and deliveries, and their bodies.

const MAX_HEADERS = 30;
const MAX_CURL = 4_000;

/** Replaces header values that may be secret. */
const DROPPED = "(dropped)";

/** Renders exchanges and deliveries while they fit; those of first findings take precedence. */
export function makeTraffic(page: ReportPage): void {
  const { requirements, traffic } = page.view.report;
  const first = requirements.flatMap(({ checks }) =>
    checks.flatMap(({ findings: [finding] = [] }) => finding?.evidence ?? []),
  );
  for (const nr of new Set([...first, ...traffic.map(({ nr }) => nr)])) {
    const one = page.view.traffic.get(nr);
    const made = one && page.forTraffic(() => item(page, one));
    if (made) page.complete.set(nr, made);
  }
}

/** Renders the section of all exchanges and deliveries that fit, in order of arrival. */
export function trafficSection({ view: { report }, complete }: ReportPage): Html | undefined {
  if (report.traffic.length === 0) return undefined;
  return section(
    "traffic",
    "Exchanges and deliveries",
    note("Only those that findings refer to, in order of arrival."),
    html`<ol class="traffic">${report.traffic.map(({ nr }) => complete.get(nr))}</ol>`,
    more(report.traffic.length - complete.size, "more"),
  );
}

function item(page: ReportPage, entry: Exchange | Delivery): Html {
  const { nr } = entry;
  const outcome = isDelivery(entry)
    ? `delivery, ${offset(page.view.report.startedAt, entry.receivedAt)}`
    : `${entry.response?.status ?? "no response"}, ${Math.round(entry.durationMs)} ms`;
  const summary = html`<span class="nr">${nr}</span> <code>${nameOf(entry)}</code>
    <span class="quiet">${outcome}</span>`;
  const content = isDelivery(entry) ? delivery(entry) : exchange(entry);
  return html`
    <li id="nr-${nr}">${details("entry", false, summary, content, receivedBody(page, entry))}</li>`;
}

/** Formats the time since the start of the run: `+0.512 s`. */
function offset(startedAt: string, at: string): string {
  const ms = Date.parse(at) - Date.parse(startedAt);
  return Number.isNaN(ms)
    ? "at an unknown time"
    : `${ms < 0 ? "" : "+"}${(ms / 1_000).toFixed(3)} s`;
}

function exchange({ request, response, failure }: Exchange): Html {
  const received = response
    ? head(`${response.status}`, response.headers)
    : note(`no response: ${cut(failure)}`);
  return html`
    <h4>Request</h4>
    ${head(`${request.method} ${request.url}`, request.headers)}
    ${request.body !== undefined && sentBody(request.body)}
    ${curlLine(curlOf(request))}
    <h4>Response</h4>
    ${received}`;
}

function delivery({ request: { method, path, headers }, receivedAt }: Delivery): Html {
  return head(`${method} ${path}, received at ${receivedAt}`, headers);
}

function head(first: string, headers: Readonly<Record<string, string>>): Html {
  const all = Object.entries(headers);
  const visible = all.filter(([, value]) => value !== DROPPED).slice(0, MAX_HEADERS);
  const left = all.length - visible.length;
  return html`
    <p><code>${cut(first)}</code></p>
    ${facts(...visible.map(([name, value]) => [cut(name), cut(value || "(empty)")] as const))}
    ${left > 0 && note(`${counted(left, "header")} not shown`)}`;
}

/** Renders a curl line, which a click selects. */
export function curlLine(line: string): Html {
  if (line.length > MAX_CURL) return note("The curl line is too long to show.");
  return html`<p class="curl"><code>${line}</code></p>`;
}

const MAX_LINES = 150;
const MAX_MARKED_LINES = 40;
const MAX_TEXT = 4_000;

/** Longer bodies are parsed only to mark a member; otherwise their beginning is shown as text. */
const LARGE = 200_000;

/**
 * Renders a received body, pretty-printed if it is JSON, and limited in size.
 *
 * @param pointer The member to mark; what surrounds it is folded.
 */
export function receivedBody(
  page: ReportPage,
  entry: Exchange | Delivery,
  pointer?: string,
): Html | undefined {
  const text = receivedText(entry);
  if (text === "") return undefined;
  const path = pointer?.startsWith("/") ? segmentsOf(pointer) : undefined;
  const json = path || text.length < LARGE ? page.bodyOf(entry) : undefined;
  return json === undefined ? sentBody(text) : listing(linesOf(json, path));
}

/** Renders the beginning of a text. */
function sentBody(text: string): Html {
  const left = text.length - MAX_TEXT;
  const omitted: JsonLine = { text: `… ${counted(left, "more character")}`, kind: "left-out" };
  return listing([{ text: text.slice(0, MAX_TEXT) }, ...(left > 0 ? [omitted] : [])]);
}

function listing(lines: readonly JsonLine[]): Html {
  const shown = lines.map(({ text, kind }, at) => {
    const end = at < lines.length - 1 ? "\n" : "";
    if (kind === "left-out") return html`<i>${text}</i>${end}`;
    if (kind === undefined) return html`${text}${end}`;
    const start = text.length - text.trimStart().length;
    return html`${text.slice(0, start)}<mark>${text.slice(start)}</mark>${end}`;
  });
  // Scrollable content must be focusable to be scrolled by keyboard.
  return html`<pre tabindex="0" role="group" aria-label="Body, ${counted(lines.length, "line")}"
>${shown}</pre>`;
}

/** A line of pretty-printed JSON. */
export interface JsonLine {
  readonly text: string;
  /** `marked`: part of the marked member; `left-out`: a note about omitted content. */
  readonly kind?: "marked" | "left-out";
}

/** Number of members shown on each side of the marked one, and of its ancestors. */
const NEAR = 3;
const DEEPEST = 40;
const MAX_STRING = 300;
const MAX_KEY = 120;

/**
 * Pretty-prints JSON in a limited number of lines.
 *
 * @param path The member to mark; its place if it is missing. Of what surrounds it, only the
 * neighbours and the ids are shown, one line each.
 */
export function linesOf(value: unknown, path?: readonly string[]): JsonLine[] {
  const lines: JsonLine[] = [];
  const most = path ? MAX_MARKED_LINES + 8 * Math.min(path.length, DEEPEST) : MAX_LINES;
  const add = (depth: number, text: string, kind?: JsonLine["kind"]) => {
    if (lines.length < most) lines.push({ text: "  ".repeat(depth) + text, ...(kind && { kind }) });
    else if (lines.length === most) lines.push({ text: "… more lines", kind: "left-out" });
  };
  const write = (
    value: unknown,
    { depth, before, after }: Place,
    path?: readonly string[],
    kind?: "marked",
  ): void => {
    const [segment, ...rest] = path ?? [];
    const own = path?.length === 0 ? "marked" : kind;
    const isLeaf = typeof value !== "object" || value === null || depth > DEEPEST;
    const names = isLeaf ? [] : Object.keys(value);
    if (isLeaf || (segment === undefined && names.length === 0)) {
      add(depth, before + folded(value) + after, path ? "marked" : own);
      return;
    }
    const isArray = Array.isArray(value);
    add(depth, `${before}${isArray ? "[" : "{"}`, own);
    const at = segment === undefined ? -1 : names.indexOf(segment);
    let hidden = 0;
    const leaveOut = () => {
      const what = counted(hidden, isArray ? "more item" : "more member");
      if (hidden > 0) add(depth + 1, `… ${what}`, "left-out");
      hidden = 0;
    };
    for (const [index, name] of names.entries()) {
      if (lines.length > most) return;
      const distance = Math.abs(index - Math.max(at, 0));
      const isNear = distance <= (isArray ? 0 : NEAR) || (!isArray && name === "id");
      if (segment !== undefined && !isNear) {
        hidden += 1;
        continue;
      }
      leaveOut();
      const member = (value as Record<string, unknown>)[name];
      const inner = {
        depth: depth + 1,
        before: isArray ? "" : `${keyOf(name)}: `,
        after: index < names.length - 1 ? "," : "",
      };
      if (segment === undefined) write(member, inner, undefined, own);
      else if (index === at) write(member, inner, rest);
      else add(depth + 1, inner.before + folded(member) + inner.after);
    }
    leaveOut();
    if (segment !== undefined && at < 0) {
      const name = isArray ? `[${shortened(segment, MAX_KEY)}]` : keyOf(segment);
      add(depth + 1, `${name}: nothing there`, "marked");
    }
    add(depth, `${isArray ? "]" : "}"}${after}`, own);
  };
  write(value, { depth: 0, before: "", after: "" }, path);
  return lines;
}

/** The position of a value: its indentation, and the text before and after it on its line. */
interface Place {
  readonly depth: number;
  readonly before: string;
  readonly after: string;
}

/** A value in one line: a container as its number of members. */
function folded(value: unknown): string {
  if (typeof value === "object" && value !== null) {
    const [open, close, what] = Array.isArray(value) ? ["[", "]", "item"] : ["{", "}", "member"];
    const count = Object.keys(value).length;
    return count === 0 ? open + close : `${open} … ${counted(count, what)} ${close}`;
  }
  if (typeof value !== "string") return String(value);
  const text = JSON.stringify(value.slice(0, MAX_STRING));
  if (value.length <= MAX_STRING) return text;
  return `${text.slice(0, -1)}…" (${counted(value.length, "character")})`;
}

function keyOf(name: string): string {
  return JSON.stringify(shortened(name, MAX_KEY));
}
