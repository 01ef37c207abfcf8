import { claims, requirements } from "../../../generated/requirements.ts";
import { counted, shortened } from "../../../src/text.ts";
import { MARKS } from "../matrix.ts";
import {
  type CheckReport,
  type ClaimReport,
  groupOf,
  type RequirementReport,
  type SituationReport,
} from "../report.ts";
import { findingsOf } from "./findings.ts";
import { type Html, html } from "./html.ts";
import { HOW_DECIDED, titleOf } from "./labels.ts";
import type { ReportPage } from "./page.ts";
import { facts, section } from "./parts.ts";

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
