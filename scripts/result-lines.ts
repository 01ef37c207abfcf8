import { stripVTControlCharacters } from "node:util";

/** What came of one thing that was looked at. */
export interface CheckResult {
  readonly name: string;
  readonly version: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** What was done, or why it failed or was skipped. */
  readonly text: string;
  readonly durationMs: number;
}

const MARKS = { passed: "ok", failed: "FAILED", skipped: "skipped" } as const;

/** A line in columns, the text last as it may be long. */
export function renderResult({ name, version, outcome, text, durationMs }: CheckResult): string {
  const time = `${(durationMs / 1000).toFixed(1)} s`;
  const columns = [name.padEnd(22), version.padEnd(16), MARKS[outcome].padEnd(8), time.padStart(7)];
  return `${columns.join(" ")}  ${text}`;
}

/** The sum of all, such as `5 passed, 1 failed, 38.2 s`. */
export function renderSummary(lines: readonly CheckResult[], durationMs: number): string {
  const counts = (["passed", "failed", "skipped"] as const)
    .map((outcome) => [lines.filter((line) => line.outcome === outcome).length, outcome] as const)
    .filter(([count, outcome]) => count > 0 || outcome === "passed")
    .map((pair) => pair.join(" "));
  return [...counts, `${(durationMs / 1000).toFixed(1)} s`].join(", ");
}

/** The one line of what a program printed that says what went wrong. */
export function failureReason(printed: string): string {
  const lines = stripVTControlCharacters(printed).split("\n");
  const told = lines.map((line) => line.trim()).filter((line) => line !== "");
  return (
    told.find((line) => /^(\S+: )?(error|\w*Error)\b/.test(line)) ??
    told.at(-1) ??
    "it printed nothing"
  );
}
