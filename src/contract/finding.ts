import { derivedRequirements } from "../../generated/derived.ts";
import type { RequirementId } from "../../generated/requirements.ts";
import { inOneLine } from "./describe.ts";

/**
 * The severity of a finding:
 * - `error`: breaks a requirement that the interface states;
 * - `warning`: breaks a requirement that is derived from the interface, or a derived part of one;
 * - `notice`: never a failure, such as a deviation of the experimental event.
 */
export type Level = "error" | "warning" | "notice";

/** One way in which a payload or a server deviates from a requirement. */
export interface Finding {
  /** The requirement that is broken. */
  readonly requirement: RequirementId;
  readonly level: Level;
  /** The place in the body, as a JSON pointer; empty for the body itself. */
  readonly path: string;
  /** The finding in one line: the place, the expected value and the actual one. */
  readonly message: string;
  /** The expected value, in words. */
  readonly expected?: string;
  /** The actual value: its type and its start, but never a value that could be a secret. */
  readonly actual?: string;
}

/** The place and the two values that a finding compares. */
interface Comparison {
  readonly path: string;
  /** In words; may contain a value of the payload. */
  readonly expected: string;
  /** In one line, from `describeValue` or `inOneLine`. */
  readonly actual: string;
}

/**
 * Creates a finding: a warning if the requirement is derived, otherwise an error.
 *
 * @param location The event or operation and the path in it, for the message.
 */
export function findingOf(
  requirement: RequirementId,
  location: string,
  comparison: Comparison,
): Finding & Comparison {
  const level = derivedRequirements.has(requirement) ? "warning" : "error";
  return createFinding(level, requirement, location, comparison);
}

/** Creates a warning: the broken part of the requirement is not stated in the interface. */
export function warningOf(
  requirement: RequirementId,
  location: string,
  comparison: Comparison,
): Finding & Comparison {
  return createFinding("warning", requirement, location, comparison);
}

/** Creates a notice, which is never a failure. */
export function noticeOf(
  requirement: RequirementId,
  location: string,
  comparison: Comparison,
): Finding & Comparison {
  return createFinding("notice", requirement, location, comparison);
}

function createFinding(
  level: Level,
  requirement: RequirementId,
  location: string,
  comparison: Comparison,
): Finding & Comparison {
  const { path, actual } = comparison;
  const expected = inOneLine(comparison.expected);
  const message = `${location}: expected ${expected}, got ${actual}`;
  return { requirement, level, path, message, expected, actual };
}
