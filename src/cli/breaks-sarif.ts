import { audiencesOf } from "../breaks/change.ts";
import { type Comparison, inOrder } from "./breaks-report.ts";
import { messageOf, renderRun } from "./sarif.ts";

/**
 * Renders the changes as SARIF 2.1.0. Unapproved breaking changes are errors; all others are notes.
 *
 * @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
export function renderSarif({ breakage, unapproved, new: file }: Comparison): string {
  const changes = inOrder(breakage.changes);
  const kinds = [...new Set(changes.map(({ kind }) => kind))];
  const results = changes.map((change) => {
    const broken = audiencesOf(change, "breaking");
    const who = broken.length > 0 ? ` (breaks: ${broken.join(", ")})` : "";
    return {
      ruleId: change.kind,
      ruleIndex: kinds.indexOf(change.kind),
      level: unapproved.includes(change) ? "error" : "note",
      message: messageOf(`${change.where}: ${change.text}${who}`),
      locations: [
        {
          physicalLocation: { artifactLocation: { uri: encodeURI(file) } },
          logicalLocations: [{ fullyQualifiedName: change.pointer, kind: "value" }],
        },
      ],
    };
  });
  const rules = kinds.map((id) => ({ id, shortDescription: { text: id.replaceAll("-", " ") } }));
  const run = {
    tool: { driver: { name: "txfeed breaks", rules } },
    columnKind: "utf16CodeUnits",
    results,
  };
  return renderRun(run);
}
