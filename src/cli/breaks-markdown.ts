import { AUDIENCES, audiencesOf, type Change, isBreaking } from "../breaks/change.ts";
import { AUDIENCE_TEXTS, type Comparison, inOrder, summaryOf } from "./breaks-report.ts";

const MAX_WITNESS_LENGTH = 2_000;

/** Renders a comparison for a pull request: verdict, changes, migration and changelog. */
export function renderMarkdown(comparison: Comparison): string {
  const { breakage, unapproved } = comparison;
  const changes = inOrder(breakage.changes);
  const breaking = changes.filter(isBreaking);
  const compatible = changes.filter((change) => !isBreaking(change));
  const sections = [
    `## What the contract change breaks\n\n**${summaryOf(breakage)}**`,
    table(
      ["audience", "", "verdict"],
      AUDIENCES.map((one) => [one, AUDIENCE_TEXTS[one], breakage.audiences[one]]),
    ),
    changes.length > 0 &&
      table(
        ["change", ...AUDIENCES],
        changes.map((change) => [
          `\`${change.where}\`: ${escaped(change.text)}`,
          ...AUDIENCES.map((one) => change.audiences[one]),
        ]),
      ),
    breaking.length > 0 && `### Migration\n\n${breaking.flatMap(migrationItems).join("\n")}`,
    breaking.some(({ witness }) => witness) &&
      `### Witnesses\n\n${breaking.flatMap(witnessItems).join("\n\n")}`,
    changes.length > 0 && changelog(breaking, compatible, unapproved),
  ].filter((section) => section !== false);
  return `${sections.join("\n\n")}\n`;
}

/** Renders a section for CHANGELOG.md. */
function changelog(
  breaking: readonly Change[],
  compatible: readonly Change[],
  unapproved: readonly Change[],
): string {
  const item = (change: Change) => {
    const broken = audiencesOf(change, "breaking");
    const note = broken.length > 0 ? ` (${broken.join(", ")})` : "";
    const approval = broken.length > 0 && !unapproved.includes(change) ? ", approved" : "";
    return `- \`${change.where}\`: ${escaped(change.text)}${note}${approval}`;
  };
  const list = (title: string, changes: readonly Change[]) =>
    changes.length > 0 ? [`#### ${title}\n\n${changes.map(item).join("\n")}`] : [];
  return ["### Changelog", ...list("Breaking", breaking), ...list("Compatible", compatible)].join(
    "\n\n",
  );
}

function migrationItems({ where, text, migration = [] }: Change): string[] {
  return [`- \`${where}\`: ${escaped(text)}`, ...migration.map((step) => `  - ${escaped(step)}`)];
}

function witnessItems({ witnesses = [] }: Change): string[] {
  return witnesses.map(({ message, accepts, rejects, error, payload }) => {
    const text = JSON.stringify(payload, null, 2);
    const shown =
      text.length > MAX_WITNESS_LENGTH ? `${text.slice(0, MAX_WITNESS_LENGTH)}\n…` : text;
    const head = `\`${message}\` is valid in the ${accepts} contract but not in the ${rejects}`;
    return `${head}: ${escaped(error)}\n\n\`\`\`json\n${shown}\n\`\`\``;
  });
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function escaped(text: string): string {
  return text.replace(/[|<>*_\\]/g, "\\$&").replace(/\s+/g, " ");
}
