import {
  type ClaimId,
  claims,
  type DecidedBy,
  type RequirementId,
  requirements,
} from "../../../generated/requirements.ts";
import { printableLines } from "../../../src/text.ts";
import { type Delivery, type Exchange, isDelivery, parseJson } from "../../wire/exchange.ts";
import { GROUPS, type Group, type Report, type Verdict } from "../report.ts";

/** Escaped HTML. Created by `html`, or by `trusted` from the page's own assets. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A template value: text is escaped, HTML is not; false and undefined render nothing. */
export type Piece = Html | string | number | false | undefined | readonly Piece[];

/** Renders a template. Values are escaped for text and for quoted attributes. */
export function html(template: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  const filled = template.map((text, at) => `${text}${textOf(pieces[at])}`);
  return new Html(filled.join(""));
}

/** Marks the page's own HTML, such as its style and script, as safe. Never pass other text. */
export function trusted(text: string): Html {
  return new Html(text);
}

function textOf(piece: Piece): string {
  if (piece === undefined || piece === false) return "";
  if (piece instanceof Html) return piece.text;
  if (typeof piece === "number") return String(piece);
  return typeof piece === "string" ? escaped(piece) : piece.map(textOf).join("");
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

function escaped(text: string): string {
  return printableLines(text).replace(/[&<>"'`]/g, (mark) => ESCAPES[mark] ?? "");
}

/** Renders a section that is labelled by its heading. */
export function section(id: string, title: string, ...content: readonly Piece[]): Html {
  return html`
    <section aria-labelledby="${id}">
      <h2 id="${id}">${title}</h2>
      ${content}
    </section>`;
}

/** Renders terms and descriptions. Omits terms with an empty description. */
export function facts(...all: readonly (readonly [term: Piece, value: Piece])[]): Html {
  const present = all.filter(([, value]) => isPresent(value));
  if (present.length === 0) return html``;
  const rows = present.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`);
  return html`<dl class="facts">${rows}</dl>`;
}

/** Renders a secondary line. */
export function note(text: string): Html {
  return html`<p class="quiet">${text}</p>`;
}

function isPresent(piece: Piece): boolean {
  if (Array.isArray(piece)) return piece.length > 0;
  return piece !== undefined && piece !== false && piece !== "";
}

/** Renders links to requirements and claims. */
export function linksTo(ids: readonly (RequirementId | ClaimId)[]): Html {
  const links = ids.map((id) => html`<a href="#${id}" title="${sentenceOf(id)}">${id}</a> `);
  return html`<span class="links">${links}</span>`;
}

function sentenceOf(id: RequirementId | ClaimId): string {
  return (id in claims ? claims[id as ClaimId] : requirements[id as RequirementId]).text;
}

/** The verdicts, the most urgent first. */
export const VERDICTS: readonly Verdict[] = [
  "failed",
  "warned",
  "passed",
  "partly",
  "skipped",
  "excluded",
];

/** The title of a group. */
export function titleOf(group: Group): string {
  const name = GROUPS[group];
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** How requirements are checked. */
export const HOW_DECIDED: Readonly<Record<DecidedBy, string>> = {
  schema: "by the schema of one body",
  rule: "by comparing fields of one body",
  sequence: "by comparing several deliveries",
  http: "by requests to the server",
  driven: "by triggering events on the server",
  client: "in the caller; no server can show it",
  open: "left open by the interface",
};

/** The number of requirements with a verdict. */
export function decidedIn({ summary: { passed, failed, warned } }: Report): number {
  return passed + failed + warned;
}

/** Formats a number with thousands separators. */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

export function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** Maximum characters of HTML. They keep the whole page below a megabyte. */
const MAX_FINDINGS_CHARS = 220_000;
const MAX_TRAFFIC_CHARS = 220_000;

/** The data and budgets that the parts of a page share. */
export class ReportPage {
  readonly report: Report;
  /** The budget for the evidence of findings. */
  readonly forFindings = new PageBudget(MAX_FINDINGS_CHARS);
  /** The budget for exchanges and deliveries in full. */
  readonly forTraffic = new PageBudget(MAX_TRAFFIC_CHARS);
  /** The exchanges and deliveries that the page shows in full, by number. */
  readonly complete = new Map<number, Html>();
  readonly #traffic: ReadonlyMap<number, Exchange | Delivery>;
  readonly #verdicts: ReadonlyMap<RequirementId, Verdict>;
  readonly #bodies = new ParsedBodies();

  constructor(report: Report) {
    this.report = report;
    this.#traffic = new Map(report.traffic.map((entry) => [entry.nr, entry]));
    this.#verdicts = new Map(report.requirements.map(({ id, verdict }) => [id, verdict]));
  }

  /** The exchange or delivery with a number; undefined if the report does not contain it. */
  entry(nr: number): Exchange | Delivery | undefined {
    return this.#traffic.get(nr);
  }

  /** Names an exchange or delivery, as a link if the page shows it in full. */
  linkTo(nr: number): Html {
    const entry = this.entry(nr);
    const name = `${entry && isDelivery(entry) ? "delivery" : "exchange"} ${nr}`;
    return this.complete.has(nr) ? html`<a href="#nr-${nr}">${name}</a>` : html`${name}`;
  }

  verdictOf(id: RequirementId): Verdict | undefined {
    return this.#verdicts.get(id);
  }

  /** The parsed body of a response or delivery; undefined if it is not JSON. */
  bodyOf(entry: Exchange | Delivery): unknown {
    return this.#bodies.of(entry.nr, receivedText(entry));
  }
}

/** The body of a response or delivery as text; empty if there is none. */
export function receivedText(entry: Exchange | Delivery): string {
  return isDelivery(entry) ? entry.request.body : (entry.response?.body ?? "");
}

/** Describes an exchange or delivery in one line. */
export function nameOf(entry: Exchange | Delivery): string {
  if (isDelivery(entry)) return entry.name || "a delivery without an event name";
  const { method, url } = entry.request;
  const at = URL.parse(url);
  return `${method} ${at ? `${at.pathname}${at.search}` : url}`;
}

/** Minimum size of a part. With less left, no part is rendered. */
const LEAST = 500;

/** Limits the amount of target data on a page, so that it opens on a phone. */
class PageBudget {
  #left: number;

  /** @param most In characters of HTML. */
  constructor(most: number) {
    this.#left = most;
  }

  /** Renders a part; returns undefined if it does not fit. */
  take(make: () => Html): Html | undefined {
    if (this.#left < LEAST) return undefined;
    const made = make();
    if (made.text.length > this.#left) return undefined;
    this.#left -= made.text.length;
    return made;
  }
}

/** Maximum characters of JSON: cached at once, and parsed for one page. */
const MAX_CACHED_CHARS = 12_000_000;
const MAX_PARSED_CHARS = 80_000_000;

interface Parsed {
  readonly json: unknown;
  readonly length: number;
}

/** Parses bodies as JSON. Caches only the most recently used, because they may be gigabytes. */
class ParsedBodies {
  readonly #parsed = new Map<number, Parsed>();
  #keptLength = 0;
  #left = MAX_PARSED_CHARS;

  /**
   * Parses a text. Returns undefined if it is not JSON or if the limit for a page is reached.
   *
   * @param nr The cache key.
   */
  of(nr: number, text: string): unknown {
    const parsed = this.#parsed.get(nr) ?? this.#parse(text);
    if (!this.#parsed.delete(nr)) this.#keptLength += parsed.length;
    this.#parsed.set(nr, parsed);
    for (const [oldest, { length }] of this.#parsed) {
      if (this.#keptLength <= MAX_CACHED_CHARS || oldest === nr) break;
      this.#parsed.delete(oldest);
      this.#keptLength -= length;
    }
    return parsed.json;
  }

  #parse(text: string): Parsed {
    const { length } = text;
    if (length > this.#left) return { json: undefined, length: 0 };
    this.#left -= length;
    return { json: parseJson(text), length };
  }
}
