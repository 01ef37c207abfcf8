import type { Witness } from "./witness.ts";

/** Those who build on the interface, each in another way. */
export const AUDIENCES = ["consumer", "caller", "implementer", "types"] as const;

export type Audience = (typeof AUDIENCES)[number];

/** `none`: this audience sees no change. `compatible`: it sees one that breaks nothing. */
export type Verdict = "breaking" | "compatible" | "none";

export type Verdicts = Readonly<Record<Audience, Verdict>>;

/** One change of the contract, and what it breaks. */
export interface Change {
  /** Where the new document has it; where the old one had it if it is gone. */
  readonly pointer: string;
  /** Such as `property-removed`. */
  readonly kind: string;
  /** The event, operation or part of a message, such as `transaction.created amount`. */
  readonly where: string;
  /** What changes, in words. */
  readonly text: string;
  readonly audiences: Verdicts;
  /** The first of `witnesses`. */
  readonly witness?: Witness;
  /** A message for each direction in which the change breaks. */
  readonly witnesses?: readonly Witness[];
  /** Why an audience breaks for which there is no witness. */
  readonly reasons?: Readonly<Partial<Record<Audience, string>>>;
  /** What those that it breaks have to do, a step for each audience. */
  readonly migration?: readonly string[];
}

/** The audiences with a verdict on a change. */
export function audiencesOf(
  { audiences }: Pick<Change, "audiences">,
  verdict: Verdict,
): Audience[] {
  return AUDIENCES.filter((audience) => audiences[audience] === verdict);
}

/** Whether a change breaks an audience. */
export function isBreaking(change: Pick<Change, "audiences">): boolean {
  return audiencesOf(change, "breaking").length > 0;
}

/** `major` breaks an audience, `minor` adds, `patch` changes words, examples or forms alone. */
export type Bump = "major" | "minor" | "patch" | "none";

/** What a change of the document breaks, for whom. */
export interface Breakage {
  readonly verdict: Bump;
  readonly audiences: Verdicts;
  readonly changes: readonly Change[];
}
