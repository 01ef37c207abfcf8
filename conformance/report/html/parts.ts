import {
  type ClaimId,
  claims,
  type RequirementId,
  requirements,
} from "../../../generated/requirements.ts";
import { type Html, html, type Piece } from "./html.ts";

/** Renders a section that is labelled by its heading. */
export function section(id: string, title: string, ...content: readonly Piece[]): Html {
  return html`
    <section aria-labelledby="${id}">
      <h2 id="${id}">${title}</h2>
      ${content}
    </section>`;
}

/** Renders terms and descriptions. Omits terms with an empty description. */
export function facts(...all: readonly (readonly [term: Piece, value: Piece])[]): Html {
  const present = all.filter(([, value]) => isPresent(value));
  if (present.length === 0) return html``;
  const rows = present.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`);
  return html`<dl class="facts">${rows}</dl>`;
}

/** Renders a secondary line. */
export function note(text: string): Html {
  return html`<p class="quiet">${text}</p>`;
}

function isPresent(piece: Piece): boolean {
  if (Array.isArray(piece)) return piece.length > 0;
  return piece !== undefined && piece !== false && piece !== "";
}

/** Renders links to requirements and claims. */
export function linksTo(ids: readonly (RequirementId | ClaimId)[]): Html {
  const links = ids.map((id) => html`<a href="#${id}" title="${sentenceOf(id)}">${id}</a> `);
  return html`<span class="links">${links}</span>`;
}

function sentenceOf(id: RequirementId | ClaimId): string {
  return (id in claims ? claims[id as ClaimId] : requirements[id as RequirementId]).text;
}
