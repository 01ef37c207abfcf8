import { derivedRequirements } from "../../generated/derived.ts";
import type { RequirementId } from "../../generated/requirements.ts";
import { inOneLine } from "./describe.ts";

/**
 * How much a finding weighs:
 * - `error`: breaks what the interface states;
 * - `warning`: breaks what was read out of the interface rather than stated in it: a requirement
 *   that is `derived`, or a part of one that is stated;
 * - `notice`: worth knowing and never a fault, such as a departure of the experimental event.
 */
export type Level = "error" | "warning" | "notice";

/** What somebody who looked at a payload or a server has to say. */
export interface Finding {
  /** The requirement that does not hold. */
  readonly requirement: RequirementId;
  readonly level: Level;
  /** Where in the body, as a JSON pointer; empty for the body itself. */
  readonly path: string;
  /** The finding in one line: what, where, what was expected and what came. */
  readonly message: string;
  /** What was expected, in words. */
  readonly expected?: string;
  /** What came: its type, and its value cut short; never a value that could be a secret. */
  readonly actual?: string;
}

/** What a finding compares, and where. */
export interface Comparison {
  readonly path: string;
  /** May repeat a value of the payload. */
  readonly expected: string;
  /** In one line: by `describe`, or by `inOneLine`. */
  readonly actual: string;
}

/**
 * Makes the finding that something is not as a requirement wants it, weighed by the requirement.
 *
 * @param location What was looked at, and where in it, for people.
 */
export function findingOf(
  requirement: RequirementId,
  location: string,
  comparison: Comparison,
): Finding & Comparison {
  const level = derivedRequirements.has(requirement) ? "warning" : "error";
  return createFinding(level, requirement, location, comparison);
}

/** Makes the finding that a part of a requirement is broken that the interface does not state. */
export function warningOf(
  requirement: RequirementId,
  location: string,
  comparison: Comparison,
): Finding & Comparison {
  return createFinding("warning", requirement, location, comparison);
}

/** Makes the finding that something is worth knowing and no fault, whatever the requirement. */
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
