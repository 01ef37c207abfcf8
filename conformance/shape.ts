import type { RequirementId } from "../generated/requirements.ts";
import type { Breach, Check } from "./check.ts";
import type { Session } from "./session.ts";

/**
 * A check of a requirement that the contract's schema carries out: no answer of any endpoint breaks
 * it, and at least one has a value at a place where the contract names it.
 */
export function shape(requirement: RequirementId, title: string): Check {
  return {
    requirement,
    title,
    needs: [],
    coversShape: true,
    run: async (session) => {
      const breaches = await breachesOfShape(session, requirement);
      const { answers } = await session.survey();
      const isShown = [...answers.values()].some(({ seen }) => seen.has(requirement));
      if (breaches.length > 0 || isShown) return breaches;
      return session.unseen("no answer had a value that shows it");
    },
  };
}

/** What the shape of the answers says against a requirement. */
export async function breachesOfShape(
  session: Session,
  requirement: RequirementId,
): Promise<Breach[]> {
  const { answers } = await session.survey();
  return [...answers.values()].flatMap(({ findings, exchange }) =>
    findings
      // A value outside of an open set is no breach (MSG-10, ERR-02).
      .filter(({ level }) => level !== "notice")
      .filter((finding) => finding.requirement === requirement)
      .map(({ path, expected = "", actual = "" }) => ({ path, expected, actual, exchange })),
  );
}
