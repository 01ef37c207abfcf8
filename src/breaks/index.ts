export { applyApprovals, parseApprovals, unapproved } from "./approvals.ts";
export { CaptureCheck } from "./captures.ts";
export { compareDocuments, compareSides, type Sides, sidesOf } from "./compare.ts";
export { readDocument, shownByGit } from "./reference.ts";
