import { claims, type DecidedBy, requirements } from "../../../generated/requirements.ts";
import { counted } from "../../../src/text.ts";
import { isDelivery } from "../../wire/exchange.ts";
import { knownFailure } from "../ending.ts";
import { whyOf } from "../open.ts";
import {
  type CheckReport,
  type ClaimReport,
  type EvidencedFinding,
  GROUPS,
  groupOf,
  isBroken,
  type RequirementReport,
} from "../report.ts";
import { MARKS } from "../view.ts";
import {
  capitalized,
  cut,
  details,
  facts,
  type Html,
  html,
  more,
  nameOf,
  note,
  type Piece,
  type ReportPage,
  section,
} from "./html.ts";
import { curlLine, receivedBody } from "./traffic.ts";

/** How requirements are checked. */
const HOW_DECIDED: Readonly<Record<DecidedBy, string>> = {
  schema: "by the schema of one body",
  rule: "by comparing fields of one body",
  sequence: "by comparing several deliveries",
  http: "by requests to the server",
  driven: "by triggering events on the server",
  client: "in the caller; no server can show it",
  open: "left open by the interface",
};

/** Renders every requirement by group, after the filter. */
export function requirementsSection(page: ReportPage, filter: Html): Html {
  const groups = [...Map.groupBy(page.view.report.requirements, ({ id }) => groupOf(id))].map(
    ([group, members]) => html`
      <div class="group">
        <h3 id="${group}"><span class="code">${group}</span> ${capitalized(GROUPS[group])}</h3>
        ${members.map((member) => requirement(page, member))}
      </div>`,
  );
  return section("requirements", "Requirements", filter, groups);
}

function requirement(page: ReportPage, report: RequirementReport): Html {
  const { id, verdict, checks, reason, hint, claims: own = [] } = report;
  const { how, derived, text } = requirements[id];
  const open = isBroken(report) && html` open`;
  const known = knownFailure(page.view.report, id);
  const unmet = own.flatMap(({ situations = [] }) => situations).filter(({ met }) => !met).length;
  return html`
    <details class="requirement" id="${id}" data-verdict="${verdict}"${open}>
      <summary>
        <span class="badge">${MARKS[verdict]} ${verdict}</span>
        <strong>${id}</strong>
        <span class="text">${text} ${
          unmet > 0 && html`<span class="quiet">${counted(unmet, "situation")} not met</span>`
        }</span>
      </summary>
      <div class="inside">
        ${facts(
          ["checked", how.map((one) => HOW_DECIDED[one]).join("; ")],
          ["derived", derived && "inferred from the interface, not stated in it"],
          ["why", cut(reason)],
          ["to decide it", cut(hint)],
          ["known", known && `until ${known.expires}: ${cut(known.reason)}`],
        )}
        ${listOf("claims", id, claim, own)}
        ${listOf("checks", id, (one) => check(page, one), checks)}
      </div>
    </details>`;
}

function listOf<T>(name: string, id: string, render: (one: T) => Html, all: readonly T[]) {
  const title = capitalized(name);
  const list = html`<ul class="${name}" aria-label="${title} of ${id}">${all.map(render)}</ul>`;
  return all.length > 0 && html`<h4>${title}</h4>${list}`;
}

/** Renders a claim with its situations. An undecided claim has the reason of its situations. */
function claim({ id, verdict, reason, hint, situations = [] }: ClaimReport): Html {
  const { text, at } = claims[id];
  const namesOf = (all: typeof situations) => all.map(({ name }) => name).join(", ");
  const unmet = Map.groupBy(
    situations.filter(({ met }) => !met),
    (one) => (verdict === "undecided" ? "" : `: ${whyOf(one)}`),
  );
  return html`
    <li id="${id}" data-verdict="${verdict}">
      <p class="check">
        <span class="mark" aria-hidden="true">${MARKS[verdict]}</span>
        <span>${text}
          <a class="quiet code" href="#${id}">${id}</a>
          <span class="quiet">${verdict}; ${at}</span>
        </span>
      </p>
      ${facts(
        ["why", cut(reason)],
        ["to decide it", cut(hint)],
        ["met", namesOf(situations.filter(({ met }) => met))],
        ...[...unmet].map(([why, all]) => ["not met", namesOf(all) + cut(why)] as const),
      )}
    </li>`;
}

const MAX_LISTED = 12;

function check(page: ReportPage, report: CheckReport): Html {
  const { name, verdict, assertions, reason, hint, findings = [], reproduce } = report;
  const parts: Piece[] = [
    assertions !== undefined && `; ${counted(assertions, "assertion")}`,
    reason !== undefined && `; ${cut(whyOf({ reason, ...(hint && { hint }) }))}`,
  ];
  // The first finding, and as many others as fit.
  const shown = findings.slice(0, MAX_LISTED).flatMap((one, at) => {
    const known = factsOf(page, one);
    const inFull = () =>
      html`${evidenceOf(page, one, at === 0)}${at === 0 && reproduce && curlLine(reproduce)}`;
    if (at > 0) return page.forFindings(() => html`<li>${known}${inFull()}</li>`) ?? [];
    return html`<li>${known}${page.forFindings(inFull) ?? note("The JSON report has more.")}</li>`;
  });
  return html`
    <li>
      <p class="check">
        <span class="mark" data-verdict="${verdict}" aria-hidden="true">${MARKS[verdict]}</span>
        <span>${cut(name)} <span class="quiet">${verdict}${parts}</span></span>
      </p>
      ${shown.length > 0 && html`<ol class="findings">${shown}</ol>`}
      ${more(findings.length - shown.length, "more findings")}
    </li>`;
}

const MAX_LINKS = 8;

function factsOf(page: ReportPage, one: EvidencedFinding): Piece {
  const { message, path, expected = "", actual = "", evidence } = one;
  // The pointer and the comparison are shown separately.
  const place = message
    .replace(`: expected ${expected}, got ${actual}`, "")
    .replace(` ${path}`, "");
  const [first, ...others] = evidence.slice(0, MAX_LINKS).map((nr) => html` ${page.linkTo(nr)}`);
  return facts(
    ["where", cut(place)],
    ["pointer", path !== "" && html`<code>${cut(path)}</code>`],
    ["expected", cut(expected)],
    ["got", actual !== "" && html`<span class="got">${cut(actual)}</span>`],
    ["shown by", first && html`${first}${others.length > 0 && html`, compared with${others}`}`],
  );
}

/** Renders the body that a finding is about. */
function evidenceOf(page: ReportPage, { path, evidence }: EvidencedFinding, isOpen: boolean) {
  const entry = page.view.traffic.get(evidence[0] ?? -1);
  const body = entry && receivedBody(page, entry, path);
  if (!body) return undefined;
  const status = !isDelivery(entry) && entry.response && `: ${entry.response.status}`;
  const summary = html`${isDelivery(entry) ? "Delivery" : "Response to"}
    <code>${nameOf(entry)}</code>${status}`;
  return details("body", isOpen, summary, body);
}
