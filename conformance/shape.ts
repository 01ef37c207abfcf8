import { answerPlaces, type Place, places } from "../generated/places.ts";
import type { RequirementId } from "../generated/requirements.ts";
import { type Breach, type Check, Unseen } from "./check.ts";

/**
 * A check of a requirement that the contract's schema carries out: no answer of any endpoint breaks
 * it, and at least one has a value at a place where the contract names it.
 */
export function shape(requirement: RequirementId, title: string): Check {
  return {
    requirement,
    title,
    needs: [],
    run: async (session) => {
      const answers = [...(await session.survey()).values()];
      const breaches = answers.flatMap(({ findings, exchange }) =>
        findings
          .filter((finding) => finding.requirement === requirement)
          .map(({ path, expected = "", actual = "" }): Breach => {
            return { path, expected, actual, exchange };
          }),
      );
      if (breaches.length > 0 || answers.some(({ seen }) => seen.has(requirement))) return breaches;
      return new Unseen(
        standsInAnswers(requirement)
          ? "no answer had a value that shows it"
          : "stands in webhook deliveries, which this version does not receive yet",
      );
    },
  };
}

/** Whether the contract names the requirement anywhere in an answer. */
function standsInAnswers(requirement: RequirementId): boolean {
  return reaches(Object.values(answerPlaces), requirement);
}

function reaches(roots: readonly string[], requirement: RequirementId): boolean {
  const entered = new Set<string>();
  const enter = (name: string): boolean => {
    if (entered.has(name)) return false;
    entered.add(name);
    const place = places[name];
    return place !== undefined && names(place);
  };
  const names = (place: Place): boolean =>
    place.format === requirement ||
    (place.requirements?.includes(requirement) ?? false) ||
    (place.ref !== undefined && enter(place.ref)) ||
    (place.items !== undefined && names(place.items)) ||
    Object.values(place.variants?.of ?? {}).some(enter) ||
    Object.values(place.properties ?? {}).some(names);
  return roots.some(enter);
}
