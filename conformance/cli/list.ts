import { exclusions } from "../../generated/exclusions.ts";
import {
  type ClaimId,
  claims,
  requirementIds,
  requirements,
} from "../../generated/requirements.ts";
import { counted, type TextStyle } from "../../src/text.ts";
import { type Check, claimsOfRequirement, requirementOf } from "../check.ts";
import { drivenChecks, httpChecks, webhookChecks } from "../checks/index.ts";
import { bodyChecks } from "../checks/shared/bodies.ts";
import { GROUPS, groupOf } from "../report/report.ts";
import { isSelected } from "../run/run-checks.ts";

/** The checks by kind. */
const WAYS: Readonly<Record<string, readonly Check[]>> = {
  bodies: bodyChecks,
  http: httpChecks,
  webhooks: webhookChecks,
  driven: drivenChecks,
};

/** The kinds of the checks that match. */
function waysOf(matches: (check: Check) => boolean): string[] {
  return Object.entries(WAYS).flatMap(([way, checks]) => (checks.some(matches) ? [way] : []));
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
      const checks = waysOf((check) => requirementOf(check) === id);
      return {
        ...{ id, group: groupOf(id), text, derived, checks },
        ...(excluded !== undefined && { excluded }),
        ...(withClaims && { claims: claimsOfRequirement(id).map(listedClaim) }),
      };
    }),
  };
}

function listedClaim(id: ClaimId) {
  const { text, at, situations } = claims[id];
  return {
    id,
    text,
    at,
    checks: waysOf((check) => check.claims.some((one) => one === id)),
    situations,
  };
}

type Listed = ReturnType<typeof listOf>["requirements"][number];

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
  const { requirements: listed } = listOf(only, withClaims);
  const widest = Math.max(...listed.map((one) => waysText(one).length));
  return [
    ...[...Map.groupBy(listed, ({ group }) => group)].flatMap(([group, members]) => [
      `${style.bold(group)} ${style.dim(GROUPS[group])}`,
      ...members.flatMap((one) => [
        `  ${renderLine(one, widest, style)}`,
        ...(one.claims ?? []).flatMap((claim) => renderClaim(claim, style)),
      ]),
      "",
    ]),
    "A violation of a derived requirement is a warning; with --strict it is a failure.",
    renderSum(listed),
  ].join("\n");
}

function waysText({ excluded, checks }: Listed): string {
  return excluded === undefined ? checks.join(" ") || "no check" : "excluded";
}

function renderLine(one: Listed, widest: number, style: TextStyle): string {
  const { id, text, derived, excluded } = one;
  const mark = style.warn(derived ? "derived" : "       ");
  const reason = excluded === undefined ? "" : style.dim(` (${excluded})`);
  return `${id.padEnd(7)}  ${style.dim(waysText(one).padEnd(widest))}  ${mark}  ${text}${reason}`;
}

/** Renders a claim in one line, and its situations in the next. */
function renderClaim(claim: ReturnType<typeof listedClaim>, style: TextStyle): string[] {
  const { id, text, at, checks, situations } = claim;
  const how = style.dim(`${checks.join(" ") || "no check"}; ${at}`);
  return [
    `    ${id}  ${text} ${how}`,
    ...(situations.length > 0 ? [`      in ${situations.join(", ")}`] : []),
  ];
}

function renderSum(listed: readonly Listed[]): string {
  const ids = new Set(listed.map(({ id }) => id));
  const excluded = listed.filter(({ excluded }) => excluded !== undefined).length;
  const counts = Object.entries(WAYS).map(
    ([way, checks]) => `${checks.filter((check) => ids.has(requirementOf(check))).length} ${way}`,
  );
  const stated = [...ids].flatMap(claimsOfRequirement);
  const cells = stated.reduce((sum, id) => sum + claims[id].situations.length, 0);
  const rest = `${counted(stated.length, "claim")} in ${counted(cells, "situation")}`;
  const all = counted(listed.length, "requirement");
  return `${all}, ${excluded} excluded; checks: ${counts.join(", ")}; ${rest}`;
}
