import { parseExpiringEntries } from "../expiring-entries.ts";
import { type Breakage, type Change, isBreaking } from "./change.ts";

/** A breaking change that the owner accepts, and until when. */
interface Approval {
  readonly pointer: string;
  readonly kind: string;
  /** The text of the change in the report. A later change at the same place has another text. */
  readonly text: string;
  readonly reason: string;
  readonly author: string;
  /** The last day, YYYY-MM-DD. */
  readonly expires: string;
}

/** The approvals of a comparison, by status. */
export interface ApprovalReport {
  /** Their changes are breaking, but do not fail the run. */
  readonly approved: readonly Approval[];
  /** Their changes are not breaking or do not exist: each fails the run until it is removed. */
  readonly stale: readonly Approval[];
  /** Their last day has passed: each fails the run. */
  readonly expired: readonly Approval[];
}

/**
 * Reads approvals: a JSON array of
 * `{"pointer", "kind", "text", "reason", "author", "expires"}`.
 *
 * @throws {TxfeedError} `usage` that names the invalid entry.
 */
export function parseApprovals(text: string): readonly Approval[] {
  const names = ["pointer", "kind", "text", "reason", "author", "expires"] as const;
  return parseExpiringEntries(text, "a file of approvals", names, ["pointer"]);
}

/**
 * Sorts approvals by their status in a comparison.
 *
 * @param today YYYY-MM-DD.
 */
export function applyApprovals(
  { changes }: Breakage,
  approvals: readonly Approval[],
  today: string,
): ApprovalReport {
  const statusOf = (approval: Approval): keyof ApprovalReport => {
    const change = changes.find((one) => covers(approval, one));
    if (!change || !isBreaking(change)) return "stale";
    return approval.expires < today ? "expired" : "approved";
  };
  const { approved = [], stale = [], expired = [] } = Object.groupBy(approvals, statusOf);
  return { approved, stale, expired };
}

/** Whether an approval is for this change. */
function covers({ pointer, kind, text }: Approval, change: Change): boolean {
  return pointer === change.pointer && kind === change.kind && text === change.text;
}

/** The breaking changes that no approval covers. */
export function unapproved({ changes }: Breakage, { approved }: ApprovalReport): Change[] {
  return changes.filter(
    (change) => isBreaking(change) && !approved.some((approval) => covers(approval, change)),
  );
}
