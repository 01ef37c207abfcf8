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
        const situations = members.map(({ name }) => name);
        return {
          ...base,
          isUndecided,
          situations,
          ...(reason && { reason }),
          ...(hint && { hint }),
        };
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

/** The claims that were not decided, by reason. */
export function undecidedIn(all: readonly OpenItem[]): OpenGroup[] {
  return grouped(
    all.filter(({ isUndecided }) => isUndecided),
    (members) => {
      const ids = [...Map.groupBy(members, (one) => one.requirement)].flatMap(([id, own]) =>
        own.length === own[0]?.of ? [id] : own.map((one) => one.id),
      );
      const title = `${counted(members.length, "claim")} not decided`;
      return { title, count: members.length, items: [{ ids, text: "" }] };
    },
  );
}

/** The situations that were not met of decided claims, by reason. */
export function unmetIn(all: readonly OpenItem[]): OpenGroup[] {
  return grouped(
    all.filter(({ isUndecided }) => !isUndecided),
    (members) => {
      const count = members.reduce((sum, { situations }) => sum + situations.length, 0);
      const of = counted(members.length, "claim");
      const title = `${counted(count, "situation")} of ${of} not met`;
      const items = members.map((one) => ({ ids: [one.id], text: one.situations.join(" ") }));
      return { title, count, items };
    },
  );
}

/** Groups what a run left open by reason, the largest group first. */
function grouped(
  items: readonly OpenItem[],
  describe: (members: readonly OpenItem[]) => Pick<OpenGroup, "title" | "count" | "items">,
): OpenGroup[] {
  return [...Map.groupBy(items, whyOf).values()]
    .map((members): OpenGroup => {
      const { reason = "", hint } = members[0] as OpenItem;
      const why = { reason: shortened(reason, MAX_TEXT), ...(hint && { hint }) };
      return { ...why, ...describe(members) };
    })
    .sort((a, b) => b.count - a.count);
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
    situations: own.reduce((sum, { situations }) => sum + situations.length, 0),
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
