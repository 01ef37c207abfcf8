import type { DecidedBy } from "../../../generated/requirements.ts";
import { GROUPS, type Group } from "../groups.ts";
import type { Report, Verdict } from "../report.ts";

/** The verdicts: what wants looking at first, what decides nothing last. */
export const VERDICTS: readonly Verdict[] = ["failed", "warned", "passed", "skipped", "excluded"];

/** What the requirements of a group are about, as a title. */
export function titleOf(group: Group): string {
  const name = GROUPS[group];
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** How a requirement is looked at. */
export const HOW_DECIDED: Readonly<Record<DecidedBy, string>> = {
  schema: "by the schema of one body",
  rule: "by comparing fields of one body",
  sequence: "by comparing several deliveries",
  http: "by requests to the server",
  driven: "by triggering events on the server",
  client: "in the caller; no server can show it",
  open: "left open by the interface",
};

/** How many requirements the run really decided. */
export function decidedIn({ summary: { passed, failed, warned } }: Report): number {
  return passed + failed + warned;
}

/** A number with its thousands apart. */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

export function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
