import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type RequirementId, requirements } from "../../../generated/requirements.ts";
import { counted, shortened } from "../../../src/text.ts";
import { endingOf, headlinesOf, refusalsIn, refusedVerbsIn, undecidedBecause } from "../ending.ts";
import { MARKS } from "../matrix.ts";
import {
  type Group,
  groupOf,
  isDecided,
  type KnownFailure,
  type Report,
  type RequirementReport,
  type Verdict,
} from "../report.ts";
import { causesSection, openSection } from "./causes.ts";
import {
  decidedIn,
  grouped,
  type Html,
  html,
  linksTo,
  type Piece,
  ReportPage,
  seconds,
  section,
  titleOf,
  trusted,
  VERDICTS,
} from "./html.ts";
import { requirementsSection } from "./requirement.ts";
import { makeTraffic, timelineSection, trafficSection } from "./traffic.ts";

/** A content security policy that allows only the page's own style and script, by hash. */
function policyFor(style: string, script: string): string {
  return [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

function asset(name: string): string {
  return readFileSync(new URL(`assets/${name}`, import.meta.url), "utf8");
}

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E" +
  "%3Crect width='16' height='16' rx='3' fill='%230b5cad'/%3E" +
  "%3Cpath d='m4 8.5 3 3 5-7' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E";

/**
 * Renders a report as one self-contained HTML page. It loads nothing and works without its script.
 * Data from the target is escaped and limited in size.
 */
export function renderHtml(report: Report): string {
  const [style, script] = [asset("report.css"), asset("report.js")];
  const page = new ReportPage(report);
  // Links depend on the traffic that fits, so render it first.
  makeTraffic(page);
  const body = html`
    <a class="skip" href="#requirements">Skip to the requirements</a>
    <main tabindex="-1">
      ${overview(report)}
      ${causesSection(page)}
      ${gridSection(report)}
      ${openSection(report)}
      ${requirementsSection(page, filter(report))}
      ${timelineSection(page)}
      ${trafficSection(page)}
    </main>
    <p id="status" role="status" class="skip"></p>`;
  return html`<!doctype html>
<html lang="en" dir="ltr">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policyFor(style, script)}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="referrer" content="no-referrer">
    <title>${report.summary.failed} failed · ${report.target}</title>
    <link rel="icon" href="${trusted(ICON)}">
    <style>${trusted(style)}</style>
  </head>
  <body>${body}
    <script>${trusted(script)}</script>
  </body>
</html>
`.text;
}

/** Verdicts that are hidden until their box is checked: a reader looks for the others. */
const HIDDEN: readonly Verdict[] = ["passed", "excluded"];

/**
 * Renders checkboxes that filter by verdict, with CSS only, and a search field, which the script
 * shows.
 */
function filter({ summary }: Report): Html {
  const boxes = VERDICTS.map(
    (verdict) => html`
      <label data-verdict="${verdict}">
        <input type="checkbox" id="show-${verdict}"${!HIDDEN.includes(verdict) && html` checked`}>
        <span class="mark" aria-hidden="true">${MARKS[verdict]}</span>
        ${verdict} ${grouped(summary[verdict])}
      </label>`,
  );
  return html`
    <fieldset class="filter"><legend>Show</legend>${boxes}
      <label class="search" hidden>
        <input type="search" id="search" aria-label="Search" placeholder="Search ids and text"
          autocomplete="off">
      </label>
    </fieldset>`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

const MAX_FAULTS = 50;
const MAX_TEXT = 600;

/** Renders the run's parameters and results. */
function overview(report: Report): Html {
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
    ...[...refusalsIn(report), ...refusedVerbsIn(report)].map(
      (line) => html`<p class="warning">${shortened(line, MAX_TEXT)}</p>`,
    ),
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

/** Renders the matrix: a row for each group, and a linked cell for each requirement. */
function gridSection({ requirements: all }: Report): Html {
  const groups = [...Map.groupBy(all, ({ id }) => groupOf(id))];
  const rows = groups.map(([group, members]) => row(group, members));
  return section("matrix", "Matrix", html`<ul class="grid">${rows}</ul>`);
}

function row(group: Group, members: readonly RequirementReport[]): Html {
  const decided = members.filter(isDecided);
  const sum = decided.length === 0 ? "none" : `${decided.length} of ${members.length}`;
  return html`
    <li>
      <a class="name" href="#${group}"><span class="code">${group}</span> ${titleOf(group)}</a>
      <span class="cells">${members.map(cell)}</span>
      <span class="quiet">${sum} decided</span>
    </li>`;
}

function cell({ id, verdict }: RequirementReport): Html {
  const { text } = requirements[id];
  const number = id.slice(id.indexOf("-") + 1);
  return html`<a class="cell" href="#${id}" data-verdict="${verdict}" aria-label="${id} ${verdict}"
    title="${id} ${verdict}: ${text}">${MARKS[verdict]}<span>${number}</span></a>`;
}
