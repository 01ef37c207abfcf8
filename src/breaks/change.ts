import type { Witness } from "./witness.ts";

/** The audiences of the interface. */
export const AUDIENCES = ["consumer", "caller", "implementer", "types"] as const;

export type Audience = (typeof AUDIENCES)[number];

/** `none`: the audience sees no change. `compatible`: the change breaks nothing for it. */
export type Verdict = "breaking" | "compatible" | "none";

export type Verdicts = Readonly<Record<Audience, Verdict>>;

/** One change of the contract, and its verdicts. */
export interface Change {
  /** The place in the new document, or in the old one if it is removed. */
  readonly pointer: string;
  /** For example `property-removed`. */
  readonly kind: string;
  /** The event, operation or part of a message, such as `transaction.created amount`. */
  readonly where: string;
  /** Describes the change. */
  readonly text: string;
  readonly audiences: Verdicts;
  /** The first of `witnesses`. */
  readonly witness?: Witness;
  /** A message for each direction in which the change breaks. */
  readonly witnesses?: readonly Witness[];
  /** Why an audience breaks for which there is no witness. */
  readonly reasons?: Readonly<Partial<Record<Audience, string>>>;
  /** The steps for the broken audiences, one per audience. */
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

/** `major` breaks an audience, `minor` adds, `patch` changes only words, examples or forms. */
type Bump = "major" | "minor" | "patch" | "none";

/** The result of a comparison: the changes, and which audiences they break. */
export interface Breakage {
  readonly verdict: Bump;
  readonly audiences: Verdicts;
  readonly changes: readonly Change[];
}
