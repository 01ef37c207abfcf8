import type { RequirementId } from "../../../generated/requirements.ts";
import { type Delivery, isDelivery } from "../../deliveries/delivery.ts";
import type { Exchange } from "../../transport/exchange.ts";
import type { Report, Verdict } from "../report.ts";
import { type Html, html } from "./html.ts";
import { ParsedBodies } from "./parsed-bodies.ts";

/** Maximum characters of HTML. They keep the whole page below a megabyte. */
const MOST_IN_FINDINGS = 220_000;
const MOST_IN_TRAFFIC = 220_000;

/** The data and budgets that the parts of a page share. */
export class ReportPage {
  readonly report: Report;
  /** The budget for the evidence of findings. */
  readonly forFindings = new PageBudget(MOST_IN_FINDINGS);
  /** The budget for exchanges and deliveries in full. */
  readonly forTraffic = new PageBudget(MOST_IN_TRAFFIC);
  /** The exchanges and deliveries that the page shows in full, by number. */
  readonly whole = new Map<number, Html>();
  readonly #shown: ReadonlyMap<number, Exchange | Delivery>;
  readonly #verdicts: ReadonlyMap<RequirementId, Verdict>;
  readonly #bodies = new ParsedBodies();

  constructor(report: Report) {
    this.report = report;
    this.#shown = new Map(report.shown.map((shown) => [shown.nr, shown]));
    this.#verdicts = new Map(report.requirements.map(({ id, verdict }) => [id, verdict]));
  }

  /** The exchange or delivery with a number; undefined if the report does not contain it. */
  shown(nr: number): Exchange | Delivery | undefined {
    return this.#shown.get(nr);
  }

  /** Names an exchange or delivery, as a link if the page shows it in full. */
  linkTo(nr: number): Html {
    const shown = this.shown(nr);
    const name = `${shown && isDelivery(shown) ? "delivery" : "exchange"} ${nr}`;
    return this.whole.has(nr) ? html`<a href="#nr-${nr}">${name}</a>` : html`${name}`;
  }

  verdictOf(id: RequirementId): Verdict | undefined {
    return this.#verdicts.get(id);
  }

  /** The parsed body of a response or delivery; undefined if it is not JSON. */
  bodyOf(shown: Exchange | Delivery): unknown {
    return this.#bodies.of(shown.nr, receivedText(shown));
  }
}

/** The body of a response or delivery as text; empty if there is none. */
export function receivedText(shown: Exchange | Delivery): string {
  return isDelivery(shown) ? shown.request.body : (shown.response?.body ?? "");
}

/** Describes an exchange or delivery in one line. */
export function nameOf(shown: Exchange | Delivery): string {
  if (isDelivery(shown)) return shown.name || "a delivery without an event name";
  const { method, url } = shown.request;
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
