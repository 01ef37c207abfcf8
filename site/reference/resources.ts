import type { ResourceName } from "../../generated/resources.ts";
import type { Transition } from "../../src/model/state-machine.ts";
import { stateDiagrams } from "../../src/sandbox/contract-document.ts";
import { firstSentence, join, link, type Page, section, table } from "../page.ts";
import { bodyOf, resolve, type Schema } from "./contract.ts";
import { fieldTable } from "./fields.ts";
import { jsonExamples } from "./json-examples.ts";
import { eventPath } from "./paths.ts";
import type { Places } from "./places.ts";
import { relatedTo } from "./related.ts";
import { requirementLinks, withRequirementLinks } from "./requirement-links.ts";
import { resourcePages } from "./resource-names.ts";
import { statesBefore, transitionsOf } from "./state-tables.ts";

const diagrams = stateDiagrams();

/** A page for each resource: its fields, its states, and links to its operations and events. */
export function resourceReference(places: Places): Page[] {
  return [...resourcePages.values()].map(({ name, path, tag, operation }) => {
    const { schema = {}, examples } = bodyOf(operation);
    const item = itemOf(schema);
    const { description = "" } = resolve(item);
    const rows = transitionsOf(name);
    for (const { requirement } of rows) {
      places.add(requirement, { page: path, anchor: "states", label: `states of ${tag}` });
    }
    const text = join(
      withRequirementLinks(description),
      section("Fields", fieldTable(path, item, places)),
      rows.length === 0 ? "" : section("States", stateDiagram(name), stateTable(rows)),
      section("Examples", ...jsonExamples(examples)),
      section("Operations and events", relatedTo([tag], path)),
    );
    return { path, title: tag, description: firstSentence(description), text };
  });
}

/** The schema of a list's items, or the schema itself if it is not a page of a list. */
function itemOf(schema: Schema): Schema {
  const embedded = resolve(schema).properties?.["_embedded"];
  const isPage = resolve(schema).properties?.["totalItems"] !== undefined;
  const [list] = isPage && embedded ? Object.values(resolve(embedded).properties ?? {}) : [];
  return list?.items ?? schema;
}

function stateDiagram(name: ResourceName): string {
  // Markdown ends raw HTML at an empty line, which the diagrams do not contain.
  return `<div class="state-diagram">${diagrams[name] ?? ""}</div>`;
}

function stateTable(rows: readonly Transition[]): string {
  return table(
    ["Trigger", "From", "To", "Sends", "Requirement"],
    rows.map((row) => [
      `\`${row.trigger}\``,
      statesBefore(row),
      `\`${row.to}\``,
      row.sends.map((name) => link(`\`${name}\``, eventPath(name))).join(", ") || "nothing",
      requirementLinks([row.requirement]),
    ]),
  );
}
