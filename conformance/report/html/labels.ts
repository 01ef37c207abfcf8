import type { DecidedBy } from "../../../generated/requirements.ts";
import { GROUPS, type Group, type Report, type Verdict } from "../report.ts";

/** The verdicts, the most urgent first. */
export const VERDICTS: readonly Verdict[] = [
  "failed",
  "warned",
  "passed",
  "partly",
  "skipped",
  "excluded",
];

/** The title of a group. */
export function titleOf(group: Group): string {
  const name = GROUPS[group];
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** How requirements are checked. */
export const HOW_DECIDED: Readonly<Record<DecidedBy, string>> = {
  schema: "by the schema of one body",
  rule: "by comparing fields of one body",
  sequence: "by comparing several deliveries",
  http: "by requests to the server",
  driven: "by triggering events on the server",
  client: "in the caller; no server can show it",
  open: "left open by the interface",
};

/** The number of requirements with a verdict. */
export function decidedIn({ summary: { passed, failed, warned } }: Report): number {
  return passed + failed + warned;
}

/** Formats a number with thousands separators. */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

export function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
