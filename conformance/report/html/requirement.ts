import { claims, requirements } from "../../../generated/requirements.ts";
import { counted, shortened } from "../../../src/text.ts";
import { isDelivery } from "../../wire/exchange.ts";
import { MARKS } from "../matrix.ts";
import {
  type CheckReport,
  type ClaimReport,
  type EvidencedFinding,
  groupOf,
  type RequirementReport,
  type SituationReport,
} from "../report.ts";
import { receivedBody } from "./body.ts";
import {
  facts,
  grouped,
  HOW_DECIDED,
  type Html,
  html,
  nameOf,
  note,
  type ReportPage,
  section,
  titleOf,
} from "./html.ts";
import { curlLine, timeline } from "./traffic.ts";

const MAX_REASON = 300;

/** Renders every requirement by group, after the filter. */
export function requirementsSection(page: ReportPage, filter: Html): Html {
  const groups = [...Map.groupBy(page.report.requirements, ({ id }) => groupOf(id))].map(
    ([group, members]) => html`
      <div class="group">
        <h3 id="${group}"><span class="code">${group}</span> ${titleOf(group)}</h3>
        ${members.map((member) => requirement(page, member))}
      </div>`,
  );
  return section("requirements", "Requirements", filter, groups);
}

function requirement(page: ReportPage, report: RequirementReport): Html {
  const { id, verdict, checks } = report;
  const isBroken = verdict === "failed" || verdict === "warned";
  const items = checks.map((one) => check(page, one));
  return html`
    <details class="requirement" id="${id}" data-verdict="${verdict}"${isBroken && html` open`}>
      <summary>
        <span class="badge">${MARKS[verdict]} ${verdict}</span>
        <strong>${id}</strong>
        <span class="text">${requirements[id].text} ${unmetCount(report)}</span>
      </summary>
      <div class="inside">
        ${about(page, report)}
        ${claimsOf(report)}
        ${listOf("checks", "Checks", id, items)}
      </div>
    </details>`;
}

/** Renders how the requirement is checked, and why it is undecided. */
function about(page: ReportPage, { id, reason = "", hint = "" }: RequirementReport): Html {
  const { how, derived } = requirements[id];
  const known = page.report.baseline?.known.find(({ requirement }) => requirement === id);
  return facts(
    ["Checked", how.map((one) => HOW_DECIDED[one]).join("; ")],
    ["Derived", derived && "inferred from the interface, not stated in it"],
    ["Why", shortened(reason, MAX_REASON)],
    ["To decide it", shortened(hint, MAX_REASON)],
    ["Known", known && `until ${known.expires}: ${shortened(known.reason, MAX_REASON)}`],
  );
}

/** The number of situations that were not met, for the row of a requirement. */
function unmetCount({ claims: all = [] }: RequirementReport): Html | false {
  const situations = all.flatMap((one) => one.situations ?? []);
  const unmet = situations.filter(({ met }) => !met).length;
  const amount = `${unmet} of ${counted(situations.length, "situation")} not met`;
  return unmet > 0 && html`<span class="quiet unbroken">${amount}</span>`;
}

/** Renders the claims of a requirement, each with its verdict and its situations. */
function claimsOf({ id, claims: all = [] }: RequirementReport): Html | false {
  return listOf("claims", "Claims", id, all.map(claim));
}

function listOf(name: string, title: string, id: string, items: readonly Html[]): Html | false {
  return (
    items.length > 0 &&
    html`<h4>${title}</h4><ul class="${name}" aria-label="${title} of ${id}">${items}</ul>`
  );
}

function claim(report: ClaimReport): Html {
  const { id, verdict, reason = "", hint = "", situations = [] } = report;
  const { text, at } = claims[id];
  const mark = verdict === "undecided" ? MARKS.skipped : MARKS[verdict];
  const met = situations.filter((one) => one.met).map(({ name }) => name);
  return html`
    <li id="${id}" data-verdict="${verdict}">
      <p class="check">
        <span class="mark" aria-hidden="true">${mark}</span>
        <span>${text}
          <a class="quiet code" href="#${id}">${id}</a>
          <span class="quiet">${verdict}; ${at}</span>
        </span>
      </p>
      ${facts(
        ["Why", shortened(reason, MAX_REASON)],
        ["To decide it", shortened(hint, MAX_REASON)],
        ["Met", met.join(", ")],
        ...unmetFacts(report),
      )}
    </li>`;
}

/** The situations that were not met, for each reason. An undecided claim has its own reason. */
function unmetFacts({ verdict, situations = [] }: ClaimReport) {
  const unmet = situations.filter(({ met }) => !met);
  const reasonOf = ({ reason = "", hint }: SituationReport) =>
    verdict === "undecided" ? "" : `: ${reason}${hint === undefined ? "" : ` → ${hint}`}`;
  return [...Map.groupBy(unmet, reasonOf)].map(([reason, members]) => {
    const names = members.map(({ name }) => name).join(", ");
    return ["Not met", `${names}${shortened(reason, MAX_REASON)}`] as const;
  });
}

function check(page: ReportPage, report: CheckReport): Html {
  const { name, verdict, assertions, reason, hint } = report;
  const parts = [
    assertions !== undefined && counted(assertions, "assertion"),
    reason,
    hint !== undefined && `to run it: ${hint}`,
  ];
  const details = parts.filter((part) => typeof part === "string").join("; ");
  const suffix = details !== "" && `: ${shortened(details, MAX_REASON)}`;
  return html`
    <li>
      <p class="check">
        <span class="mark" data-verdict="${verdict}" aria-hidden="true">${MARKS[verdict]}</span>
        <span>${shortened(name, 200)}
          <span class="quiet">${verdict}${suffix}</span>
        </span>
      </p>
      ${findingsOf(page, report)}
    </li>`;
}

/** Maximum number of findings after the first: with evidence, and in total. */
const MAX_SHOWN = 2;
const MAX_LISTED = 12;
const MAX_TEXT = 300;
const MAX_NAME = 200;
const MAX_LINKS = 8;

/** Renders the findings of a check: the first one, and as many others as fit. */
function findingsOf(page: ReportPage, { findings = [], reproduce }: CheckReport): Html {
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
    ["Shown by", evidence.length > 0 && evidenceLinks(page, evidence)],
  );
}

/** The message without the pointer and the comparison, which are shown separately. */
function placeOf({ message, path, expected, actual }: EvidencedFinding): string {
  const comparison = `: expected ${expected}, got ${actual}`;
  if (!message.endsWith(comparison)) return message;
  const place = message.slice(0, -comparison.length);
  return path !== "" && place.endsWith(` ${path}`) ? place.slice(0, -path.length - 1) : place;
}

function evidenceLinks(page: ReportPage, evidence: readonly number[]): Html {
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
