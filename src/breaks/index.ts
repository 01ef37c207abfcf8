export { applyApprovals, parseApprovals, unapproved } from "./approvals.ts";
export { CaptureComparison } from "./captures.ts";
export { compareDocuments, compareSides, type Sides, sidesOf } from "./compare.ts";
export { readDocument } from "./reference.ts";
export { readFromGit } from "./source.ts";
