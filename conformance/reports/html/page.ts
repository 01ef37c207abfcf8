import { type Delivery, isDelivery } from "../../deliveries/delivery.ts";
import { type Exchange, parseJson } from "../../wire/exchange.ts";
import type { Report } from "../report.ts";
import { Allowance } from "./allowance.ts";

/** Characters of HTML: with its requirements and checks the page stays below a megabyte. */
const MOST_IN_FINDINGS = 300_000;
const MOST_IN_TRAFFIC = 300_000;

/** What the parts of a page are made from. */
export class ReportPage {
  readonly report: Report;
  /** What is left for what findings show, and for whole exchanges and deliveries. */
  readonly forFindings = new Allowance(MOST_IN_FINDINGS);
  readonly forTraffic = new Allowance(MOST_IN_TRAFFIC);
  readonly #shown: ReadonlyMap<number, Exchange | Delivery>;
  readonly #parsed = new Map<number, unknown>();

  constructor(report: Report) {
    this.report = report;
    this.#shown = new Map(report.shown.map((shown) => [shown.nr, shown]));
  }

  /** What was recorded under a number; undefined where the report has it not. */
  shown(nr: number): Exchange | Delivery | undefined {
    return this.#shown.get(nr);
  }

  /** The parsed body of what was received; undefined where there is none that is JSON. */
  bodyOf(shown: Exchange | Delivery): unknown {
    const { nr } = shown;
    if (!this.#parsed.has(nr)) this.#parsed.set(nr, parseJson(receivedText(shown)));
    return this.#parsed.get(nr);
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
