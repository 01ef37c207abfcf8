import type { ClaimId, RequirementId, Situation } from "../../generated/requirements.ts";
import { counted } from "../../src/text.ts";
import type { Capability } from "../target.ts";
import { type CheckReport, type ClaimReport, isLeftOut, type RequirementReport } from "./report.ts";

/** What a run left open, for one reason. */
interface OpenItem {
  /** A claim, or a requirement whose claims the report does not list. */
  readonly id: ClaimId | RequirementId;
  readonly requirement: RequirementId;
  /** Whether the claim is undecided; otherwise it was checked, but not in all situations. */
  readonly isUndecided: boolean;
  /** The situations that were not met. */
  readonly situations: readonly Situation[];
  readonly reason: string;
  readonly hint?: string;
  /** The fewest options and verbs with which a check could decide it. */
  readonly missing: readonly Capability[];
}

/** The undecided claims, and the other claims with unmet situations, of what was selected. */
function openItems(all: readonly RequirementReport[]): OpenItem[] {
  return all
    .filter((one) => !isLeftOut(one) && one.verdict !== "excluded")
    .flatMap((one): OpenItem[] => {
      const { id, verdict, claims = [], checks, reason = "", hint } = one;
      if (claims.length > 0) return claims.flatMap((claim) => openItemsOf(claim, one));
      if (verdict !== "skipped" && verdict !== "partly") return [];
      const missing = fewestMissing(checks);
      const base = { id, requirement: id, isUndecided: true, situations: [], reason, missing };
      return [{ ...base, ...(hint !== undefined && { hint }) }];
    });
}

function openItemsOf(claim: ClaimReport, { id, checks }: RequirementReport): OpenItem[] {
  const own = checks.filter((check) => check.claims?.some((each) => each.id === claim.id));
  const base = { id: claim.id, requirement: id, missing: fewestMissing(own) };
  const unmet = (claim.situations ?? []).filter(({ met }) => !met);
  if (claim.verdict === "undecided") {
    const { reason = "", hint } = claim;
    const situations = unmet.map(({ name }) => name);
    return [
      { ...base, isUndecided: true, situations, reason, ...(hint !== undefined && { hint }) },
    ];
  }
  const byReason = Map.groupBy(unmet, ({ reason, hint }) => JSON.stringify([reason, hint]));
  return [...byReason.values()].map((members): OpenItem => {
    const [{ reason = "", hint } = {}] = members;
    const situations = members.map(({ name }) => name);
    return {
      ...{ ...base, isUndecided: false, situations, reason },
      ...(hint !== undefined && { hint }),
    };
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
  const claimCounts = new Map(all.map(({ id, claims = [] }) => [id, Math.max(1, claims.length)]));
  return byReason(openItems(all).filter(({ isUndecided }) => isUndecided))
    .map(({ members, ...why }): OpenGroup => {
      const ids = [...Map.groupBy(members, ({ requirement }) => requirement)].flatMap(
        ([requirement, own]) =>
          own.length === claimCounts.get(requirement) ? [requirement] : own.map(({ id }) => id),
      );
      return { ...why, ids, claims: members.length };
    })
    .sort((a, b) => b.claims - a.claims);
}

/** The situations of decided claims that were not met, of one reason. */
export interface UnmetGroup {
  readonly reason: string;
  readonly hint?: string;
  readonly claims: readonly Pick<OpenItem, "id" | "situations">[];
  /** The number of situations. */
  readonly situations: number;
}

/** Groups the situations in which decided claims were not checked, the largest group first. */
export function unmetGroups(all: readonly RequirementReport[]): readonly UnmetGroup[] {
  return byReason(openItems(all).filter(({ isUndecided }) => !isUndecided))
    .map(({ members, ...why }): UnmetGroup => {
      const claims = members.map(({ id, situations }) => ({ id, situations }));
      return { ...why, claims, situations: situationsIn(members) };
    })
    .sort((a, b) => b.situations - a.situations);
}

function byReason(items: readonly OpenItem[]) {
  const groups = Map.groupBy(items, ({ reason, hint }) => JSON.stringify([reason, hint]));
  return [...groups.values()].map((members) => {
    const [{ reason = "", hint } = {}] = members;
    return { reason, ...(hint !== undefined && { hint }), members };
  });
}

function situationsIn(items: readonly Pick<OpenItem, "situations">[]): number {
  return items.reduce((sum, { situations }) => sum + situations.length, 0);
}

/** What an option or a verb that the run lacks would decide. */
interface Gain {
  /** What to do: "implement `clearSca`", "give --writes". */
  readonly action: string;
  /** The number of claims that need it, and of unmet situations. */
  readonly claims: number;
  readonly situations: number;
  /** Those that need nothing else. */
  readonly alone: { readonly claims: number; readonly situations: number };
}

/** Sums up what each missing option or verb would decide, the most useful first. */
export function gainsOf(all: readonly RequirementReport[]): readonly Gain[] {
  const items = openItems(all);
  const wanted = new Set(items.flatMap(({ missing }) => missing));
  return [...wanted]
    .map((capability): Gain => {
      const own = items.filter(({ missing }) => missing.includes(capability));
      const alone = amountOf(own.filter(({ missing }) => missing.length === 1));
      return { action: actionFor(capability), ...amountOf(own), alone };
    })
    .sort(
      (a, b) =>
        b.claims - a.claims || b.alone.claims - a.alone.claims || b.situations - a.situations,
    );
}

function amountOf(items: readonly OpenItem[]): Gain["alone"] {
  const claims = items.filter(({ isUndecided }) => isUndecided).length;
  return { claims, situations: situationsIn(items) };
}

const ACTIONS: Readonly<Record<Exclude<Capability, `verb:${string}`>, string>> = {
  state: "give --profile full, and a server with state",
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

/** Such as "+11 claims, +4 situations (alone: +3, +1)" or "+11 claims (only with others)". */
export function gainText({ claims, situations, alone }: Gain): string {
  const all = amountText({ claims, situations });
  if (alone.claims === claims && alone.situations === situations) return all;
  if (alone.claims + alone.situations === 0) return `${all} (only with others)`;
  const isBoth = claims > 0 && situations > 0 && alone.claims > 0 && alone.situations > 0;
  const own = isBoth ? `+${alone.claims}, +${alone.situations}` : amountText(alone);
  return `${all} (alone: ${own})`;
}

function amountText({ claims, situations }: Gain["alone"]): string {
  const parts = [
    ...(claims > 0 ? [`+${counted(claims, "claim")}`] : []),
    ...(situations > 0 ? [`+${counted(situations, "situation")}`] : []),
  ];
  return parts.join(", ");
}
