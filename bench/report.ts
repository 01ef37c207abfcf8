import { styleText } from "node:util";

/** A table of figures. The first cell of each row is its name. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Explanations, one line each. */
  readonly notes?: readonly string[];
}

/** A target and its measurement. */
export interface Target {
  readonly what: string;
  readonly limit: string;
  readonly measured: string;
  /** null if it could not be measured. */
  readonly isMet: boolean | null;
}

/** The results of one section of the benchmark. */
export interface SectionReport {
  readonly tables: readonly Table[];
  readonly targets: readonly Target[];
}

type Style = Parameters<typeof styleText>[0];

/** Colours text on a terminal. */
function styled(style: Style, text: string): string {
  return process.stdout.isTTY ? styleText(style, text) : text;
}

/**
 * Aligns cells in columns, the first to the left and the others to the right. A line with a single
 * cell is a message and does not affect the widths.
 */
function aligned(lines: readonly (readonly string[])[]): string[] {
  const columns = Math.max(...lines.map((line) => line.length));
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...lines.map((line) => (line.length > 1 ? (line[at]?.length ?? 0) : 0))),
  );
  return lines.map((line) => {
    const cells = line.map((cell, at) => {
      const width = widths[at] ?? 0;
      return at === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return cells.join("   ").trimEnd();
  });
}

/** Renders a table, followed by an empty line. */
export function renderTable({ title, columns, rows, notes = [] }: Table): string {
  const [head = "", ...lines] = aligned([["", ...columns], ...rows]);
  const parts = [styled("bold", title), "", `  ${styled("dim", head)}`];
  parts.push(...lines.map((line) => `  ${line}`));
  if (notes.length > 0) parts.push("", ...notes.map((note) => styled("dim", `  ${note}`)));
  return `${parts.join("\n")}\n`;
}

const VERDICTS = { true: "met", false: "not met", null: "not measured" } as const;
const COLOURS = { true: "green", false: "red", null: "dim" } as const;

/** Renders the targets, one line each. */
export function renderTargets(targets: readonly Target[]): string {
  const lines = targets.map(({ what, limit, measured }) => [what, limit, measured]);
  const [head = "", ...rows] = aligned([["", "target", "measured"], ...lines]);
  const verdicts = targets.map(({ isMet }) => {
    const key = String(isMet) as keyof typeof VERDICTS;
    return styled(COLOURS[key], VERDICTS[key]);
  });
  const parts = rows.map((row, at) => `  ${row}   ${verdicts[at]}`);
  return [styled("bold", "Targets"), "", `  ${styled("dim", head)}`, ...parts, ""].join("\n");
}

/** Formats a ratio. */
export function ratioText(ratio: number): string {
  return ratio.toFixed(ratio < 10 ? 2 : 1);
}

/** Formats a size. */
export function kilobytesText(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

/** A target with an upper limit. */
export function atMost(what: string, limit: number, measured: number, text: Unit): Target {
  return { what, limit: `≤ ${text(limit)}`, measured: text(measured), isMet: measured <= limit };
}

/** A target with a lower limit. */
export function atLeast(what: string, limit: number, measured: number, text: Unit): Target {
  return { what, limit: `≥ ${text(limit)}`, measured: text(measured), isMet: measured >= limit };
}

type Unit = (value: number) => string;
