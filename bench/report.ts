import { styleText } from "node:util";

/** A table: a line of titles, and lines of cells. The first column is names, the rest figures. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What a reader has to know of it, a line each. */
  readonly notes?: readonly string[];
}

/** A target of the interface's users, and what came out. */
export interface Target {
  readonly what: string;
  readonly limit: string;
  readonly measured: string;
  /** null where it could not be measured. */
  readonly isMet: boolean | null;
}

/** What a part of the bench has to say. */
export interface SectionReport {
  readonly tables: readonly Table[];
  readonly targets: readonly Target[];
}

type Style = Parameters<typeof styleText>[0];

/** Colours only what a person looks at. */
function styled(style: Style, text: string): string {
  return process.stdout.isTTY ? styleText(style, text) : text;
}

/**
 * Lays lines of cells out in columns: the first to the left, the others to the right. A line of one
 * cell says why it has no figures, and may be as long as it is.
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

/** Renders a table, with an empty line behind it. */
export function renderTable({ title, columns, rows, notes = [] }: Table): string {
  const [head = "", ...lines] = aligned([["", ...columns], ...rows]);
  const parts = [styled("bold", title), "", `  ${styled("dim", head)}`];
  parts.push(...lines.map((line) => `  ${line}`));
  if (notes.length > 0) parts.push("", ...notes.map((note) => styled("dim", `  ${note}`)));
  return `${parts.join("\n")}\n`;
}

const VERDICTS = { true: "met", false: "not met", null: "not measured" } as const;
const COLOURS = { true: "green", false: "red", null: "dim" } as const;

/** Renders the targets, a line each. */
export function renderTargets(targets: readonly Target[]): string {
  const lines = targets.map(({ what, limit: asked, measured }) => [what, asked, measured]);
  const [head = "", ...rows] = aligned([["", "target", "measured"], ...lines]);
  const verdicts = targets.map(({ isMet }) => {
    const key = String(isMet) as keyof typeof VERDICTS;
    return styled(COLOURS[key], VERDICTS[key]);
  });
  const parts = rows.map((row, at) => `  ${row}   ${verdicts[at]}`);
  return [styled("bold", "Targets"), "", `  ${styled("dim", head)}`, ...parts, ""].join("\n");
}

/** A ratio as tables show it. */
export function ratioText(ratio: number): string {
  return ratio.toFixed(ratio < 10 ? 2 : 1);
}

/** A size as tables show it. */
export function kilobytesText(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

/** A target that a figure has to stay at or below. */
export function atMost(what: string, limit: number, measured: number, text: Unit): Target {
  return { what, limit: `≤ ${text(limit)}`, measured: text(measured), isMet: measured <= limit };
}

/** A target that a figure has to reach. */
export function atLeast(what: string, limit: number, measured: number, text: Unit): Target {
  return { what, limit: `≥ ${text(limit)}`, measured: text(measured), isMet: measured >= limit };
}

type Unit = (value: number) => string;
