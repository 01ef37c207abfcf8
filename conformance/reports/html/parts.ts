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
  const told = all.filter(([, said]) => said !== undefined && said !== false && said !== "");
  const rows = told.map(([term, said]) => html`<div><dt>${term}</dt><dd>${said}</dd></div>`);
  return html`<dl class="facts">${rows}</dl>`;
}

/** A line that says less than what is around it. */
export function aside(text: string): Html {
  return html`<p class="quiet">${text}</p>`;
}
