import { claims, type RequirementId, requirements } from "../../../generated/requirements.ts";
import { counted, shortened } from "../../../src/text.ts";
import { isKnown } from "../ending.ts";
import { MARKS } from "../matrix.ts";
import { type Cause, isLeftOut, type Report } from "../report.ts";
import { gainsOf, gainText, openGroups, type UnmetGroup, unmetGroups } from "../undecided.ts";
import { facts, type Html, html, linksTo, note, type ReportPage, section } from "./html.ts";

const MAX_CAUSES = 60;
const MAX_SKIPS = 60;
const MAX_PLACES = 5;
const MAX_TEXT = 400;
const MAX_TITLE = 200;

/** Renders the failures by likely cause, then the consequences of these causes. */
export function causesSection(page: ReportPage): Html | undefined {
  const { causes } = page.report;
  if (causes.length === 0) return undefined;
  const roots = causes.filter(({ consequenceOf }) => consequenceOf === undefined);
  const others = causes.filter(({ consequenceOf }) => consequenceOf !== undefined);
  const left = roots.length - MAX_CAUSES;
  const items = roots.slice(0, MAX_CAUSES).map((one, at) => cause(page, one, at === 0));
  return section(
    "causes",
    counted(roots.length, "likely cause"),
    html`<ol class="causes">${items}</ol>`,
    left > 0 && note(`and ${counted(left, "more cause")} in the JSON report`),
    others.length > 0 && consequences(page, others),
  );
}

function consequences(page: ReportPage, all: readonly Cause[]): Html {
  const left = all.length - MAX_CAUSES;
  const items = all.slice(0, MAX_CAUSES).map((one) => cause(page, one, false));
  return html`
    <details class="consequences">
      <summary>${counted(all.length, "probable consequence")}</summary>
      <ol class="causes">${items}</ol>
      ${left > 0 && note(`and ${counted(left, "more consequence")} in the JSON report`)}
    </details>`;
}

function cause(page: ReportPage, one: Cause, isOpen: boolean): Html {
  const { message, requirements: ids, findings, places, expected = "", actual = "" } = one;
  const { claim, details = [], consequenceOf, because = "" } = one;
  const [nr] = one.evidence;
  const [lead] = ids as [RequirementId, ...RequirementId[]];
  const isFailure = one.level === "error" || ids.some((id) => page.verdictOf(id) === "failed");
  const verdict = isFailure ? "failed" : "warned";
  const [first = message, ...others] = places;
  // A refusal is a better title than the place.
  const title = message.includes(": expected ") ? first : message;
  const listed = others.slice(0, MAX_PLACES).map((place) => shortened(place, MAX_TEXT));
  const left = others.length - listed.length;
  const also = [...listed, ...(left > 0 ? [`${counted(left, "more place")}`] : [])];
  const evidence = html`${counted(findings, "finding")}${
    nr !== undefined && html`, first in ${page.linkTo(nr)}`
  }`;
  const isAllKnown = ids.every((id) => isKnown(page.report, id));
  return html`
    <li data-verdict="${verdict}">
      <details${isOpen && html` open`}>
        <summary>
          <h3><span class="mark" aria-hidden="true">${MARKS[verdict]}</span>
            ${lead} <span class="text">${requirements[lead].text}</span></h3>
          <p class="place">${shortened(title, MAX_TITLE)}</p>
        </summary>
        ${facts(
          ["Follows from", consequenceOf && html`${linksTo([consequenceOf])}: ${because}`],
          ["Claim", claim && html`${linksTo([claim])} ${claims[claim].text}`],
          ["Expected", shortened(expected, MAX_TEXT)],
          ["Got", shortened(actual, MAX_TEXT)],
          ["In", details.map((line) => html`<div>${shortened(line, MAX_TEXT)}</div>`)],
          ["Also at", also.map((place) => html`<div>${place}</div>`)],
          [ids.length > 1 ? "Breaks" : "See", linksTo(ids)],
          ["Shown by", evidence],
          ["Known", isAllKnown && "a known failure, which does not fail the run"],
        )}
      </details>
    </li>`;
}

/** Renders what was not decided: what would decide it, then the claims by reason. */
export function openSection({ requirements: all }: Report): Html | undefined {
  const groups = openGroups(all).slice(0, MAX_SKIPS);
  const unmet = unmetGroups(all).slice(0, MAX_SKIPS);
  const leftOut = all.filter(isLeftOut).length;
  if (groups.length + unmet.length + leftOut === 0) return undefined;
  const gains = gainsOf(all).map(
    (gain) => html`<li><strong>${gain.action.replaceAll("`", "")}</strong>: ${gainText(gain)}</li>`,
  );
  const items = groups.map(
    ({ reason, hint = "", ids, claims }) => html`
      <li>
        <p><strong>${counted(claims, "claim")}</strong>: ${shortened(reason, MAX_TEXT)}</p>
        ${facts(["To decide", shortened(hint, MAX_TEXT)], ["Open", linksTo(ids)])}
      </li>`,
  );
  return section(
    "skips",
    "Not decided",
    gains.length > 0 && html`<ul class="gains">${gains}</ul>`,
    items.length > 0 && html`<ul class="skips">${items}</ul>`,
    unmet.length > 0 && unmetSituations(unmet),
    leftOut > 0 && note(`${counted(leftOut, "more requirement")} not selected`),
  );
}

/** Renders the situations in which decided claims were not checked, by reason. */
function unmetSituations(groups: readonly UnmetGroup[]): Html {
  const count = groups.reduce((sum, { situations }) => sum + situations, 0);
  const items = groups.map(
    ({ reason, hint = "", claims, situations }) => html`
      <li>
        <p><strong>${counted(situations, "situation")}</strong>: ${shortened(reason, MAX_TEXT)}</p>
        ${facts(
          ["To meet", shortened(hint, MAX_TEXT)],
          ...claims.map((one) => [linksTo([one.id]), one.situations.join(", ")] as const),
        )}
      </li>`,
  );
  return html`
    <details class="unmet">
      <summary>${counted(count, "situation")} of decided claims not met</summary>
      <ul class="skips">${items}</ul>
    </details>`;
}
