import type { ClaimId, RequirementId } from "../../generated/requirements.ts";
import { counted, shortened } from "../../src/text.ts";
import type { Capability } from "../target.ts";
import type { CheckReport, OpenReason, RequirementReport } from "./report.ts";

// What a run left open, and what would decide it.

/** The most characters of a text of the target, or of a user, that a format shows. */
export const MAX_TEXT = 400;

type Id = RequirementId | ClaimId;

/** Ids, which a page links, and text about them. */
export interface Item {
  readonly ids: readonly Id[];
  readonly text: string;
}

/** Claims that were not decided, or situations that were not met, for one reason. */
export interface OpenGroup extends OpenReason {
  /** Such as "2 claims not decided". */
  readonly title: string;
  /** The number of claims, or of situations. */
  readonly count: number;
  readonly items: readonly Item[];
}

/** A claim that is undecided, or its situations that were not met for one reason. */
export interface OpenItem extends OpenReason {
  readonly id: ClaimId;
  readonly requirement: RequirementId;
  /** The number of claims of the requirement. */
  readonly of: number;
  readonly isUndecided: boolean;
  /** The situations that were not met. */
  readonly situations: readonly string[];
  /** The fewest options and verbs with which a check could decide it. */
  readonly missing: readonly Capability[];
}

/** The claims that a run did not decide, and those whose situations it did not all meet. */
export function openItems(all: readonly RequirementReport[]): OpenItem[] {
  return all.flatMap(({ id: requirement, claims = [], checks }) =>
    claims.flatMap((claim) => {
      const own = checks.filter((check) => check.claims?.some(({ id }) => id === claim.id));
      const isUndecided = claim.verdict === "undecided";
      const unmet = (claim.situations ?? []).filter(({ met }) => !met);
      const base = { id: claim.id, requirement, of: claims.length, missing: fewestMissing(own) };
      const groups = isUndecided ? [unmet] : [...Map.groupBy(unmet, whyOf).values()];
      return groups.map((members): OpenItem => {
        const { reason, hint } = (isUndecided ? claim : members[0]) ?? {};
        const why = { ...(reason && { reason }), ...(hint && { hint }) };
        return { ...base, isUndecided, situations: members.map(({ name }) => name), ...why };
      });
    }),
  );
}

/** A reason, and how to change that, in one line. */
export function whyOf({ reason = "", hint }: OpenReason): string {
  return hint === undefined ? reason : `${reason} → ${hint}`;
}

/** Of the skipped checks that lack something, the list of the one that lacks the least. */
function fewestMissing(checks: readonly CheckReport[]): readonly Capability[] {
  const lists = checks.flatMap(({ missing = [] }) => (missing.length > 0 ? [missing] : []));
  return lists.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

/** The undecided claims, or the unmet situations of decided ones, by reason, most first. */
export function openGroups(all: readonly OpenItem[], isUndecided: boolean): OpenGroup[] {
  const chosen = all.filter((one) => one.isUndecided === isUndecided);
  return [...Map.groupBy(chosen, whyOf).values()]
    .map((members): OpenGroup => {
      const { reason = "", hint } = members[0] as OpenItem;
      const described = isUndecided ? undecided(members) : unmet(members);
      return { reason: shortened(reason, MAX_TEXT), ...(hint && { hint }), ...described };
    })
    .sort((a, b) => b.count - a.count);
}

function undecided(members: readonly OpenItem[]) {
  const count = members.length;
  const ids = [...Map.groupBy(members, (one) => one.requirement)].flatMap(
    ([id, own]): Item["ids"] => (own.length === own[0]?.of ? [id] : own.map((one) => one.id)),
  );
  return { title: `${counted(count, "claim")} not decided`, count, items: [{ ids, text: "" }] };
}

function unmet(members: readonly OpenItem[]) {
  const count = situationsIn(members);
  const title = `${counted(count, "situation")} of ${counted(members.length, "claim")} not met`;
  const items = members.map((one) => ({ ids: [one.id], text: one.situations.join(" ") }));
  return { title, count, items };
}

function situationsIn(members: readonly OpenItem[]): number {
  return members.reduce((sum, { situations }) => sum + situations.length, 0);
}

/** What would decide more, and how many claims or situations it would decide. */
export interface Gain {
  readonly action: string;
  readonly gain: string;
}

const ACTIONS: Readonly<Record<Exclude<Capability, `verb:${string}`>, string>> = {
  state: "give --profile full, and a server with state",
  sdkCredentials: "give --sdk-client-id and --sdk-client-secret",
  secondAccount: "give --second-account",
  writes: "give --writes",
  incompleteLink: "give --bank-link",
  deliveries: "give --webhook-listen",
};

/** Sums up what each missing option or verb would decide. */
export function gainsOf(items: readonly OpenItem[]): Gain[] {
  const amountOf = (own: readonly OpenItem[]) => ({
    claims: own.filter(({ isUndecided }) => isUndecided).length,
    situations: situationsIn(own),
  });
  return [...new Set(items.flatMap(({ missing }) => missing))]
    .map((capability) => {
      const own = items.filter(({ missing }) => missing.includes(capability));
      const alone = amountOf(own.filter(({ missing }) => missing.length === 1));
      const action = capability.startsWith("verb:")
        ? `implement \`${capability.slice("verb:".length)}\``
        : ACTIONS[capability as keyof typeof ACTIONS];
      return { action, ...amountOf(own), alone };
    })
    .sort((a, b) => b.claims - a.claims || b.situations - a.situations)
    .map(({ action, claims, situations, alone }) => {
      const [all, own, noun] =
        claims > 0 ? [claims, alone.claims, "claim"] : [situations, alone.situations, "situation"];
      const share = own === 0 ? " (only with others)" : own === all ? "" : ` (alone: +${own})`;
      return { action, gain: `+${counted(all, noun)}${share}` };
    });
}
