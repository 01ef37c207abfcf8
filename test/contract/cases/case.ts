import type { RequirementId } from "../../../generated/requirements.ts";
import type { Networks } from "../../../src/contract/index.ts";
import type { Payload } from "./payload.ts";

/**
 * What is to be said of a payload:
 * - `valid`: it passes with no error and no warning; a notice may stand beside;
 * - `silent`: it passes with no finding at all;
 * - `invalid`: it is refused, with an error that names the requirement;
 * - `derived`: it passes, with a warning that names the requirement;
 * - `notice`: it passes, with a notice that names the requirement.
 */
export type Expectation = "valid" | "silent" | "invalid" | "derived" | "notice";

/** One payload, and what the interface says of it. */
export interface Case {
  readonly requirement: RequirementId;
  /** The fact that sets the payload apart; it completes "a payload in which". */
  readonly title: string;
  readonly payload: Payload;
  readonly expect: Expectation;
  /**
   * Other requirements that the same fault breaks, each as good a name for it. Where there are none
   * the findings have to name exactly the requirement and nothing else.
   */
  readonly also?: readonly RequirementId[] | undefined;
  /** The codes of the card networks, where they are not the interface's placeholders. */
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
