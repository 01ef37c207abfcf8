import type { ClaimId, RequirementId } from "../../../generated/requirements.ts";
import { printableLines, shortened } from "../../../src/text.ts";
import {
  type Delivery,
  type Exchange,
  isDelivery,
  parseJson,
  receivedText,
} from "../../wire/exchange.ts";
import { MAX_TEXT } from "../open.ts";
import { GROUPS, type Group, sentenceOf } from "../report.ts";
import type { View } from "../view.ts";

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
  if (typeof piece === "number") return piece.toLocaleString("en-US");
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
  const rows = all
    .filter(([, value]) => textOf(value) !== "")
    .map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`);
  return rows.length === 0 ? html`` : html`<dl class="facts">${rows}</dl>`;
}

/** Renders a secondary line. */
export function note(text: string): Html {
  return html`<p class="quiet">${text}</p>`;
}

/** Says how many items a list leaves out. */
export function more(count: number, what: string): Html | false {
  return count > 0 && note(`and ${count.toLocaleString("en-US")} ${what} in the JSON report`);
}

/** Cuts a text from the target. */
export function cut(text = "", most = MAX_TEXT): string {
  return shortened(text, most);
}

/** Renders links to requirements and claims. */
export function linksTo(ids: readonly (RequirementId | ClaimId)[]): Html {
  const links = ids.map((id) => html`<a href="#${id}" title="${sentenceOf(id)}">${id}</a> `);
  return html`<span class="links">${links}</span>`;
}

/** The title of a group. */
export function titleOf(group: Group): string {
  const name = GROUPS[group];
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** Describes an exchange or delivery in one line. */
export function nameOf(entry: Exchange | Delivery): string {
  if (isDelivery(entry)) return entry.name || "a delivery without an event name";
  const { method, url } = entry.request;
  const at = URL.parse(url);
  return `${method} ${at ? `${at.pathname}${at.search}` : url}`;
}

/** Maximum characters of HTML. They keep the whole page below a megabyte. */
const MAX_FINDINGS_CHARS = 180_000;
const MAX_TRAFFIC_CHARS = 180_000;

/** The data and budgets that the parts of a page share. */
export class ReportPage {
  readonly view: View;
  /** The budget for the evidence of findings. */
  readonly forFindings = new PageBudget(MAX_FINDINGS_CHARS);
  /** The budget for exchanges and deliveries in full. */
  readonly forTraffic = new PageBudget(MAX_TRAFFIC_CHARS);
  /** The exchanges and deliveries that the page shows in full, by number. */
  readonly complete = new Map<number, Html>();
  readonly #traffic: ReadonlyMap<number, Exchange | Delivery>;
  readonly #bodies = new Map<number, unknown>();

  constructor(view: View) {
    this.view = view;
    this.#traffic = new Map(view.report.traffic.map((entry) => [entry.nr, entry]));
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

  /** The body of a response or delivery, parsed once; undefined if it is not JSON. */
  bodyOf(entry: Exchange | Delivery): unknown {
    const { nr } = entry;
    if (!this.#bodies.has(nr)) this.#bodies.set(nr, parseJson(receivedText(entry)));
    return this.#bodies.get(nr);
  }
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
