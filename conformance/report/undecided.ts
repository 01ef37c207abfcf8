import type { ClaimId, RequirementId } from "../../generated/requirements.ts";
import type { Capability } from "../run/capabilities.ts";
import { isLeftOut } from "./groups.ts";
import type { CheckReport, RequirementReport } from "./report.ts";

/** What a run did not decide: a claim, or a requirement whose claims the report does not list. */
interface OpenItem {
  readonly id: ClaimId | RequirementId;
  readonly requirement: RequirementId;
  readonly reason: string;
  readonly hint?: string;
  /** The fewest options and verbs with which a check could decide it. */
  readonly missing: readonly Capability[];
}

/** The undecided claims and requirements among the selected ones. */
function openItems(all: readonly RequirementReport[]): OpenItem[] {
  return all
    .filter((one) => !isLeftOut(one) && one.verdict !== "excluded")
    .flatMap((one) => {
      const { id, verdict, claims = [], checks, reason = "", hint } = one;
      if (claims.length === 0) {
        if (verdict !== "skipped" && verdict !== "partly") return [];
        const missing = fewestMissing(checks);
        return { id, requirement: id, reason, ...(hint !== undefined && { hint }), missing };
      }
      return claims
        .filter((claim) => claim.verdict === "undecided")
        .map((claim): OpenItem => {
          const { reason: why = "", hint: advice } = claim;
          const own = checks.filter((check) => check.claims?.some((each) => each.id === claim.id));
          return {
            ...{ id: claim.id, requirement: id, reason: why, missing: fewestMissing(own) },
            ...(advice !== undefined && { hint: advice }),
          };
        });
    });
}

/** Of the skipped checks that lack something, the list of the one that lacks the least. */
function fewestMissing(checks: readonly CheckReport[]): readonly Capability[] {
  const lists = checks.flatMap(({ missing = [] }) => (missing.length > 0 ? [missing] : []));
  return lists.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

/** The undecided claims of one reason. */
export interface OpenGroup {
  readonly reason: string;
  readonly hint?: string;
  /** Claims, or a requirement if the group has all of its claims. */
  readonly ids: readonly (ClaimId | RequirementId)[];
  /** The number of claims. */
  readonly claims: number;
}

/** Groups what the run did not decide by reason, the largest group first. */
export function openGroups(all: readonly RequirementReport[]): readonly OpenGroup[] {
  const groups = Map.groupBy(openItems(all), ({ reason, hint }) => JSON.stringify([reason, hint]));
  const claimCounts = new Map(all.map(({ id, claims = [] }) => [id, Math.max(1, claims.length)]));
  return [...groups.values()]
    .map((members): OpenGroup => {
      const [{ reason, hint }] = members as [OpenItem, ...OpenItem[]];
      const ids = [...Map.groupBy(members, ({ requirement }) => requirement)].flatMap(
        ([requirement, own]) =>
          own.length === claimCounts.get(requirement) ? [requirement] : own.map(({ id }) => id),
      );
      return { reason, ...(hint !== undefined && { hint }), ids, claims: members.length };
    })
    .sort((a, b) => b.claims - a.claims);
}

/** What an option or a verb that the run lacks would decide. */
export interface Gain {
  /** What to do: "implement `clearSca`", "give --writes". */
  readonly action: string;
  /** The number of claims that need it. */
  readonly claims: number;
  /** The number of those that need nothing else. */
  readonly alone: number;
}

/** Sums up what each missing option or verb would decide, the most useful first. */
export function gainsOf(all: readonly RequirementReport[]): readonly Gain[] {
  const items = openItems(all);
  const wanted = new Set(items.flatMap(({ missing }) => missing));
  return [...wanted]
    .map((capability): Gain => {
      const own = items.filter(({ missing }) => missing.includes(capability));
      const alone = own.filter(({ missing }) => missing.length === 1).length;
      return { action: actionFor(capability), claims: own.length, alone };
    })
    .sort((a, b) => b.claims - a.claims || b.alone - a.alone);
}

const ACTIONS: Readonly<Record<Exclude<Capability, `verb:${string}`>, string>> = {
  state: "run --profile full against a server",
  sdkCredentials: "give --sdk-client-id and --sdk-client-secret",
  secondAccount: "give --second-account",
  writes: "give --writes",
  incompleteLink: "give --bank-link",
  deliveries: "give --webhook-listen",
};

function actionFor(capability: Capability): string {
  return capability.startsWith("verb:")
    ? `implement \`${capability.slice("verb:".length)}\``
    : ACTIONS[capability as keyof typeof ACTIONS];
}

/** Such as "+11 claims", "+11 claims, 3 of them alone" or "+11 claims together with others". */
export function gainText({ claims, alone }: Gain): string {
  const amount = `+${claims} ${claims === 1 ? "claim" : "claims"}`;
  if (alone === claims) return amount;
  return alone === 0 ? `${amount} together with others` : `${amount}, ${alone} of them alone`;
}
