import type { RequirementId } from "../../../generated/requirements.ts";

/** Requirements marked `schema` or `rule` of which a single payload shows nothing, and why. */
export const NOT_IN_ONE_PAYLOAD: Partial<Record<RequirementId, string>> = {
  "MSG-12": "It compares the projection in a transaction with the standalone message.",
};

/** Requirements that no payload breaks without breaking another too, and why. */
export const NEVER_ALONE: Partial<Record<RequirementId, string>> = {
  "EP-04": "What is no transaction lacks the fields of one, supersededMessageIds among them.",
  "EP-05": "What is no message lacks the fields of one.",
};
