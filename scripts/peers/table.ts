import type { Mutation } from "../../mutation/mutation.ts";

/** What a tool made of the faults. */
export interface Caught {
  readonly name: string;
  readonly setUp: string;
  /** How many faults there were. */
  readonly of: number;
  /** What it held against the sandbox without a fault. */
  readonly alarms: readonly string[];
  /** The faults with which it found what it did not find without. */
  readonly caught: readonly string[];
  /** The faults at which it could not look, and why. */
  readonly failed: readonly string[];
  /** How long a run took on average. */
  readonly seconds: number;
}

const percent = (part: number, whole: number) =>
  whole === 0 ? "-" : `${((100 * part) / whole).toFixed(0)} %`;

/** The table, a line each, and what the tools that are not ours catch together. */
export function renderTable(results: readonly Caught[], chosen: readonly Mutation[]): string[] {
  const inHttp = chosen.filter(({ http }) => http !== undefined).map(({ id }) => id);
  const rows = results.map(({ name, of, alarms, caught, failed, seconds }) => {
    const seen = caught.filter((id) => inHttp.includes(id)).length;
    return [
      ...[name, `${caught.length} of ${of}`, percent(caught.length, of)],
      ...[`${percent(seen, inHttp.length)}`, percent(caught.length - seen, of - inHttp.length)],
      ...[String(alarms.length), `${seconds.toFixed(1)} s`],
      failed.length === 0 ? "" : `${failed.length} runs failed`,
    ];
  });
  const head = ["", "caught", "", "in answers", "elsewhere", "false alarms", "a run", ""];
  const widths = head.map((word, at) =>
    Math.max(...[head, ...rows].map((row) => (row[at] ?? word).length)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((text, at) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0)))
      .join("  ")
      .trimEnd();
  const others = results.filter(({ name }) => !name.startsWith("txfeed"));
  const together = new Set(others.flatMap(({ caught }) => caught)).size;
  const share = percent(together, chosen.length);
  return [
    line(head),
    ...rows.map(line),
    "",
    `The others together catch ${together} of ${chosen.length}: ${share}.`,
    "None of them receives deliveries or drives a server: faults there are theirs to miss.",
    ...results.map(({ name, setUp }) => `${name}: ${setUp}.`),
  ];
}
