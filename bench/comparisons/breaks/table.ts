import type { LabelledChange } from "../../../test/breaks/corpus/index.ts";

/** Columns of the table: the parts of the contract that a change affects. */
const GROUPS = {
  events: ["event"],
  API: ["api", "document"],
  "shared by both": ["both"],
} as const satisfies Record<string, readonly LabelledChange["where"][]>;

/** A tool's verdict on a change, or its error message. */
export type Answer = { readonly isBreaking: boolean } | { readonly failed: string };

/** The verdicts of a tool in one mode. */
export interface Result {
  readonly tool: string;
  readonly mode: string;
  readonly answers: readonly { readonly change: LabelledChange; readonly answer: Answer }[];
}

/** Checks whether a change breaks consumers or callers, which is what these tools report. */
export const isBreakingForClients = ({ expected: { consumer, caller } }: LabelledChange) =>
  consumer === "breaking" || caller === "breaking";

/** Compares a tool's verdict with the label. */
export function outcomeOf(change: LabelledChange, answer: Answer) {
  if ("failed" in answer) return "failed";
  const isExpected = isBreakingForClients(change);
  if (answer.isBreaking === isExpected) return "right";
  return answer.isBreaking ? "false break" : "missed break";
}

/** Renders the cell of one group of changes. */
function cell({ answers }: Result, group: keyof typeof GROUPS): string {
  const places: readonly string[] = GROUPS[group];
  const outcomes = answers
    .filter(({ change }) => places.includes(change.where))
    .map(({ change, answer }) => outcomeOf(change, answer));
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
  const messages = results.flatMap(({ tool, mode, answers }) => {
    const found = answers.find(({ answer }) => "failed" in answer);
    if (found === undefined || !("failed" in found.answer)) return [];
    return [`${tool}, ${mode}, on ${found.change.name}: ${found.answer.failed}`];
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
