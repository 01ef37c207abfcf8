import { audiencesOf, type Comparison, inOrder } from "./report.ts";

const SCHEMA =
  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/**
 * The changes as SARIF 2.1.0: a breaking one is an error, or a note if it is approved; a compatible
 * one is a note.
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
      message: { text: plain(`${change.where}: ${change.text}${who}`) },
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
  return `${JSON.stringify({ $schema: SCHEMA, version: "2.1.0", runs: [run] }, null, 2)}\n`;
}

/** In a message braces stand for arguments, and brackets before a parenthesis for a link. */
function plain(text: string): string {
  return text.replace(/[{}]/g, "$&$&").replaceAll("](", "\\](");
}
