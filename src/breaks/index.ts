export { applyApprovals, parseApprovals, unapproved } from "./approvals.ts";
export { CaptureComparison } from "./captures.ts";
export { compareDocuments, compareSides, type Sides, sidesOf } from "./compare.ts";
export { readDocument, readFromGit } from "./reference.ts";
