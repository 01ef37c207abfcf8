import { requirements } from "../../../generated/requirements.ts";
import { MARKS } from "../matrix.ts";
import { type Group, groupOf, isDecided, type Report, type RequirementReport } from "../report.ts";
import { type Html, html } from "./html.ts";
import { titleOf } from "./labels.ts";
import { section } from "./parts.ts";

/** Renders the matrix: a row for each group, and a linked cell for each requirement. */
export function gridSection({ requirements: all }: Report): Html {
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
