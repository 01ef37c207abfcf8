import {
  type ClaimId,
  claimIds,
  claims,
  type RequirementId,
} from "../../generated/requirements.ts";
import { type Check, requirementOf } from "../check.ts";
import type { Verb } from "../driver.ts";

/** What checks that need a verb decide. */
export interface VerbNeed {
  readonly requirements: readonly RequirementId[];
  /** Claims of these requirements; empty if the catalogue lists none. */
  readonly claims: readonly ClaimId[];
}

/** Returns what the checks that require a verb decide. */
export function needFor(verb: Verb, checks: readonly Check[]): VerbNeed {
  const own = checks.filter(({ requires }) => requires.includes(`verb:${verb}`));
  const requirements = [...new Set(own.map(requirementOf))].sort();
  const named = new Set(own.flatMap((check) => check.claims ?? claimsOf(requirementOf(check))));
  return { requirements, claims: [...named] };
}

/** A check that names no claims decides all of its requirement. */
function claimsOf(id: RequirementId): ClaimId[] {
  return claimIds.filter((claim) => claims[claim].requirement === id);
}
