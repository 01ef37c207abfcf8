import type { ClaimId } from "../../../generated/requirements.ts";
import { describeValue } from "../describe.ts";
import { type Finding, findingOf, noticeOf, warningOf } from "../finding.ts";
import type { HistoryFinding } from "./delivery.ts";

/** The details of a finding. */
interface FindingDetails {
  /** The place in the body of the current delivery, or of the event below. */
  readonly path: string;
  readonly expected: string;
  /** The actual value; undefined if there is none. */
  readonly value?: unknown;
  /** The other lines that the finding is about. */
  readonly lines?: readonly (number | undefined)[];
  /** The event that the finding is about, if it is not the current delivery. */
  readonly event?: string;
}

/** Receives the claim of each case in which that claim could be violated. */
export type OnCase = (claim: ClaimId) => void;

const NOTHING: readonly HistoryFinding[] = Object.freeze([]);

/**
 * Collects the findings of a history. Downgrades those that a missing start or reordering could
 * explain.
 */
export class HistoryReporter {
  /** The line of the current delivery; 0 after the end of the capture. */
  line = 0;
  /** The event of the current delivery. */
  event = "";
  readonly isComplete: boolean;
  readonly #onCase: OnCase | undefined;
  #found: HistoryFinding[] = [];

  constructor(isComplete: boolean, onCase?: OnCase) {
    this.isComplete = isComplete;
    this.#onCase = onCase;
  }

  /** Returns the findings since the last call. */
  take(): readonly HistoryFinding[] {
    if (this.#found.length === 0) return NOTHING;
    const found = this.#found;
    this.#found = [];
    return found;
  }

  /** Adds a finding about the payload of the current delivery. */
  add(finding: Finding): void {
    this.#found.push({ ...finding, lines: [this.line] });
  }

  /** Notes a case of a claim whose violations `violation` reports. */
  case(claim: ClaimId): void {
    this.#onCase?.(claim);
  }

  /** Notes a case of claims whose violations `violationIfComplete` reports. */
  caseIfComplete(...claims: readonly ClaimId[]): void {
    if (this.isComplete) for (const claim of claims) this.case(claim);
  }

  /** Reports a violation that neither reordering nor a missing start can explain. */
  violation(claim: ClaimId, details: FindingDetails): void {
    this.#report(findingOf, claim, details);
  }

  /** Reports a violation, or a notice if the capture may be incomplete. */
  violationIfComplete(claim: ClaimId, details: FindingDetails): void {
    if (this.isComplete) this.violation(claim, details);
    else this.notice(claim, details);
  }

  /** Reports a warning, or a notice if the capture may be incomplete. */
  warningIfComplete(claim: ClaimId, details: FindingDetails): void {
    if (this.isComplete) this.#report(warningOf, claim, details);
    else this.notice(claim, details);
  }

  /** Reports a notice. */
  notice(claim: ClaimId, details: FindingDetails): void {
    this.#report(noticeOf, claim, details);
  }

  #report(make: typeof findingOf, claim: ClaimId, details: FindingDetails): void {
    const { path, expected, value, lines = [], event = this.event } = details;
    const actual = describeValue(value, path.slice(path.lastIndexOf("/") + 1));
    const found = make(claim, `${event} ${path || "(body)"}`, {
      path,
      expected,
      actual,
    });
    const concerned = [...lines, this.line].filter((line): line is number => Boolean(line));
    this.#found.push({ ...found, lines: [...new Set(concerned)].sort((a, b) => a - b) });
  }
}
