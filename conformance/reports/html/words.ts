import type { DecidedBy } from "../../../generated/requirements.ts";
import type { Report, Verdict } from "../report.ts";

/** The verdicts: what wants looking at first, what decides nothing last. */
export const VERDICTS: readonly Verdict[] = ["failed", "warned", "passed", "skipped", "excluded"];

/** A mark for each, so that none is told by its colour alone. */
export const MARKS: Readonly<Record<Verdict, string>> = {
  passed: "✓",
  failed: "✗",
  warned: "!",
  skipped: "·",
  excluded: "–",
};

const GROUPS: Readonly<Record<string, string>> = {
  CONV: "Conventions",
  AUTH: "Authentication",
  SDK: "Enrollment SDK",
  EP: "Endpoints",
  PAGE: "Pagination",
  TXN: "Transactions",
  MSG: "Messages",
  SUB: "Card subscriptions",
  NBF: "Bulk feeds",
  BLK: "Bank links",
  BAC: "Bank accounts",
  BTX: "Bank transactions",
  MAT: "Matches",
  ENR: "Enrichment",
  WHK: "Webhooks",
  ERR: "Errors",
  VER: "Versioning",
};

/** What the requirements of a group are about. */
export function nameOfGroup(group: string): string {
  return GROUPS[group] ?? group;
}

export function groupOf(id: string): string {
  return id.slice(0, id.indexOf("-"));
}

/** How a requirement is looked at. */
export const LOOKS: Readonly<Record<DecidedBy, string>> = {
  schema: "by the shape of one body",
  rule: "by what the fields of one body say together",
  sequence: "by what several deliveries show together",
  http: "by asking the server",
  driven: "by having the server do something",
  client: "in the caller, which no server shows",
  open: "left open by the interface",
};

/** How many requirements the run really decided. */
export function decidedIn({ summary: { passed, failed, warned } }: Report): number {
  return passed + failed + warned;
}

/** A number with its thousands apart, and what it counts in the number that fits. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

export function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** Text in at most so many characters; an ellipsis says that there was more. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
