import type { ApprovalReport } from "../breaks/approvals.ts";
import type { CaptureReport } from "../breaks/captures.ts";
import {
  type Audience,
  audiencesOf,
  type Breakage,
  type Change,
  isBreaking,
} from "../breaks/change.ts";
import { counted } from "../text.ts";

/** The result of a comparison. */
export interface Comparison {
  /** The name of the old document, as given. */
  readonly old: string;
  readonly new: string;
  readonly breakage: Breakage;
  readonly approvals: ApprovalReport;
  /** The breaking changes that no approval covers. */
  readonly unapproved: readonly Change[];
  readonly captures?: CaptureReport | undefined;
}

/** Describes each audience. */
export const AUDIENCE_TEXTS: Readonly<Record<Audience, string>> = {
  consumer: "receives webhooks",
  caller: "calls the API",
  implementer: "runs a server",
  types: "compiles with the types",
};

/** Sorts changes: breaking ones first, then in the order of the document. */
export function inOrder(changes: readonly Change[]): Change[] {
  return changes.toSorted((a, b) => Number(isBreaking(b)) - Number(isBreaking(a)));
}

/** Whether the comparison fails. With captures, only their messages decide. */
export function fails({ unapproved, approvals, captures }: Comparison): boolean {
  const { approved, stale, expired } = approvals;
  if (stale.length + expired.length > 0) return true;
  if (captures === undefined) return unapproved.length > 0;
  // An invalid message proves a break, even if the comparison did not find it.
  return captures.broken.length > 0 && (unapproved.length > 0 || approved.length === 0);
}

/** Summarizes the verdict: `major: 2 breaking changes (consumer, types), 1 compatible`. */
export function summaryOf(breakage: Breakage): string {
  const { verdict, changes } = breakage;
  if (verdict === "none") return "none: the documents are the same";
  if (verdict === "patch") return "patch: only descriptions, examples or notation differ";
  const breaking = changes.filter(isBreaking).length;
  const broken = audiencesOf(breakage, "breaking");
  const compatible = changes.length - breaking;
  const parts = [
    ...(breaking > 0 ? [`${counted(breaking, "breaking change")} (${broken.join(", ")})`] : []),
    ...(compatible > 0 ? [counted(compatible, "compatible change")] : []),
  ];
  return `${verdict}: ${parts.join(", ")}`;
}

/** Renders a comparison for `--format json`. */
export function renderJson({ breakage, approvals, unapproved, captures }: Comparison): string {
  const { verdict, audiences, changes } = breakage;
  const listed = inOrder(changes).map((change) => ({
    ...change,
    ...(isBreaking(change) && { approved: !unapproved.includes(change) }),
  }));
  const { stale, expired } = approvals;
  const report = {
    ...{ verdict, audiences, changes: listed },
    ...(stale.length > 0 && { staleApprovals: stale }),
    ...(expired.length > 0 && { expiredApprovals: expired }),
    ...(captures && { captures }),
  };
  return `${JSON.stringify(report)}\n`;
}
