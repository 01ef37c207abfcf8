import type { RequirementId } from "../../../generated/requirements.ts";
import type { Networks } from "../../../src/contract/index.ts";
import type { Payload } from "./payload.ts";

/**
 * The expected findings of a payload:
 * - `valid`: no error and no warning; notices are allowed;
 * - `silent`: no finding;
 * - `invalid`: an error that names the requirement;
 * - `derived`: a warning that names the requirement, and no error;
 * - `notice`: a notice that names the requirement, and no error.
 */
export type Expectation = "valid" | "silent" | "invalid" | "derived" | "notice";

/** One payload with its expected findings. */
export interface Case {
  readonly requirement: RequirementId;
  /** The payload's distinguishing fact; it completes "a payload in which". */
  readonly title: string;
  readonly payload: Payload;
  readonly expect: Expectation;
  /**
   * Other requirements that the same deviation breaks; findings may name any of them. Without it,
   * the findings must name exactly the requirement.
   */
  readonly also?: readonly RequirementId[] | undefined;
  /** The card network codes. Default: the interface's placeholders. */
  readonly networks?: Networks;
}

type Draft = Omit<Case, "requirement">;
type More = Pick<Case, "also" | "networks">;

const expecting =
  (expect: Expectation) =>
  (title: string, payload: Payload, more: More = {}): Draft => ({
    title,
    payload,
    expect,
    ...more,
  });

export const valid = expecting("valid");
export const silent = expecting("silent");
export const invalid = expecting("invalid");
export const derived = expecting("derived");
export const notice = expecting("notice");

/** The cases of a requirement. */
export const casesOf = (requirement: RequirementId, drafts: readonly Draft[]): Case[] =>
  drafts.map((draft) => ({ requirement, ...draft }));
