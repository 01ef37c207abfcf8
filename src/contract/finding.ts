import { derivedClaims } from "../../generated/derived.ts";
import type { ClaimId, RequirementId } from "../../generated/requirements.ts";
import { inOneLine } from "./describe.ts";

/**
 * The severity of a finding:
 * - `error`: violates a claim that the interface states;
 * - `warning`: violates a claim that is derived from the interface, or a derived part of one;
 * - `notice`: never a failure, such as a deviation of the experimental event.
 */
export type Level = "error" | "warning" | "notice";

/** One way in which a payload or a server deviates from a requirement. */
export interface Finding {
  /** The requirement that is broken. */
  readonly requirement: RequirementId;
  /** The statement of the requirement that is violated; absent if it has no statements (ERR-02). */
  readonly claim?: ClaimId;
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

/** A finding of a claim. */
export type ClaimFinding = Finding & Comparison & { readonly claim: ClaimId };

/**
 * Creates a finding: a warning if the claim is derived, otherwise an error.
 *
 * @param location The event or operation and the path in it, for the message.
 */
export function findingOf(claim: ClaimId, location: string, comparison: Comparison): ClaimFinding {
  const level = derivedClaims.has(claim) ? "warning" : "error";
  return createFinding(level, claim, location, comparison);
}

/** Creates a warning: the violated part of the claim is not stated in the interface. */
export function warningOf(claim: ClaimId, location: string, comparison: Comparison): ClaimFinding {
  return createFinding("warning", claim, location, comparison);
}

/** Creates a notice, which is never a failure. */
export function noticeOf(claim: ClaimId, location: string, comparison: Comparison): ClaimFinding {
  return createFinding("notice", claim, location, comparison);
}

function createFinding(
  level: Level,
  claim: ClaimId,
  location: string,
  comparison: Comparison,
): ClaimFinding {
  const { path, actual } = comparison;
  const requirement = claim.slice(0, claim.indexOf(".")) as RequirementId;
  const expected = inOneLine(comparison.expected);
  const message = `${location}: expected ${expected}, got ${actual}`;
  return { requirement, claim, level, path, message, expected, actual };
}
