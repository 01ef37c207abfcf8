import {
  type ClaimId,
  claims as catalogue,
  type RequirementId,
  type Situation,
} from "../generated/requirements.ts";
import type { Capability } from "./run/capabilities.ts";
import type { Session } from "./run/session.ts";
import type { Skip } from "./run/skip.ts";
import type { Delivery, Exchange } from "./wire/exchange.ts";

export { Skip } from "./run/skip.ts";

/** A single check of a requirement: metadata and one async function. */
export interface Check {
  /** The requirement of a check without claims, which can only fail. */
  readonly requirement?: RequirementId;
  /**
   * The claims that the check decides, all of one requirement. It decides each of them if it ran
   * without a skip, unless its result lists fewer.
   */
  readonly claims?: readonly ClaimId[];
  /** The fact that the check verifies, in the present tense and under 70 characters. */
  readonly title: string;
  /** The required capabilities. A run that lacks one skips the check. */
  readonly requires: readonly Capability[];
  /**
   * Checks the target. It may use only the session, and its requests may depend only on what the
   * session returned, so that a replay gives the same result.
   *
   * @returns Resolves to the result, or to a Skip if the target had no data for the check.
   * @throws {Skip} for the same reason; any other error is an error of the suite
   */
  readonly run: (session: Session) => Promise<Found | Skip>;
}

/** The result of a check. */
export interface Found {
  /** The number of cases checked, at least 1; a check without cases returns a Skip. */
  readonly assertions: number;
  /** The violations; empty if the requirement holds. */
  readonly breaches: readonly Breach[];
  /** The situations in which all claims of the check were checked. */
  readonly situations?: readonly Situation[];
  /**
   * The claims that had a case, each with the situations in which it was checked. Default: all
   * claims of the check.
   */
  readonly decided?: ReadonlyMap<ClaimId, ReadonlySet<Situation>>;
}

/** A single violation of a requirement. */
export interface Breach {
  /** The violated claim; omitted if the check has only one, or if it violates all. */
  readonly claim?: ClaimId;
  /** A JSON pointer into the body; omitted if the violation is not in the body. */
  readonly path?: string;
  readonly expected: string;
  readonly actual: string;
  /** Whether it is only a warning, because the interface does not specify it. */
  readonly isWarning?: true;
  /** The evidence: the violating exchange or delivery, then those that it is compared with. */
  readonly evidence: readonly [Exchange | Delivery, ...(Exchange | Delivery)[]];
}

/** What the first argument of a check's constructor names: its claims. */
export type Decides = RequirementId | readonly [ClaimId, ...ClaimId[]];

/** The fields of a check that say what it decides. */
export function decides(what: Decides): Pick<Check, "requirement" | "claims"> {
  return typeof what === "string" ? { requirement: what } : { claims: what };
}

/** The requirement that a check, or the argument of its constructor, belongs to. */
export function requirementOf(
  what: Decides | Pick<Check, "requirement" | "claims">,
): RequirementId {
  if (typeof what === "string") return what;
  const [claim] = Array.isArray(what) ? what : ((what as Check).claims ?? []);
  const id =
    claim === undefined ? (what as Check).requirement : catalogue[claim as ClaimId].requirement;
  if (id === undefined) throw new TypeError("a check needs at least one claim");
  return id;
}
