import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { requirements } from "../../../generated/requirements.ts";
import { counted } from "../../../src/text.ts";
import type { OpenGroup } from "../open.ts";
import type { RequirementReport, Verdict } from "../report.ts";
import { type CauseView, type Fact, MARKS, type View } from "../view.ts";
import {
  capitalized,
  details,
  facts,
  type Html,
  html,
  linksTo,
  more,
  note,
  type Piece,
  ReportPage,
  section,
  trusted,
} from "./html.ts";
import { requirementsSection } from "./requirement.ts";
import { makeTraffic, trafficSection } from "./traffic.ts";

/** A content security policy that allows only the page's own style and script, by hash. */
function policyFor(style: string, script: string): string {
  const [ofStyle, ofScript] = [style, script].map((text) => {
    return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  });
  const own = `style-src ${ofStyle}; script-src ${ofScript}; img-src data:`;
  return `default-src 'none'; ${own}; base-uri 'none'; form-action 'none'`;
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
export function renderHtml(view: View): string {
  const [style, script] = [asset("report.css") + VERDICT_STYLE, asset("report.js")];
  const page = new ReportPage(view);
  // Links depend on the traffic that fits, so render it first.
  makeTraffic(page);
  return html`<!doctype html>
<html lang="en" dir="ltr">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policyFor(style, script)}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="referrer" content="no-referrer">
    <title>${view.result} · ${view.report.target}</title>
    <link rel="icon" href="${trusted(ICON)}">
    <style>${trusted(style)}</style>
  </head>
  <body>
    <a class="skip" href="#requirements">Skip to the requirements</a>
    <main tabindex="-1">
      ${overview(view)}
      ${causesSection(page)}
      ${section("matrix", "Matrix", html`<ul class="grid">${view.groups.map(row)}</ul>`)}
      ${openSection(view)}
      ${requirementsSection(page, filter(view))}
      ${trafficSection(page)}
    </main>
    <p id="status" role="status" class="skip"></p>
    <script>${trusted(script)}</script>
  </body>
</html>
`.text;
}

/** Renders the run's parameters and results. */
function overview(view: View): Html {
  const { report, result, sum, work, notes, lists } = view;
  const { target, profile, startedAt } = report;
  const when = startedAt.replace("T", " ").replace(/\.\d+Z$/, " UTC");
  return html`
    <header>
      <p class="quiet">Conformance to the Card and Bank Transaction Feed interface</p>
      <h1>${target}</h1>
      <p class="quiet">
        Profile ${profile}, <time datetime="${startedAt}">${when}</time>, ${work}
      </p>
    </header>
    ${section(
      "sum",
      result,
      notes.map(({ text, ids }) => html`<p class="warning">${text} ${linksTo(ids)}</p>`),
      html`<p>${sum}</p>`,
      claimCounts(view),
      lists.map(({ count, title, isBad, items }) => {
        const rows = items.map(({ ids, text }) => html`<li>${linksTo(ids)}${text}</li>`);
        const head = html`<p><strong>${count} ${title}</strong></p>`;
        return html`<div class="${isBad ? "warning" : "known"}">${head}<ul>${rows}</ul></div>`;
      }),
    )}`;
}

/** Renders the claims as a bar and as numbers. Screen readers get the numbers. */
function claimCounts({ report }: View): Piece {
  const all = report.requirements.flatMap(({ claims = [] }) => claims);
  let start = 0;
  const counts = (["failed", "warned", "passed", "undecided"] as const).map((verdict) => {
    const count = all.filter((claim) => claim.verdict === verdict).length;
    const [x, width] = [start, (count / Math.max(1, all.length)) * 100];
    start += width;
    return { verdict, count, at: html`x="${x.toFixed(3)}%" width="${width.toFixed(3)}%"` };
  });
  const parts = counts.map(
    ({ verdict, at }) => html`<rect data-verdict="${verdict}" ${at} height="100%"/>`,
  );
  const sums = counts.map(
    ({ verdict, count }) => html`
        <div data-verdict="${verdict}"${count === 0 && html` class="none"`}>
          <dt><span aria-hidden="true">${MARKS[verdict]}</span> ${verdict}</dt>
          <dd>${count}</dd>
        </div>`,
  );
  return html`<svg class="bar" width="100%" height="12" aria-hidden="true">${parts}</svg>
    <dl class="sums" aria-label="Claims">${sums}</dl>`;
}

const MAX_CAUSES = 60;

/** Renders the failures by likely cause, then the consequences of these causes. */
function causesSection(page: ReportPage): Html | undefined {
  const { causes, consequences } = page.view;
  if (causes.length === 0) return undefined;
  const list = (all: readonly CauseView[], isOpen: boolean) => html`
    <ol class="causes">
      ${all.slice(0, MAX_CAUSES).map((one, at) => cause(page, one, isOpen && at === 0))}
    </ol>
    ${more(all.length - MAX_CAUSES, "more")}`;
  const title = counted(consequences.length, "probable consequence");
  return section(
    "causes",
    counted(causes.length, "likely cause"),
    list(causes, true),
    consequences.length > 0 && details("consequences", false, title, list(consequences, false)),
  );
}

function cause(page: ReportPage, one: CauseView, isOpen: boolean): Html {
  const verdict = one.isFailure ? "failed" : "warned";
  const shownBy = one.shownBy && html`, first in ${page.linkTo(one.shownBy.nr)}`;
  const summary = html`
    <h3><span class="mark" aria-hidden="true">${MARKS[verdict]}</span>
      ${one.lead} <span class="text">${one.sentence}</span></h3>
    ${note(one.title)}`;
  const known = facts(
    ...one.facts.map((fact) => [fact.label, factValue(fact)] as const),
    ["shown by", html`${one.findings}${shownBy}`],
    ["see", linksTo([one.lead])],
  );
  return html`<li data-verdict="${verdict}">${details("cause", isOpen, summary, known)}</li>`;
}

function factValue({ ids, lines }: Fact): Piece {
  if (ids.length > 0) return [linksTo(ids), lines];
  return lines.map((line) => html`<div>${line}</div>`);
}

/** Renders a row of the matrix: a linked cell for each requirement of a group. */
function row({ group, title, members, claims: { total, decided } }: View["groups"][number]): Html {
  const sum = total === 0 ? "excluded" : `${decided} of ${counted(total, "claim")}`;
  return html`
    <li>
      <a class="name" href="#${group}">
        <span class="code">${group}</span> ${capitalized(title)}</a>
      <span class="cells">${members.map(cell)}</span>
      <span class="quiet">${sum}</span>
    </li>`;
}

function cell({ id, verdict }: RequirementReport): Html {
  const { text } = requirements[id];
  const number = id.slice(id.indexOf("-") + 1);
  return html`<a class="cell" href="#${id}" data-verdict="${verdict}" aria-label="${id} ${verdict}"
    title="${id} ${verdict}: ${text}">${MARKS[verdict]}<span>${number}</span></a>`;
}

const MAX_OPEN = 60;

/** Renders what was not decided: what would decide it, then the claims and situations by reason. */
function openSection({ gains, undecided, unmet, notSelected }: View): Html | undefined {
  if (undecided.length + unmet.length + notSelected === 0) return undefined;
  const list = (groups: readonly OpenGroup[]) =>
    html`<ul class="skips">${groups.slice(0, MAX_OPEN).map(openGroup)}</ul>`;
  const sum = unmet.reduce((all, { count }) => all + count, 0);
  const situations = counted(sum, "situation");
  return section(
    "skips",
    "Not decided",
    gains.length > 0 &&
      html`<ul class="gains">${gains.map(
        ({ action, gain }) =>
          html`<li><strong>${action.replaceAll("`", "")}</strong>: ${gain}</li>`,
      )}</ul>`,
    undecided.length > 0 && list(undecided),
    unmet.length > 0 &&
      details("unmet", false, `${situations} of decided claims not met`, list(unmet)),
    notSelected > 0 && note(`${counted(notSelected, "more requirement")} not selected`),
  );
}

function openGroup({ title, reason, hint, items }: OpenGroup): Html {
  return html`
      <li>
        <p><strong>${title}</strong>: ${reason}</p>
        ${facts(
          ["to decide", hint],
          ...items.map(({ ids, text }) =>
            text === "" ? (["open", linksTo(ids)] as const) : ([linksTo(ids), text] as const),
          ),
        )}
      </li>`;
}

/** The colours of the verdicts, the most urgent first. */
const TONES: Readonly<Record<Verdict, string>> = {
  ...{ failed: "bad", warned: "waiting", passed: "good" },
  ...{ partly: "accent", skipped: "quiet", excluded: "quiet" },
};
const VERDICTS = Object.keys(TONES) as Verdict[];

/** Those hidden until their box is checked. */
const HIDDEN: readonly Verdict[] = ["passed", "excluded"];

/** Colours the verdicts, and shows those whose box is checked, also without the script. */
const VERDICT_STYLE = VERDICTS.map((verdict) => {
  const own = `[data-verdict="${verdict}"]`;
  const page = `body:not(.searching):has(#show-${verdict}:checked)`;
  return `${own} { --tone: var(--${TONES[verdict]}); }
${page} :is(.requirement${own}, .group:has(> ${own})) { display: block; }
`;
}).join("");

/**
 * Renders checkboxes that filter by verdict, with CSS only, and a search field, which the script
 * shows.
 */
function filter({ report: { summary } }: View): Html {
  const boxes = VERDICTS.map(
    (verdict) => html`
      <label data-verdict="${verdict}">
        <input type="checkbox" id="show-${verdict}"${!HIDDEN.includes(verdict) && html` checked`}>
        <span class="mark" aria-hidden="true">${MARKS[verdict]}</span>
        ${verdict} ${summary[verdict]}
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
