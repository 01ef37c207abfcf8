import { shortened } from "../../../src/text.ts";
import {
  type Delivery,
  type Exchange,
  isDelivery,
  parseJson,
  receivedText,
} from "../../wire/exchange.ts";
import { type Item, MAX_TEXT } from "../open.ts";
import { sentenceOf } from "../report.ts";
import { escapedMarkup, type View } from "../view.ts";

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
  return typeof piece === "string" ? escapedMarkup(piece) : piece.map(textOf).join("");
}

/** Renders a section that is labelled by its heading. */
export function section(id: string, title: string, ...content: readonly Piece[]): Html {
  return html`
    <section aria-labelledby="${id}">
      <h2 id="${id}">${capitalized(title)}</h2>
      ${content}
    </section>`;
}

/** Renders a part that its summary opens. */
export function details(name: string, isOpen: boolean, summary: Piece, ...content: Piece[]): Html {
  return html`
    <details class="${name}"${isOpen && html` open`}>
      <summary>${summary}</summary>
      ${content}
    </details>`;
}

/** Renders terms and descriptions. Omits terms with an empty description. */
export function facts(...all: readonly (readonly [term: Piece, value: Piece])[]): Html | false {
  const rows = all
    .filter(([, value]) => textOf(value) !== "")
    .map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`);
  return rows.length > 0 && html`<dl class="facts">${rows}</dl>`;
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
export function cut(text = ""): string {
  return shortened(text, MAX_TEXT);
}

/** Renders links to requirements and claims. */
export function linksTo(ids: Item["ids"]): Html {
  const links = ids.map((id) => html`<a href="#${id}" title="${sentenceOf(id)}">${id}</a> `);
  return html`<span class="links">${links}</span>`;
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Describes an exchange or delivery in one line. */
export function nameOf(entry: Exchange | Delivery): string {
  if (isDelivery(entry)) return cut(entry.name || "a delivery without an event name");
  const { method, url } = entry.request;
  const at = URL.parse(url);
  return cut(`${method} ${at ? `${at.pathname}${at.search}` : url}`);
}

/** Maximum characters of HTML of each kind of data. They keep the whole page below a megabyte. */
const MAX_CHARS = 180_000;

/** Minimum size of a part. With less left, no part is rendered. */
const LEAST = 500;

/** Returns a function that renders a part of target data if it fits, or else undefined. */
function budget(): (make: () => Html) => Html | undefined {
  let left = MAX_CHARS;
  return (make) => {
    if (left < LEAST) return undefined;
    const made = make();
    if (made.text.length > left) return undefined;
    left -= made.text.length;
    return made;
  };
}

/** The data and budgets that the parts of a page share. */
export class ReportPage {
  readonly view: View;
  /** Renders the evidence of a finding if it fits. */
  readonly forFindings = budget();
  /** Renders an exchange or a delivery in full if it fits. */
  readonly forTraffic = budget();
  /** The exchanges and deliveries that the page shows in full, by number. */
  readonly complete = new Map<number, Html>();
  readonly #bodies = new Map<number, unknown>();

  constructor(view: View) {
    this.view = view;
  }

  /** Names an exchange or delivery, as a link if the page shows it in full. */
  linkTo(nr: number): Html {
    const entry = this.view.traffic.get(nr);
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
