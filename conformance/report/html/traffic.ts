import { memberOf } from "../../../src/contract/pointer.ts";
import { counted, shortened } from "../../../src/text.ts";
import { curlOf, type Delivery, type Exchange, isDelivery } from "../../wire/exchange.ts";
import { receivedBody, sentBody } from "./body.ts";
import {
  grouped,
  type Html,
  html,
  nameOf,
  note,
  type ReportPage,
  seconds,
  section,
} from "./html.ts";

const MAX_NAME = 300;
const MAX_HEADERS = 30;
const MAX_HEADER = 500;
const MAX_CURL = 4_000;

/** Replaces header values that may be secret. */
const DROPPED = "(dropped)";

/** Renders exchanges and deliveries while they fit; those of first findings take precedence. */
export function makeTraffic(page: ReportPage): void {
  const { requirements, traffic } = page.report;
  const findings = requirements.flatMap(({ checks }) =>
    checks.flatMap(({ findings: [first] = [] }) => (first ? [first] : [])),
  );
  const first = findings.flatMap(({ evidence }) => evidence);
  for (const nr of new Set([...first, ...traffic.map(({ nr }) => nr)])) {
    const one = page.entry(nr);
    const made = one && page.forTraffic.take(() => item(page, one));
    if (made) page.complete.set(nr, made);
  }
}

/** Renders the section of all exchanges and deliveries that fit, in order of arrival. */
export function trafficSection({ report, complete }: ReportPage): Html | undefined {
  if (report.traffic.length === 0) return undefined;
  const left = report.traffic.length - complete.size;
  return section(
    "traffic",
    "Exchanges and deliveries",
    note("Only those that findings refer to, in order of arrival."),
    html`<ol class="traffic">${report.traffic.map(({ nr }) => complete.get(nr))}</ol>`,
    left > 0 && note(`and ${grouped(left)} more in the JSON report`),
  );
}

function item(page: ReportPage, entry: Exchange | Delivery): Html {
  const { nr } = entry;
  const name = html`<code>${shortened(nameOf(entry), MAX_NAME)}</code>`;
  const content = isDelivery(entry) ? delivery(page, entry) : exchange(page, entry);
  return html`
    <li id="nr-${nr}">
      <details>
        <summary><span class="nr">${nr}</span> ${name} <span class="quiet">${outcome(entry)}</span>
        </summary>
        <div class="inside">${content}</div>
      </details>
    </li>`;
}

function outcome(entry: Exchange | Delivery): string {
  if (isDelivery(entry)) return "delivery";
  const { response, durationMs } = entry;
  const what = response ? String(response.status) : noResponse(entry);
  return `${what}, ${seconds(durationMs)}`;
}

function noResponse({ failure = "for no known reason" }: Exchange): string {
  return `no response: ${shortened(failure, MAX_HEADER)}`;
}

function exchange(page: ReportPage, entry: Exchange): Html {
  const { request, response } = entry;
  return html`
    <h4>Request</h4>
    ${head(`${request.method} ${request.url}`, request.headers)}
    ${request.body !== undefined && sentBody(request.body)}
    ${curlLine(curlOf(request))}
    <h4>Response</h4>
    ${
      response ? head(String(response.status), response.headers) : html`<p>${noResponse(entry)}</p>`
    }
    ${receivedBody(page, entry)}`;
}

function delivery(page: ReportPage, entry: Delivery): Html {
  const { method, path, headers } = entry.request;
  return html`
    ${head(`${method} ${path}, received at ${entry.receivedAt}`, headers)}
    ${receivedBody(page, entry)}`;
}

function head(first: string, headers: Readonly<Record<string, string>>): Html {
  const all = Object.entries(headers);
  const visible = all.filter(([, value]) => value !== DROPPED).slice(0, MAX_HEADERS);
  const rows = visible.map(
    ([name, value]) =>
      html`<div><dt>${shortened(name, 100)}</dt><dd>${shortened(value, MAX_HEADER)}</dd></div>`,
  );
  const left = all.length - visible.length;
  return html`
    <p><code>${shortened(first, MAX_HEADER)}</code></p>
    <dl class="headers">${rows}</dl>
    ${left > 0 && note(`${counted(left, "header")} not shown`)}`;
}

/** Renders a curl line. The page's script adds a copy button. */
export function curlLine(line: string): Html {
  if (line.length > MAX_CURL) return note("The curl line is too long to show.");
  return html`<div class="curl"><code>${line}</code></div>`;
}

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
