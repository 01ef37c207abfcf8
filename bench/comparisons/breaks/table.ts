import type { LabelledChange } from "../../../test/breaks/corpus/index.ts";

/** Columns of the table: the parts of the contract that a change affects. */
const GROUPS = {
  events: ["event"],
  API: ["api", "document"],
  "shared by both": ["both"],
} as const satisfies Record<string, readonly LabelledChange["where"][]>;

/** A tool's verdict on a change, or its error message. */
export type ToolVerdict = { readonly isBreaking: boolean } | { readonly failed: string };

/** The verdicts of a tool in one mode. */
export interface Result {
  readonly tool: string;
  readonly mode: string;
  readonly verdicts: readonly { readonly change: LabelledChange; readonly verdict: ToolVerdict }[];
}

/** Checks whether a change breaks consumers or callers, which is what these tools report. */
export const isBreakingForClients = ({ expected: { consumer, caller } }: LabelledChange) =>
  consumer === "breaking" || caller === "breaking";

/** Compares a tool's verdict with the label. */
export function outcomeOf(change: LabelledChange, verdict: ToolVerdict) {
  if ("failed" in verdict) return "failed";
  const isExpected = isBreakingForClients(change);
  if (verdict.isBreaking === isExpected) return "right";
  return verdict.isBreaking ? "false break" : "missed break";
}

/** Renders the cell of one group of changes. */
function cell({ verdicts }: Result, group: keyof typeof GROUPS): string {
  const places: readonly string[] = GROUPS[group];
  const outcomes = verdicts
    .filter(({ change }) => places.includes(change.where))
    .map(({ change, verdict }) => outcomeOf(change, verdict));
  const count = (outcome: string) => outcomes.filter((other) => other === outcome).length;
  const right = count("right");
  const failed = count("failed");
  if (failed === outcomes.length && failed > 0) return "refused";
  const share = outcomes.length === 0 ? "" : ` (${Math.round((100 * right) / outcomes.length)} %)`;
  const wrong = [`${count("false break")} false`, `${count("missed break")} missed`];
  if (failed > 0) wrong.push(`${failed} failed`);
  return `${right} of ${outcomes.length}${share}; ${wrong.join(", ")}`;
}

/** Renders the table in Markdown, and the first error message of each tool. */
export function renderTable(results: readonly Result[]): string[] {
  const groups = Object.keys(GROUPS) as (keyof typeof GROUPS)[];
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const messages = results.flatMap(({ tool, mode, verdicts }) => {
    const found = verdicts.find(({ verdict }) => "failed" in verdict);
    if (found === undefined || !("failed" in found.verdict)) return [];
    return [`${tool}, ${mode}, on ${found.change.name}: ${found.verdict.failed}`];
  });
  return [
    row(["tool", "documents", ...groups]),
    row(["---", "---", ...groups.map(() => "---")]),
    ...results.map((result) =>
      row([result.tool, result.mode, ...groups.map((group) => cell(result, group))]),
    ),
    "",
    ...messages,
  ];
}
