import type { RequirementId } from "../../../generated/requirements.ts";

/** Requirements marked `schema` or `rule` that one payload can't show, and why. */
export const NOT_IN_ONE_PAYLOAD: Partial<Record<RequirementId, string>> = {
  "MSG-12": "It compares the projection in a transaction with the standalone message.",
};

/** Requirements that a payload can only break together with another, and why. */
export const NEVER_ALONE: Partial<Record<RequirementId, string>> = {
  "EP-04": "What is no transaction lacks the fields of one, supersededMessageIds among them.",
  "EP-05": "What is no message lacks the fields of one.",
};
