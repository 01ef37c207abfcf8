import { type Delivery, isDelivery } from "../../deliveries/delivery.ts";
import { curlOf, type Exchange } from "../../wire/exchange.ts";
import { receivedBody, sentBody } from "./body.ts";
import { type Html, html } from "./html.ts";
import { nameOf, type ReportPage } from "./page.ts";
import { counted, seconds, shortened } from "./words.ts";

const MOST_NAME = 300;
const MOST_HEADERS = 30;
const MOST_HEADER = 500;
const MOST_CURL = 4_000;

/** Every exchange and delivery that findings name, each once, in the order in which it came. */
export function trafficSection(page: ReportPage): Html | undefined {
  const { shown } = page.report;
  if (shown.length === 0) return undefined;
  const items = shown.map((one) => page.forTraffic.take(item(page, one)));
  const { refused } = page.forTraffic;
  return html`
    <section aria-labelledby="traffic">
      <h2 id="traffic">Exchanges and deliveries</h2>
      <p class="quiet">Those that findings name, in the order in which they came.</p>
      <ol class="traffic">${items.map((one) => one)}</ol>
      ${refused > 0 && html`<p class="quiet">${counted(refused, "more")} are in the JSON report.</p>`}
    </section>`;
}

/** A link to what was recorded under a number. */
export function linkTo(page: ReportPage, nr: number): Html {
  const shown = page.shown(nr);
  const kind = shown && isDelivery(shown) ? "delivery" : "exchange";
  return html`<a href="#nr-${nr}">${kind} ${nr}</a>`;
}

function item(page: ReportPage, shown: Exchange | Delivery): Html {
  const { nr } = shown;
  const name = html`<span class="nr">${nr}</span> <code>${shortened(nameOf(shown), MOST_NAME)}</code>`;
  return html`
    <li id="nr-${nr}">
      <details>
        <summary>${name} <span class="quiet">${outcome(shown)}</span></summary>
        <div class="inside">${isDelivery(shown) ? delivery(page, shown) : exchange(page, shown)}</div>
      </details>
    </li>`;
}

function outcome(shown: Exchange | Delivery): string {
  if (isDelivery(shown)) return "delivery";
  const { response, failure = "unknown", durationMs } = shown;
  const what = response ? String(response.status) : `no answer: ${shortened(failure, MOST_HEADER)}`;
  return `${what}, ${seconds(durationMs)}`;
}

function exchange(page: ReportPage, shown: Exchange): Html {
  const { request, response, failure = "unknown" } = shown;
  return html`
    <h4>Request</h4>
    ${head(`${request.method} ${request.url}`, request.headers)}
    ${request.body !== undefined && sentBody(request.body)}
    ${curlLine(curlOf(request))}
    <h4>Answer</h4>
    ${response ? head(String(response.status), response.headers) : html`<p>None: ${failure}</p>`}
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
  const more = all.length - MOST_HEADERS;
  return html`
    <p class="first"><code>${shortened(first, MOST_HEADER)}</code></p>
    <dl class="headers">${all.slice(0, MOST_HEADERS).map(
      ([name, value]) => html`
      <div><dt>${shortened(name, 100)}</dt><dd>${shortened(value, MOST_HEADER)}</dd></div>`,
    )}</dl>
    ${more > 0 && html`<p class="quiet">and ${counted(more, "header")} more</p>`}`;
}

/** A line for a shell. The page's script puts a button beside it that copies it. */
export function curlLine(line: string): Html {
  if (line.length > MOST_CURL) {
    return html`<p class="quiet">The curl line is too long for here: it is in the JSON report.</p>`;
  }
  return html`<div class="curl"><code>${line}</code></div>`;
}
