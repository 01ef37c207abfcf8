import type { RequirementId } from "../../../generated/requirements.ts";
import { type Delivery, isDelivery } from "../../deliveries/delivery.ts";
import type { Exchange } from "../../transport/exchange.ts";
import type { Report, Verdict } from "../report.ts";
import { type Html, html } from "./html.ts";
import { PageBudget } from "./page-budget.ts";
import { ParsedBodies } from "./parsed-bodies.ts";

/** Characters of HTML: with its requirements and checks the page stays below a megabyte. */
const MOST_IN_FINDINGS = 220_000;
const MOST_IN_TRAFFIC = 220_000;

/** What the parts of a page are made from. */
export class ReportPage {
  readonly report: Report;
  /** What is left for what findings show, and for whole exchanges and deliveries. */
  readonly forFindings = new PageBudget(MOST_IN_FINDINGS);
  readonly forTraffic = new PageBudget(MOST_IN_TRAFFIC);
  /** The exchanges and deliveries that the page has as a whole, by number. */
  readonly whole = new Map<number, Html>();
  readonly #shown: ReadonlyMap<number, Exchange | Delivery>;
  readonly #verdicts: ReadonlyMap<RequirementId, Verdict>;
  readonly #bodies = new ParsedBodies();

  constructor(report: Report) {
    this.report = report;
    this.#shown = new Map(report.shown.map((shown) => [shown.nr, shown]));
    this.#verdicts = new Map(report.requirements.map(({ id, verdict }) => [id, verdict]));
  }

  /** What was recorded under a number; undefined where the report has it not. */
  shown(nr: number): Exchange | Delivery | undefined {
    return this.#shown.get(nr);
  }

  /** Names what was recorded under a number, and leads to it where the page has it as a whole. */
  linkTo(nr: number): Html {
    const shown = this.shown(nr);
    const name = `${shown && isDelivery(shown) ? "delivery" : "exchange"} ${nr}`;
    return this.whole.has(nr) ? html`<a href="#nr-${nr}">${name}</a>` : html`${name}`;
  }

  verdictOf(id: RequirementId): Verdict | undefined {
    return this.#verdicts.get(id);
  }

  /** The parsed body of what was received; undefined where there is none that is JSON. */
  bodyOf(shown: Exchange | Delivery): unknown {
    return this.#bodies.of(shown.nr, receivedText(shown));
  }
}

/** The body of an answer or a delivery, as it came; empty where nothing came. */
export function receivedText(shown: Exchange | Delivery): string {
  return isDelivery(shown) ? shown.request.body : (shown.response?.body ?? "");
}

/** What an exchange or a delivery was, in a line. */
export function nameOf(shown: Exchange | Delivery): string {
  if (isDelivery(shown)) return shown.name || "a delivery without an event name";
  const { method, url } = shown.request;
  const at = URL.parse(url);
  return `${method} ${at ? `${at.pathname}${at.search}` : url}`;
}
