import { requirements } from "../../../generated/requirements.ts";
import type { CheckReport, RequirementReport } from "../report.ts";
import { findingsOf } from "./findings.ts";
import { type Html, html } from "./html.ts";
import type { ReportPage } from "./page.ts";
import { counted, groupOf, LOOKS, MARKS, nameOfGroup, shortened } from "./words.ts";

const MOST_REASON = 600;

/** Every requirement, by group, below what chooses among them. */
export function requirementsSection(page: ReportPage, filter: Html): Html {
  const groups = [...Map.groupBy(page.report.requirements, ({ id }) => groupOf(id))];
  return html`
    <section aria-labelledby="requirements">
      <h2 id="requirements">Requirements</h2>
      ${filter}
      ${groups.map(
        ([group, members]) => html`
      <section class="group" aria-labelledby="${group}">
        <h3 id="${group}"><span class="code">${group}</span> ${nameOfGroup(group)}</h3>
        ${members.map((member) => requirement(page, member))}
      </section>`,
      )}
    </section>`;
}

function requirement(page: ReportPage, report: RequirementReport): Html {
  const { id, verdict, checks } = report;
  const { text } = requirements[id];
  const isBroken = verdict === "failed" || verdict === "warned";
  return html`
    <details class="requirement" id="${id}" data-verdict="${verdict}"${isBroken && html` open`}>
      <summary>
        <span class="badge" data-verdict="${verdict}">${MARKS[verdict]} ${verdict}</span>
        <strong>${id}</strong>
        <span class="text">${text}</span>
      </summary>
      <div class="inside">
        ${about(page, report)}
        ${
          checks.length > 0 &&
          html`
        <ul class="checks" aria-label="Checks of ${id}">${checks.map((one) => check(page, one))}</ul>`
        }
      </div>
    </details>`;
}

/** What kind of requirement it is, and why nothing decided it. */
function about(page: ReportPage, { id, reason, unskip }: RequirementReport): Html {
  const { how, derived } = requirements[id];
  const known = page.report.baseline?.known.find(({ requirement }) => requirement === id);
  return html`
    <dl class="facts">
      <div><dt>Looked at</dt><dd>${how.map((one) => LOOKS[one]).join("; ")}</dd></div>
      ${
        derived &&
        html`
      <div><dt>Derived</dt><dd>read out of the interface rather than stated in it</dd></div>`
      }
      ${
        reason !== undefined &&
        html`
      <div><dt>Why</dt><dd>${shortened(reason, MOST_REASON)}</dd></div>`
      }
      ${
        unskip !== undefined &&
        html`
      <div><dt>To decide it</dt><dd>${shortened(unskip, MOST_REASON)}</dd></div>`
      }
      ${
        known &&
        html`
      <div><dt>Known</dt><dd>until ${known.expires}: ${shortened(known.reason, MOST_REASON)}</dd></div>`
      }
    </dl>`;
}

function check(page: ReportPage, report: CheckReport): Html {
  const { name, verdict, assertions, reason, unskip } = report;
  const what = [
    assertions !== undefined && counted(assertions, "assertion"),
    reason,
    unskip !== undefined && `to have it look: ${unskip}`,
  ];
  const told = what.filter((part) => typeof part === "string").join("; ");
  return html`
    <li>
      <p class="check">
        <span class="mark" data-verdict="${verdict}" aria-hidden="true">${MARKS[verdict]}</span>
        <span>${shortened(name, 200)}
          <span class="quiet">${verdict}${told !== "" && `: ${shortened(told, MOST_REASON)}`}</span>
        </span>
      </p>
      ${findingsOf(page, report)}
    </li>`;
}
