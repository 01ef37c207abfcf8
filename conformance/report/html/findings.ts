import { counted, shortened } from "../../../src/text.ts";
import { isDelivery } from "../../wire/exchange.ts";
import type { CheckReport, EvidencedFinding } from "../report.ts";
import { receivedBody } from "./body.ts";
import { type Html, html } from "./html.ts";
import { grouped } from "./labels.ts";
import { nameOf, type ReportPage } from "./page.ts";
import { facts, note } from "./parts.ts";
import { timeline } from "./timeline.ts";
import { curlLine } from "./traffic.ts";

/** Maximum number of findings after the first: with evidence, and in total. */
const MAX_SHOWN = 2;
const MAX_LISTED = 12;
const MAX_TEXT = 300;
const MAX_NAME = 200;
const MAX_LINKS = 8;

/** Renders the findings of a check: the first one, and as many others as fit. */
export function findingsOf(page: ReportPage, { findings = [], reproduce }: CheckReport): Html {
  const [first, ...others] = findings;
  if (!first) return html``;
  const { forFindings } = page;
  const curl = reproduce !== undefined && curlLine(reproduce);
  const evidence = forFindings.take(() => html`${evidenceOf(page, first, true)}${curl}`);
  const more = others
    .slice(0, MAX_LISTED)
    .map((one, at) =>
      forFindings.take(() => (at < MAX_SHOWN ? entryDetails(page, one) : entryLine(one))),
    )
    .filter((one) => one !== undefined);
  const left = others.length - more.length;
  return html`
    <ol class="findings">
      <li>${factsOf(page, first)}${evidence ?? note("The JSON report has more.")}</li>
      ${more}
    </ol>
    ${left > 0 && note(`and ${counted(left, "more finding")} in the JSON report`)}`;
}

function entryDetails(page: ReportPage, one: EvidencedFinding): Html {
  return html`<li>${factsOf(page, one)}${evidenceOf(page, one, false)}</li>`;
}

function entryLine({ message }: EvidencedFinding): Html {
  return html`<li class="brief">${shortened(message, MAX_TEXT)}</li>`;
}

function factsOf(page: ReportPage, one: EvidencedFinding): Html {
  const { path, expected = "", actual = "", evidence } = one;
  const got = html`<span class="got">${shortened(actual, MAX_TEXT)}</span>`;
  return facts(
    ["Where", shortened(placeOf(one), MAX_TEXT)],
    ["Pointer", path !== "" && html`<code>${shortened(path, MAX_TEXT)}</code>`],
    ["Expected", shortened(expected, MAX_TEXT)],
    ["Got", actual !== "" && got],
    ["Shown by", evidence.length > 0 && links(page, evidence)],
  );
}

/** The message without the pointer and the comparison, which are shown separately. */
function placeOf({ message, path, expected, actual }: EvidencedFinding): string {
  const comparison = `: expected ${expected}, got ${actual}`;
  if (!message.endsWith(comparison)) return message;
  const place = message.slice(0, -comparison.length);
  return path !== "" && place.endsWith(` ${path}`) ? place.slice(0, -path.length - 1) : place;
}

function links(page: ReportPage, evidence: readonly number[]): Html {
  const [first = 0, ...others] = evidence;
  const left = others.length - MAX_LINKS;
  const compared = others.slice(0, MAX_LINKS).map((nr) => html` ${page.linkTo(nr)}`);
  const rest = left > 0 && ` and ${grouped(left)} more`;
  return html`${page.linkTo(first)}${others.length > 0 && html`, compared with${compared}`}${rest}`;
}

function evidenceOf(
  page: ReportPage,
  { path, evidence }: EvidencedFinding,
  isOpen: boolean,
): Html | undefined {
  const all = evidence.map((nr) => page.entry(nr)).filter((entry) => entry !== undefined);
  const [first] = all;
  if (!first) return undefined;
  const body = receivedBody(page, first, path);
  const status = !isDelivery(first) && first.response && `: ${first.response.status}`;
  const deliveries = all.filter(isDelivery);
  const concerned = isDelivery(first) ? first.nr : undefined;
  const name = html`<code>${shortened(nameOf(first), MAX_NAME)}</code>`;
  return html`
      ${
        body &&
        html`<details class="body"${isOpen && html` open`}>
        <summary>${isDelivery(first) ? "Delivery" : "Response to"} ${name}${status}</summary>
        ${body}
      </details>`
      }
      ${deliveries.length > 0 && timeline(page, deliveries, concerned)}`;
}
