import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { MARKS } from "../matrix.ts";
import type { Report, Verdict } from "../report.ts";
import { causesSection, openSection } from "./causes.ts";
import { gridSection } from "./grid.ts";
import { type Html, html, trusted } from "./html.ts";
import { grouped, VERDICTS } from "./labels.ts";
import { overview } from "./overview.ts";
import { ReportPage } from "./page.ts";
import { requirementsSection } from "./requirement.ts";
import { timelineSection } from "./timeline.ts";
import { makeTraffic, trafficSection } from "./traffic.ts";

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
