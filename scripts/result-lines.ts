import { stripVTControlCharacters } from "node:util";

/** The result of one check. */
export interface CheckResult {
  readonly name: string;
  readonly version: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** Describes the check, or the reason why it failed or was skipped. */
  readonly text: string;
  readonly durationMs: number;
}

const MARKS = { passed: "ok", failed: "FAILED", skipped: "skipped" } as const;

/** Renders a result as a line of columns. */
export function renderResult({ name, version, outcome, text, durationMs }: CheckResult): string {
  const time = `${(durationMs / 1000).toFixed(1)} s`;
  const columns = [name.padEnd(22), version.padEnd(16), MARKS[outcome].padEnd(8), time.padStart(7)];
  return `${columns.join(" ")}  ${text}`;
}

/** Renders the totals, such as `5 passed, 1 failed, 38.2 s`. */
export function renderSummary(lines: readonly CheckResult[], durationMs: number): string {
  const counts = (["passed", "failed", "skipped"] as const)
    .map((outcome) => [lines.filter((line) => line.outcome === outcome).length, outcome] as const)
    .filter(([count, outcome]) => count > 0 || outcome === "passed")
    .map((pair) => pair.join(" "));
  return [...counts, `${(durationMs / 1000).toFixed(1)} s`].join(", ");
}

/** Returns the line of a program's output that describes the failure. */
export function failureReason(printed: string): string {
  const lines = stripVTControlCharacters(printed).split("\n");
  const texts = lines.map((line) => line.trim()).filter((line) => line !== "");
  return (
    texts.find((line) => /^(\S+: )?(error|\w*Error)\b/.test(line)) ?? texts.at(-1) ?? "no output"
  );
}
