import type { RequirementId } from "../../../generated/requirements.ts";
import { counted, shortened } from "../../../src/text.ts";
import { endingOf, headlinesOf, refusalsIn, undecidedBecause } from "../ending.ts";
import { MARKS } from "../matrix.ts";
import type { KnownFailure, Report } from "../report.ts";
import { type Html, html, type Piece } from "./html.ts";
import { decidedIn, grouped, seconds, VERDICTS } from "./labels.ts";
import { linksTo, section } from "./parts.ts";

const MAX_FAULTS = 50;
const MAX_TEXT = 600;

/** Renders the run's parameters and results. */
export function overview(report: Report): Html {
  const { target, profile, startedAt, durationMs, summary, checks, assertions } = report;
  const work = `${counted(checks, "check")} with ${counted(assertions, "assertion")}`;
  const when = startedAt.replace("T", " ").replace(/\.\d+Z$/, " UTC");
  const sums = VERDICTS.map(
    (verdict) => html`
        <div data-verdict="${verdict}"${summary[verdict] === 0 && html` class="none"`}>
          <dt><span aria-hidden="true">${MARKS[verdict]}</span> ${verdict}</dt>
          <dd>${grouped(summary[verdict])}</dd>
        </div>`,
  );
  return html`
    <header>
      <p class="kicker">Conformance to the Card and Bank Transaction Feed interface</p>
      <h1>${target}</h1>
      <p class="quiet">
        Profile ${profile}, <time datetime="${startedAt}">${when}</time>,
        ${work} in ${seconds(durationMs)}
      </p>
    </header>
    ${section(
      "sum",
      sentence(report),
      ...headlines(report),
      decidedLine(report),
      bar(report),
      html`<dl class="sums" aria-label="Requirements">${sums}</dl>`,
      ...reservations(report),
    )}`;
}

/** The number of decided requirements and claims, and of the situations of the claims. */
function decidedLine(report: Report): Html {
  const { total, decided, failed, situations } = report.claims;
  const requirements = `${decidedIn(report)} of ${report.requirements.length} requirements`;
  if (total === 0) return html`<p>${requirements} decided</p>`;
  const claims = `${grouped(decided)} of ${grouped(total)} claims`;
  const met = `${grouped(situations.met)} of ${grouped(situations.total)} situations`;
  const violated = failed > 0 && `; ${counted(failed, "claim")} violated`;
  return html`<p>${requirements} and ${claims} decided, in ${met}${violated}</p>`;
}

/** What puts the whole run in doubt. */
function headlines(report: Report): Html[] {
  return headlinesOf(report).map(
    ({ text, requirements: ids }) =>
      html`<p class="warning"><strong>${shortened(text, MAX_TEXT)}</strong> ${linksTo(ids)}</p>`,
  );
}

/** The result in one line. */
function sentence(report: Report): string {
  const { failed, warned } = report.summary;
  const known = report.baseline?.known.length ?? 0;
  if (failed > 0) {
    return `${counted(failed, "requirement")} failed${known > 0 ? `, ${known} of them known` : ""}`;
  }
  if (endingOf(report) === "undecided") return `Undecided: ${undecidedBecause(report)}`;
  if (warned > 0) return `Nothing failed; ${counted(warned, "derived requirement")} warned`;
  return "Every decided requirement passed";
}

/** Renders the verdicts as a bar. Hidden from screen readers, because the numbers follow it. */
function bar({ summary, requirements: all }: Report): Html {
  let start = 0;
  const parts = VERDICTS.filter((verdict) => summary[verdict] > 0).map((verdict) => {
    const [x, width] = [start, (summary[verdict] / all.length) * 100];
    start += width;
    const span = html`x="${x.toFixed(3)}%" width="${width.toFixed(3)}%"`;
    return html`<rect data-verdict="${verdict}" ${span} height="100%"/>`;
  });
  return html`<svg class="bar" width="100%" height="12" aria-hidden="true">${parts}</svg>`;
}

/** Renders what qualifies the result: an aborted run, suite errors and known failures. */
function reservations(report: Report): Piece[] {
  const { brokenOff, suiteErrors, baseline } = report;
  const broken = brokenOff !== undefined && shortened(brokenOff, MAX_TEXT);
  const own = suiteErrors
    .slice(0, MAX_FAULTS)
    .map(({ requirement, check, message }) =>
      about(requirement, ` ${check}: ${shortened(message, MAX_TEXT)}`),
    );
  const title = `${counted(suiteErrors.length, "internal error")} of the suite, not of the target`;
  return [
    broken && html`<p class="warning"><strong>The run stopped early:</strong> ${broken}</p>`,
    ...refusalsIn(report).map((line) => html`<p class="warning">${line}</p>`),
    noted("warning", title, own),
    noted("known", "Known failures: they do not fail the run", failures(baseline?.known)),
    noted("warning", "Known failures that pass now: remove them", failures(baseline?.stale)),
    noted("warning", "Known failures that have expired", failures(baseline?.expired)),
    noted("known", "Known failures not decided in this run", failures(baseline?.undecided)),
  ];
}

function failures(all: readonly KnownFailure[] = []): Html[] {
  return all.map(({ requirement, reason, expires }) =>
    about(requirement, ` until ${expires}: ${shortened(reason, MAX_TEXT)}`),
  );
}

function about(id: RequirementId, text: string): Html {
  return html`<li>${linksTo([id])}${text}</li>`;
}

function noted(kind: string, title: string, items: readonly Html[]): Html | false {
  const list = html`<p><strong>${title}</strong></p><ul>${items}</ul>`;
  return items.length > 0 && html`<div class="${kind}">${list}</div>`;
}
