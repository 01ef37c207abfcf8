import { counted, shortened } from "../../../src/text.ts";
import { curlOf, type Delivery, type Exchange, isDelivery } from "../../wire/exchange.ts";
import { receivedBody, sentBody } from "./body.ts";
import { type Html, html } from "./html.ts";
import { grouped, seconds } from "./labels.ts";
import { nameOf, type ReportPage } from "./page.ts";
import { note, section } from "./parts.ts";

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
