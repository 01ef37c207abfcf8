import { memberOf } from "../../../src/contract/pointer.ts";
import { counted, shortened } from "../../../src/text.ts";
import { type Delivery, isDelivery } from "../../wire/exchange.ts";
import { type Html, html } from "./html.ts";
import { nameOf, type ReportPage } from "./page.ts";
import { note, section } from "./parts.ts";

const MAX_IDS = 8;
const MAX_TEXT = 80;
const MAX_DELIVERIES = 100;

/** Renders the timeline of all deliveries that findings reference. */
export function timelineSection(page: ReportPage): Html | undefined {
  const deliveries = page.report.traffic.filter(isDelivery);
  if (deliveries.length === 0) return undefined;
  const scope = note(
    "Only deliveries that findings refer to. Times are since the start of the run.",
  );
  return section("deliveries", "Deliveries in order of arrival", scope, timeline(page, deliveries));
}

/**
 * Renders deliveries in order of arrival.
 *
 * @param concerned The number of the delivery that a finding is about.
 */
export function timeline(
  page: ReportPage,
  deliveries: readonly Delivery[],
  concerned?: number,
): Html {
  const inOrder = deliveries.toSorted((a, b) => a.nr - b.nr).slice(0, MAX_DELIVERIES);
  const left = deliveries.length - inOrder.length;
  return html`
    <ol class="timeline">${inOrder.map((one) => stop(page, one, one.nr === concerned))}</ol>
    ${left > 0 && note(`and ${counted(left, "more delivery", "more deliveries")}`)}`;
}

function stop(page: ReportPage, delivery: Delivery, isConcerned: boolean): Html {
  const { nr, receivedAt } = delivery;
  const ids = idsIn(page.bodyOf(delivery)).map(
    ([name, id]) => html`<div><dt>${name}</dt><dd><code>${id}</code></dd></div>`,
  );
  return html`
    <li${isConcerned && html` class="concerned"`}>
      <p>
        <time datetime="${receivedAt}">${offset(page.report.startedAt, receivedAt)}</time>
        <strong>${shortened(nameOf(delivery), MAX_TEXT)}</strong>
        <span class="quiet">${page.linkTo(nr)}${isConcerned && ", subject of the finding"}</span>
      </p>
      ${ids.length > 0 && html`<dl class="ids">${ids}</dl>`}
    </li>`;
}

/** Formats the time since the start of the run: `+0.512 s`. */
function offset(startedAt: string, at: string): string {
  const ms = Date.parse(at) - Date.parse(startedAt);
  if (Number.isNaN(ms)) return "at an unknown time";
  return `${ms < 0 ? "−" : "+"}${(Math.abs(ms) / 1_000).toFixed(3)} s`;
}

/** The top-level ids of a body, and its `metadata.resourceId`. */
function idsIn(body: unknown): [name: string, id: string][] {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return [];
  const own = Object.entries(body).filter(([name]) => /^id$|Id$/.test(name));
  const resource = memberOf(memberOf(body, "metadata"), "resourceId");
  const all = [...own, ["metadata.resourceId", resource] as const];
  const texts = all.filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return texts
    .slice(0, MAX_IDS)
    .map(([name, id]) => [shortened(name, MAX_TEXT), shortened(id, MAX_TEXT)]);
}
