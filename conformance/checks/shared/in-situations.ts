import type { ClaimId, Situation } from "../../../generated/requirements.ts";
import { type Check, type Found, Skip } from "../../check.ts";

/**
 * Makes a check decide each of its claims only if it met one of the claim's situations, such as a
 * network-bulk subscription.
 *
 * @param situationsOf The situations of each claim; a claim that is left out is always decided.
 */
export function bySituations(
  check: Check,
  situationsOf: Readonly<Partial<Record<ClaimId, readonly Situation[]>>>,
): Check {
  return {
    ...check,
    run: async (session) => {
      const found = await check.run(session);
      return found instanceof Skip ? found : narrowed(check, found, situationsOf);
    },
  };
}

function narrowed(
  { claims = [] }: Check,
  found: Found,
  situationsOf: Readonly<Partial<Record<ClaimId, readonly Situation[]>>>,
): Found {
  const met = new Set(found.situations);
  const isMet = (claim: ClaimId) =>
    situationsOf[claim]?.some((situation) => met.has(situation)) ?? true;
  return { ...found, decided: new Map(claims.filter(isMet).map((claim) => [claim, met])) };
}
