export { applyApprovals, parseApprovals, unapproved } from "./approvals.ts";
export { CaptureCheck } from "./captures.ts";
export { compareDocuments, compareSides, type Sides, sidesOf } from "./compare.ts";
export { readDocument, shownByGit } from "./reference.ts";
export { type Comparison, fails, renderJson, summaryOf } from "./report.ts";
export { renderMarkdown } from "./report-markdown.ts";
export { renderSarif } from "./report-sarif.ts";
export { renderText } from "./report-text.ts";
