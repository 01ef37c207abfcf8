import { formats } from "../contract/formats.ts";
import { type TxfeedError, UsageError } from "../errors.ts";
import { type Breakage, type Change, isBreaking } from "./change.ts";
import { isJson } from "./document.ts";

/** A breaking change that the owner accepts, and until when. */
export interface Approval {
  readonly pointer: string;
  readonly kind: string;
  /** What changes, as the report says it: a later change at the same place is another one. */
  readonly text: string;
  readonly reason: string;
  readonly author: string;
  /** The last day, YYYY-MM-DD. */
  readonly expires: string;
}

/** What the approvals mean for a comparison. */
export interface ApprovalReport {
  /** Their changes break, and do not fail the run. */
  readonly approved: readonly Approval[];
  /** Their changes break nothing or are not there: each fails the run until it is removed. */
  readonly stale: readonly Approval[];
  /** Their last day is over: each fails the run. */
  readonly expired: readonly Approval[];
}

const MEMBERS = ["pointer", "kind", "text", "reason", "author", "expires"] as const;

/**
 * Reads approvals: a JSON array of
 * `{"pointer", "kind", "text", "reason", "author", "expires"}`.
 *
 * @throws {TxfeedError} `usage` that names the entry and what is wrong with it
 */
export function parseApprovals(text: string): readonly Approval[] {
  let entries: unknown;
  try {
    entries = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    throw refusal(`it is not JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(entries)) throw refusal(`approvals are an array of {${MEMBERS.join(", ")}}`);
  return entries.map((entry, at) => approvalOf(entry, `entry ${at + 1}`));
}

function approvalOf(entry: unknown, place: string): Approval {
  if (!isJson(entry)) throw refusal(`${place} is not an object with ${MEMBERS.join(", ")}`);
  const unknown = Object.keys(entry).find((name) => !MEMBERS.includes(name as never));
  if (unknown !== undefined) {
    throw refusal(`${place} has an unknown member '${unknown}' (known: ${MEMBERS.join(", ")})`);
  }
  for (const name of MEMBERS) {
    const value = entry[name];
    if (typeof value !== "string" || (value.trim() === "" && name !== "pointer")) {
      throw refusal(`${place} has no ${name}`);
    }
  }
  const approval = entry as unknown as Approval;
  if (!formats.date(approval.expires)) {
    throw refusal(`${place} expires on '${approval.expires}', which is not a day (YYYY-MM-DD)`);
  }
  return approval;
}

function refusal(what: string): TxfeedError {
  return new UsageError(what);
}

/**
 * Sorts approvals by what they mean for a comparison.
 *
 * @param today YYYY-MM-DD.
 */
export function applyApprovals(
  { changes }: Breakage,
  approvals: readonly Approval[],
  today: string,
): ApprovalReport {
  const fate = (approval: Approval): keyof ApprovalReport => {
    const change = changes.find((one) => isFor(approval, one));
    if (!change || !isBreaking(change)) return "stale";
    return approval.expires < today ? "expired" : "approved";
  };
  const { approved = [], stale = [], expired = [] } = Object.groupBy(approvals, fate);
  return { approved, stale, expired };
}

/** Whether an approval is for this change. */
export function isFor({ pointer, kind, text }: Approval, change: Change): boolean {
  return pointer === change.pointer && kind === change.kind && text === change.text;
}

/** The breaking changes that no approval covers. */
export function unapproved({ changes }: Breakage, { approved }: ApprovalReport): Change[] {
  return changes.filter(
    (change) => isBreaking(change) && !approved.some((approval) => isFor(approval, change)),
  );
}
