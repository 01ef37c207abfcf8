import { counted, shortened } from "../../../src/text.ts";
import { type Delivery, isDelivery } from "../../deliveries/delivery.ts";
import { curlOf, type Exchange } from "../../transport/exchange.ts";
import { receivedBody, sentBody } from "./body.ts";
import { type Html, html } from "./html.ts";
import { seconds } from "./labels.ts";
import { nameOf, type ReportPage } from "./page.ts";
import { aside, section } from "./parts.ts";

const MOST_NAME = 300;
const MOST_HEADERS = 30;
const MOST_HEADER = 500;
const MOST_CURL = 4_000;

/** Replaces header values that may be secret. */
const DROPPED = "(dropped)";

/** Renders exchanges and deliveries while they fit; those of first findings take precedence. */
export function makeTraffic(page: ReportPage): void {
  const { requirements, shown } = page.report;
  const findings = requirements.flatMap(({ checks }) =>
    checks.flatMap(({ findings: [first] = [] }) => (first ? [first] : [])),
  );
  const first = findings.flatMap(({ shownBy }) => shownBy);
  for (const nr of new Set([...first, ...shown.map(({ nr }) => nr)])) {
    const one = page.shown(nr);
    const made = one && page.forTraffic.take(() => item(page, one));
    if (made) page.whole.set(nr, made);
  }
}

/** Renders the section of all exchanges and deliveries that fit, in order of arrival. */
export function trafficSection({ report, whole }: ReportPage): Html | undefined {
  if (report.shown.length === 0) return undefined;
  const left = report.shown.length - whole.size;
  return section(
    "traffic",
    "Exchanges and deliveries",
    aside("Only those that findings refer to, in order of arrival."),
    html`<ol class="traffic">${report.shown.map(({ nr }) => whole.get(nr))}</ol>`,
    left > 0 && aside(`${counted(left, "more")} in the JSON report`),
  );
}

function item(page: ReportPage, shown: Exchange | Delivery): Html {
  const { nr } = shown;
  const name = html`<code>${shortened(nameOf(shown), MOST_NAME)}</code>`;
  const content = isDelivery(shown) ? delivery(page, shown) : exchange(page, shown);
  return html`
    <li id="nr-${nr}">
      <details>
        <summary><span class="nr">${nr}</span> ${name} <span class="quiet">${outcome(shown)}</span>
        </summary>
        <div class="inside">${content}</div>
      </details>
    </li>`;
}

function outcome(shown: Exchange | Delivery): string {
  if (isDelivery(shown)) return "delivery";
  const { response, durationMs } = shown;
  const what = response ? String(response.status) : noAnswer(shown);
  return `${what}, ${seconds(durationMs)}`;
}

function noAnswer({ failure = "for no known reason" }: Exchange): string {
  return `no response: ${shortened(failure, MOST_HEADER)}`;
}

function exchange(page: ReportPage, shown: Exchange): Html {
  const { request, response } = shown;
  return html`
    <h4>Request</h4>
    ${head(`${request.method} ${request.url}`, request.headers)}
    ${request.body !== undefined && sentBody(request.body)}
    ${curlLine(curlOf(request))}
    <h4>Response</h4>
    ${response ? head(String(response.status), response.headers) : html`<p>${noAnswer(shown)}</p>`}
    ${receivedBody(page, shown)}`;
}

function delivery(page: ReportPage, shown: Delivery): Html {
  const { method, path, headers } = shown.request;
  return html`
    ${head(`${method} ${path}, received at ${shown.receivedAt}`, headers)}
    ${receivedBody(page, shown)}`;
}

function head(first: string, headers: Readonly<Record<string, string>>): Html {
  const all = Object.entries(headers);
  const told = all.filter(([, value]) => value !== DROPPED).slice(0, MOST_HEADERS);
  const rows = told.map(
    ([name, value]) =>
      html`<div><dt>${shortened(name, 100)}</dt><dd>${shortened(value, MOST_HEADER)}</dd></div>`,
  );
  const left = all.length - told.length;
  return html`
    <p><code>${shortened(first, MOST_HEADER)}</code></p>
    <dl class="headers">${rows}</dl>
    ${left > 0 && aside(`${counted(left, "header")} not shown`)}`;
}

/** Renders a curl line. The page's script adds a copy button. */
export function curlLine(line: string): Html {
  if (line.length > MOST_CURL) return aside("The curl line is too long to show.");
  return html`<div class="curl"><code>${line}</code></div>`;
}
