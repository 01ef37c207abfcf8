import { counted } from "../../../src/text.ts";
import { curlOf, type Delivery, type Exchange, isDelivery } from "../../wire/exchange.ts";
import { receivedBody, sentBody } from "./body.ts";
import { cut, type Html, html, more, nameOf, note, type ReportPage, section } from "./html.ts";

const MAX_HEADERS = 30;
const MAX_CURL = 4_000;

/** Replaces header values that may be secret. */
const DROPPED = "(dropped)";

/** Renders exchanges and deliveries while they fit; those of first findings take precedence. */
export function makeTraffic(page: ReportPage): void {
  const { requirements, traffic } = page.view.report;
  const first = requirements.flatMap(({ checks }) =>
    checks.flatMap(({ findings: [finding] = [] }) => finding?.evidence ?? []),
  );
  for (const nr of new Set([...first, ...traffic.map(({ nr }) => nr)])) {
    const one = page.entry(nr);
    const made = one && page.forTraffic.take(() => item(page, one));
    if (made) page.complete.set(nr, made);
  }
}

/** Renders the section of all exchanges and deliveries that fit, in order of arrival. */
export function trafficSection({ view: { report }, complete }: ReportPage): Html | undefined {
  if (report.traffic.length === 0) return undefined;
  return section(
    "traffic",
    "Exchanges and deliveries",
    note("Only those that findings refer to, in order of arrival."),
    html`<ol class="traffic">${report.traffic.map(({ nr }) => complete.get(nr))}</ol>`,
    more(report.traffic.length - complete.size, "more"),
  );
}

function item(page: ReportPage, entry: Exchange | Delivery): Html {
  const { nr } = entry;
  const content = isDelivery(entry) ? delivery(page, entry) : exchange(page, entry);
  const outcome = isDelivery(entry)
    ? `delivery, ${offset(page.view.report.startedAt, entry.receivedAt)}`
    : `${entry.response?.status ?? "no response"}, ${Math.round(entry.durationMs)} ms`;
  return html`
    <li id="nr-${nr}">
      <details>
        <summary><span class="nr">${nr}</span> <code>${cut(nameOf(entry))}</code>
          <span class="quiet">${outcome}</span>
        </summary>
        <div class="inside">${content}</div>
      </details>
    </li>`;
}

/** Formats the time since the start of the run: `+0.512 s`. */
function offset(startedAt: string, at: string): string {
  const ms = Date.parse(at) - Date.parse(startedAt);
  return Number.isNaN(ms)
    ? "at an unknown time"
    : `${ms < 0 ? "" : "+"}${(ms / 1_000).toFixed(3)} s`;
}

function exchange(page: ReportPage, entry: Exchange): Html {
  const { request, response, failure } = entry;
  return html`
    <h4>Request</h4>
    ${head(`${request.method} ${request.url}`, request.headers)}
    ${request.body !== undefined && sentBody(request.body)}
    ${curlLine(curlOf(request))}
    <h4>Response</h4>
    ${
      response
        ? head(String(response.status), response.headers)
        : html`<p>no response: ${cut(failure)}</p>`
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
    ([name, value]) => html`<div><dt>${cut(name)}</dt><dd>${cut(value)}</dd></div>`,
  );
  const left = all.length - visible.length;
  return html`
    <p><code>${cut(first)}</code></p>
    <dl class="headers">${rows}</dl>
    ${left > 0 && note(`${counted(left, "header")} not shown`)}`;
}

/** Renders a curl line, which a click selects. */
export function curlLine(line: string): Html {
  if (line.length > MAX_CURL) return note("The curl line is too long to show.");
  return html`<p class="curl"><code>${line}</code></p>`;
}
