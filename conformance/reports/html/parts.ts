import { type RequirementId, requirements } from "../../../generated/requirements.ts";
import { type Html, html, type Piece } from "./html.ts";

/** A part of the page that its heading names, and by which it is found. */
export function section(id: string, title: string, ...content: readonly Piece[]): Html {
  return html`
    <section aria-labelledby="${id}">
      <h2 id="${id}">${title}</h2>
      ${content}
    </section>`;
}

/** Terms and what is to be said of each; one of which there is nothing to say is left out. */
export function facts(...all: readonly (readonly [term: string, said: Piece])[]): Html {
  const told = all.filter(([, said]) => isSaid(said));
  const rows = told.map(([term, said]) => html`<div><dt>${term}</dt><dd>${said}</dd></div>`);
  return html`<dl class="facts">${rows}</dl>`;
}

/** A line that says less than what is around it. */
export function aside(text: string): Html {
  return html`<p class="quiet">${text}</p>`;
}

function isSaid(piece: Piece): boolean {
  if (Array.isArray(piece)) return piece.length > 0;
  return piece !== undefined && piece !== false && piece !== "";
}

/** Leads to requirements. */
export function linksTo(ids: readonly RequirementId[]): Html {
  const links = ids.map((id) => html`<a href="#${id}" title="${requirements[id].text}">${id}</a> `);
  return html`<span class="links">${links}</span>`;
}
