import { exclusions } from "../../generated/exclusions.ts";
import {
  type ClaimId,
  claimIds,
  claims,
  type RequirementId,
  requirementIds,
  requirements,
} from "../../generated/requirements.ts";
import { counted, type TextStyle } from "../../src/text.ts";
import { type Check, requirementOf } from "../check.ts";
import { drivenChecks, httpChecks, webhookChecks } from "../checks/index.ts";
import { GROUPS, groupOf } from "../report/report.ts";
import { isSelected } from "../run/run-checks.ts";

/** The checks by kind. */
const WAYS: Readonly<Record<string, readonly Check[]>> = {
  http: httpChecks,
  webhooks: webhookChecks,
  driven: drivenChecks,
};

/**
 * Renders the catalogue, one line per requirement: the kinds of its checks, or why it is excluded.
 *
 * @param only Groups or ids; default: all.
 * @param withClaims Whether to list each claim too, with its checks and its situations.
 */
export function renderList(
  only: readonly string[] | undefined,
  style: TextStyle,
  withClaims = false,
): string {
  const ids = requirementIds.filter((id) => isSelected(id, only));
  const widest = Math.max(...ids.map((id) => waysOf(id).length));
  const groups = Map.groupBy(ids, groupOf);
  return [
    ...[...groups].flatMap(([group, members]) => [
      `${style.bold(group)} ${style.dim(GROUPS[group])}`,
      ...members.flatMap((id) => [
        `  ${renderLine(id, widest, style)}`,
        ...(withClaims ? claimsOf(id).flatMap((claim) => renderClaim(claim, style)) : []),
      ]),
      "",
    ]),
    "A violation of a derived requirement is a warning; with --strict it is a failure.",
    renderSum(ids),
  ].join("\n");
}

/**
 * The catalogue for `--list --json`.
 *
 * @param only Groups or ids; default: all.
 * @param withClaims Whether to list each claim too, with its checks and its situations.
 */
export function listOf(only: readonly string[] | undefined, withClaims: boolean) {
  const ids = requirementIds.filter((id) => isSelected(id, only));
  return {
    requirements: ids.map((id) => {
      const { text, derived } = requirements[id];
      const excluded = exclusions[id];
      return {
        ...{ id, group: groupOf(id), text, derived, checks: waysOfRequirement(id) },
        ...(excluded !== undefined && { excluded }),
        ...(withClaims && {
          claims: claimsOf(id).map((claim) => {
            const { text: statement, at, situations } = claims[claim];
            return { id: claim, text: statement, at, checks: waysOfClaim(claim), situations };
          }),
        }),
      };
    }),
  };
}

function renderLine(id: RequirementId, widest: number, style: TextStyle): string {
  const { text, derived } = requirements[id];
  const mark = style.warn(derived ? "derived" : "       ");
  const excluded = exclusions[id];
  const reason = excluded === undefined ? "" : style.dim(` (${excluded})`);
  return `${id.padEnd(7)}  ${style.dim(waysOf(id).padEnd(widest))}  ${mark}  ${text}${reason}`;
}

function claimsOf(requirement: RequirementId): ClaimId[] {
  return claimIds.filter((claim) => claims[claim].requirement === requirement);
}

/** The kinds of the checks that decide a claim. */
function waysOfClaim(id: ClaimId): string[] {
  return Object.entries(WAYS)
    .filter(([, checks]) => checks.some((check) => check.claims?.includes(id)))
    .map(([way]) => way);
}

/** Renders a claim in one line, and its situations in the next. */
function renderClaim(id: ClaimId, style: TextStyle): string[] {
  const { text, at, situations } = claims[id];
  const how = style.dim(`${waysOfClaim(id).join(" ") || "no check"}; ${at}`);
  return [
    `    ${id}  ${text} ${how}`,
    ...(situations.length > 0 ? [`      in ${situations.join(", ")}`] : []),
  ];
}

function waysOf(id: RequirementId): string {
  if (exclusions[id] !== undefined) return "excluded";
  return waysOfRequirement(id).join(" ") || "no check";
}

/** The kinds of the checks of a requirement. */
function waysOfRequirement(id: RequirementId): string[] {
  const ways = Object.entries(WAYS).filter(([, checks]) => countOf(checks, [id]) > 0);
  return ways.map(([way]) => way);
}

function countOf(checks: readonly Check[], ids: readonly RequirementId[]): number {
  return checks.filter((check) => ids.includes(requirementOf(check))).length;
}

function renderSum(ids: readonly RequirementId[]): string {
  const excluded = ids.filter((id) => exclusions[id] !== undefined).length;
  const counts = Object.entries(WAYS).map(([way, checks]) => `${countOf(checks, ids)} ${way}`);
  const all = counted(ids.length, "requirement");
  const stated = ids.flatMap(claimsOf);
  const cells = stated.reduce((sum, id) => sum + claims[id].situations.length, 0);
  const rest = `${counted(stated.length, "claim")} in ${counted(cells, "situation")}`;
  return `${all}, ${excluded} excluded; checks: ${counts.join(", ")}; ${rest}`;
}
