import { requirements } from "../../../generated/requirements.ts";
import type { KnownFailure } from "../baseline.ts";
import type { Cause, Report } from "../report.ts";
import { type Html, html } from "./html.ts";
import type { ReportPage } from "./page.ts";
import { linkTo } from "./traffic.ts";
import { counted, decidedIn, grouped, MARKS, seconds, shortened, VERDICTS } from "./words.ts";

const MOST_CAUSES = 100;
const MOST_TEXT = 600;

/** What was run, and what came of it. */
export function overview(page: ReportPage): Html {
  const { report } = page;
  const { target, profile, startedAt, durationMs, summary, checks, assertions } = report;
  const all = report.requirements.length;
  const when = startedAt.replace("T", " ").replace(/\.\d+Z$/, " UTC");
  return html`
    <header>
      <p class="kicker">Conformance to the Card and Bank Transaction Feed interface</p>
      <h1>${target}</h1>
      <p class="quiet">
        Profile ${profile}, <time datetime="${startedAt}">${when}</time>, ${seconds(durationMs)}
      </p>
    </header>
    <section aria-labelledby="sum">
      <h2 id="sum">${sentence(report)}</h2>
      <p>${decidedIn(report)} of ${all} requirements were decided, by ${counted(checks, "check")}
        with ${counted(assertions, "assertion")}.</p>
      ${bar(report)}
      <dl class="sums">${VERDICTS.map(
        (verdict) => html`
        <div data-verdict="${verdict}">
          <dt><span aria-hidden="true">${MARKS[verdict]}</span> ${verdict}</dt>
          <dd>${grouped(summary[verdict])}</dd>
        </div>`,
      )}</dl>
      ${warnings(report)}
    </section>`;
}

/** What came of it, in a line. */
function sentence(report: Report): string {
  const { failed, warned } = report.summary;
  const decided = decidedIn(report);
  if (failed > 0)
    return `${counted(failed, "requirement")} ${failed === 1 ? "does" : "do"} not hold`;
  if (decided === 0) return "Nothing was decided";
  return warned > 0
    ? `Nothing that is stated fails; ${counted(warned, "derived requirement")} warned`
    : "All that was decided holds";
}

/** The verdicts as a bar; the numbers stand below it. */
function bar({ summary, requirements: all }: Report): Html {
  let start = 0;
  const parts = VERDICTS.filter((verdict) => summary[verdict] > 0).map((verdict) => {
    const width = (summary[verdict] / all.length) * 100;
    const x = start;
    start += width;
    return html`<rect data-verdict="${verdict}" x="${x.toFixed(3)}%" width="${width.toFixed(3)}%"
      height="100%"/>`;
  });
  return html`<svg class="bar" width="100%" height="12" aria-hidden="true">${parts}</svg>`;
}

/** What keeps the sum from being the whole truth. */
function warnings({ brokenOff, faults, baseline }: Report): Html {
  return html`
    ${
      brokenOff !== undefined &&
      html`
    <p class="warning"><strong>The run was broken off:</strong> ${shortened(brokenOff, MOST_TEXT)}</p>`
    }
    ${
      faults.length > 0 &&
      html`
    <div class="warning">
      <p><strong>${counted(faults.length, "fault")} of the suite itself,</strong>
        for which the target is not to blame:</p>
      <ul>${faults.map(
        ({ requirement, check, message }) => html`
        <li>${idLink(requirement)} ${check}: ${shortened(message, MOST_TEXT)}</li>`,
      )}</ul>
    </div>`
    }
    ${
      baseline &&
      html`
    ${known("Known failures, which do not fail the run", baseline.known)}
    ${known("Known failures that hold by now: take them out", baseline.stale)}
    ${known("Known failures whose day is over", baseline.expired)}`
    }`;
}

function known(title: string, failures: readonly KnownFailure[]): Html | false {
  if (failures.length === 0) return false;
  return html`
    <div class="known">
      <p><strong>${title}</strong></p>
      <ul>${failures.map(
        ({ requirement, reason, expires }) => html`
        <li>${idLink(requirement)} until ${expires}: ${shortened(reason, MOST_TEXT)}</li>`,
      )}</ul>
    </div>`;
}

/** What does not hold, a fault of the target each. */
export function causesSection(page: ReportPage): Html | undefined {
  const { causes } = page.report;
  if (causes.length === 0) return undefined;
  const more = causes.length - MOST_CAUSES;
  return html`
    <section aria-labelledby="causes">
      <h2 id="causes">Likely causes</h2>
      <ol class="causes">${causes.slice(0, MOST_CAUSES).map((one) => cause(page, one))}</ol>
      ${more > 0 && html`<p class="quiet">and ${counted(more, "cause")} more</p>`}
    </section>`;
}

function cause(page: ReportPage, { message, requirements: ids, findings, shownBy }: Cause): Html {
  const [nr] = shownBy;
  return html`
    <li>
      <p>${shortened(message, MOST_TEXT)}</p>
      <p class="quiet">${ids.map((id) => html`${idLink(id)} `)}
        ${counted(findings, "finding")}${nr !== undefined && html`, first in ${linkTo(page, nr)}`}</p>
    </li>`;
}

function idLink(id: keyof typeof requirements): Html {
  return html`<a href="#${id}" title="${requirements[id]?.text ?? ""}">${id}</a>`;
}
