import type { RequirementId } from "../../../generated/requirements.ts";
import { describeValue } from "../describe.ts";
import { type Finding, findingOf, noticeOf, warningOf } from "../finding.ts";
import type { HistoryFinding } from "./delivery.ts";

/** What a finding of a history tells. */
export interface FindingDetails {
  /** Where in the body of the delivery at work, or of the one it is about. */
  readonly path: string;
  readonly expected: string;
  /** What stands there; undefined for nothing. */
  readonly value?: unknown;
  /** The other lines concerned. */
  readonly lines?: readonly (number | undefined)[];
  /** The event that it is about, where that is not the delivery at work. */
  readonly event?: string;
}

const NOTHING: readonly HistoryFinding[] = Object.freeze([]);

/** Keeps what is found while a history is read. */
export class HistoryReporter {
  /** The line of the delivery at work; 0 when the capture has ended. */
  line = 0;
  /** The event of the delivery at work. */
  event = "";
  readonly isComplete: boolean;
  #found: HistoryFinding[] = [];

  constructor(isComplete: boolean) {
    this.isComplete = isComplete;
  }

  /** Hands over what was found since the last time. */
  take(): readonly HistoryFinding[] {
    if (this.#found.length === 0) return NOTHING;
    const found = this.#found;
    this.#found = [];
    return found;
  }

  /** Adds what was found of the payload alone. */
  add(finding: Finding): void {
    this.#found.push({ ...finding, lines: [this.line] });
  }

  /** Reports what no order of deliveries and no missing beginning can excuse. */
  violation(requirement: RequirementId, details: FindingDetails): void {
    this.#report(findingOf, requirement, details);
  }

  /** Reports what a missing beginning or overtaking deliveries can excuse (readings, 11). */
  violationIfComplete(requirement: RequirementId, details: FindingDetails): void {
    if (this.isComplete) this.violation(requirement, details);
    else this.notice(requirement, details);
  }

  /** Reports, as a warning, what the interface suggests and does not state. */
  warningIfComplete(requirement: RequirementId, details: FindingDetails): void {
    if (this.isComplete) this.#report(warningOf, requirement, details);
    else this.notice(requirement, details);
  }

  /** Reports what is worth knowing and no fault. */
  notice(requirement: RequirementId, details: FindingDetails): void {
    this.#report(noticeOf, requirement, details);
  }

  #report(make: typeof findingOf, requirement: RequirementId, details: FindingDetails): void {
    const { path, expected, value, lines = [], event = this.event } = details;
    const actual = describeValue(value, path.slice(path.lastIndexOf("/") + 1));
    const found = make(requirement, `${event} ${path || "(body)"}`, {
      path,
      expected,
      actual,
    });
    const concerned = [...lines, this.line].filter((line): line is number => Boolean(line));
    this.#found.push({ ...found, lines: [...new Set(concerned)].sort((a, b) => a - b) });
  }
}
