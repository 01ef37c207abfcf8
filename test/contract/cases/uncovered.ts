import type { RequirementId } from "../../../generated/requirements.ts";

/** Requirements marked `schema` or `rule` that one payload can't show, and why. */
export const NOT_IN_ONE_PAYLOAD: Partial<Record<RequirementId, string>> = {
  "MSG-12": "It compares the projection in a transaction with the standalone message.",
};

/** Requirements that a payload can only break together with another, and why. */
export const NEVER_ISOLATED: Partial<Record<RequirementId, string>> = {
  "EP-04": "A body that is not a transaction also lacks fields such as supersededMessageIds.",
  "EP-05": "A body that is not a message also lacks the fields of a message.",
};
