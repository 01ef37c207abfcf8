import type { RequirementId } from "../../generated/requirements.ts";
import type { RequirementReport } from "./report.ts";

/** The titles of requirement groups by id prefix, in catalogue order. */
export const GROUPS = {
  CONV: "conventions",
  AUTH: "authentication",
  SDK: "enrollment SDK",
  EP: "endpoints",
  PAGE: "pagination",
  TXN: "transactions",
  MSG: "messages",
  SUB: "card subscriptions",
  NBF: "bulk feeds",
  BLK: "bank links",
  BAC: "bank accounts",
  BTX: "bank transactions",
  MAT: "matches",
  ENR: "enrichment",
  WHK: "webhooks",
  ERR: "errors",
  VER: "versioning",
} as const;

export type Group = keyof typeof GROUPS;

export const groups = Object.keys(GROUPS) as Group[];

export function groupOf(id: RequirementId): Group {
  return id.slice(0, id.indexOf("-")) as Group;
}

/** Whether a run checked a requirement and reached a verdict. */
export function isDecided({ verdict }: RequirementReport): boolean {
  return verdict === "passed" || verdict === "failed" || verdict === "warned";
}

/**
 * The selected requirements by group. A run of some groups omits the groups of which it has only
 * excluded requirements.
 */
export function selectedGroups(
  all: readonly RequirementReport[],
): readonly (readonly [Group, readonly RequirementReport[]])[] {
  const selected = all.filter((requirement) => !isLeftOut(requirement));
  const groups = [...Map.groupBy(selected, ({ id }) => groupOf(id))];
  const checked = groups.filter(([, members]) => members.some((one) => one.verdict !== "excluded"));
  return selected.length < all.length && checked.length > 0 ? checked : groups;
}

/** Whether a requirement is not selected by the run's `only`. */
export function isLeftOut({ verdict, reason }: RequirementReport): boolean {
  return verdict === "skipped" && reason === "not selected";
}
