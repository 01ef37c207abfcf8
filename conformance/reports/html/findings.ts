import { isDelivery } from "../../deliveries/delivery.ts";
import type { CheckReport, EvidencedFinding } from "../report.ts";
import { receivedBody } from "./body.ts";
import { type Html, html } from "./html.ts";
import { nameOf, type ReportPage } from "./page.ts";
import { timeline } from "./timeline.ts";
import { curlLine, linkTo } from "./traffic.ts";
import { counted, grouped, shortened } from "./words.ts";

/** With all that shows them, and by a line. */
const MOST_SHOWN = 3;
const MOST_TOLD = 12;
const MOST_TEXT = 800;
const MOST_LINKS = 8;

/** What a check found: the first few findings with all that shows them. */
export function findingsOf(page: ReportPage, { findings = [], reproduce }: CheckReport): Html {
  const [first, ...others] = findings;
  if (!first) return html``;
  const shown = others.slice(0, MOST_SHOWN - 1);
  const told = others.slice(MOST_SHOWN - 1, MOST_TOLD);
  const more = findings.length - 1 - shown.length - told.length;
  return html`
    <ol class="findings">
      ${finding(page, first, reproduce)}
      ${shown.map((one) => finding(page, one))}
      ${told.map((one) => html`<li class="told">${shortened(one.message, MOST_TEXT)}</li>`)}
    </ol>
    ${more > 0 && html`<p class="quiet">and ${counted(more, "finding")} more in the JSON report</p>`}`;
}

function finding(page: ReportPage, one: EvidencedFinding, reproduce?: string): Html {
  const { path, expected, actual, shownBy } = one;
  const facts = html`
    <dl class="facts">
      <div><dt>Where</dt><dd>${shortened(placeOf(one), MOST_TEXT)}</dd></div>
      ${
        path !== "" &&
        html`
      <div><dt>Pointer</dt><dd><code>${shortened(path, MOST_TEXT)}</code></dd></div>`
      }
      ${
        expected !== undefined &&
        html`
      <div><dt>Expected</dt><dd>${shortened(expected, MOST_TEXT)}</dd></div>`
      }
      ${
        actual !== undefined &&
        html`
      <div><dt>Got</dt><dd class="got">${shortened(actual, MOST_TEXT)}</dd></div>`
      }
      ${shownBy.length > 0 && html`<div><dt>Shown by</dt><dd>${links(page, shownBy)}</dd></div>`}
    </dl>`;
  const [first = 0] = shownBy;
  const evidence = html`${evidenceOf(page, one)}${reproduce !== undefined && curlLine(reproduce)}`;
  return html`
    <li>
      ${facts}
      ${
        page.forFindings.take(evidence) ??
        html`<p class="quiet">The page is full: see ${linkTo(page, first)} in the JSON report.</p>`
      }
    </li>`;
}

/** What a message says besides what is told apart: what was looked at. */
function placeOf({ message, path, expected, actual }: EvidencedFinding): string {
  const comparison = `: expected ${expected}, got ${actual}`;
  if (!message.endsWith(comparison)) return message;
  const place = message.slice(0, -comparison.length);
  return path !== "" && place.endsWith(` ${path}`) ? place.slice(0, -path.length - 1) : place;
}

function links(page: ReportPage, shownBy: readonly number[]): Html {
  const more = shownBy.length - MOST_LINKS;
  const list = shownBy
    .slice(0, MOST_LINKS)
    .map((nr, at) => html`${at > 0 && ", compared with "}${linkTo(page, nr)}`);
  return html`${list}${more > 0 && ` and ${grouped(more)} more`}`;
}

function evidenceOf(page: ReportPage, { path, shownBy }: EvidencedFinding): Html {
  const all = shownBy.map((nr) => page.shown(nr)).filter((shown) => shown !== undefined);
  const [first] = all;
  if (!first) return html``;
  const body = receivedBody(page, first, path);
  const kind = isDelivery(first) ? "delivery" : "answer to";
  const status = !isDelivery(first) && first.response && `: ${first.response.status}`;
  const deliveries = all.filter(isDelivery);
  return html`
    ${
      body &&
      html`
    <details class="body" open>
      <summary>${kind} <code>${shortened(nameOf(first), 200)}</code>${status}</summary>
      ${body}
    </details>`
    }
    ${deliveries.length > 0 && timeline(page, deliveries, isDelivery(first) ? first.nr : undefined)}`;
}
