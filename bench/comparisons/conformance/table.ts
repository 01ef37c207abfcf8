import type { Mutation } from "../../../mutation/mutation.ts";

/** The results of one tool. */
export interface ToolResult {
  readonly name: string;
  readonly configuration: string;
  /** The number of mutations. */
  readonly total: number;
  /** Findings on the unmodified sandbox. */
  readonly falsePositives: readonly string[];
  /** Ids of the mutations that caused a finding that the unmodified sandbox does not. */
  readonly caught: readonly string[];
  /** Runs that failed, each with the reason. */
  readonly failed: readonly string[];
  /** The mean duration of a run. */
  readonly seconds: number;
}

const percent = (part: number, whole: number) =>
  whole === 0 ? "-" : `${((100 * part) / whole).toFixed(0)} %`;

/** Renders the table, one line a row, and the total of the other tools. */
export function renderTable(results: readonly ToolResult[], chosen: readonly Mutation[]): string[] {
  const inHttp = chosen.filter(({ http }) => http !== undefined).map(({ id }) => id);
  const rows = results.map(({ name, total, falsePositives, caught, failed, seconds }) => {
    const caughtInHttp = caught.filter((id) => inHttp.includes(id)).length;
    const caughtElsewhere = caught.length - caughtInHttp;
    return [
      ...[name, `${caught.length} of ${total}`, percent(caught.length, total)],
      percent(caughtInHttp, inHttp.length),
      percent(caughtElsewhere, total - inHttp.length),
      ...[String(falsePositives.length), `${seconds.toFixed(1)} s`],
      failed.length === 0 ? "" : `${failed.length} runs failed`,
    ];
  });
  const head = ["", "caught", "", "in responses", "elsewhere", "false positives", "per run", ""];
  const widths = head.map((word, column) =>
    Math.max(...[head, ...rows].map((row) => (row[column] ?? word).length)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((text, column) => {
        const width = widths[column] ?? 0;
        return column === 0 ? text.padEnd(width) : text.padStart(width);
      })
      .join("  ")
      .trimEnd();
  const others = results.filter(({ name }) => !name.startsWith("txfeed"));
  const together = new Set(others.flatMap(({ caught }) => caught)).size;
  const share = percent(together, chosen.length);
  return [
    line(head),
    ...rows.map(line),
    "",
    `The other tools together catch ${together} of ${chosen.length}: ${share}.`,
    "None of them receives deliveries or drives a server, so they cannot catch mutations there.",
    ...results.map(({ name, configuration }) => `${name}: ${configuration}.`),
  ];
}
