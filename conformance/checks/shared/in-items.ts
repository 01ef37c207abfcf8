import type { RequirementId } from "../../../generated/requirements.ts";
import { type Capabilities, missingCapability } from "../../capabilities.ts";
import { type Breach, type Check, each, type Found, Skip } from "../../check.ts";
import { type Observation, type Observations, observationsOf } from "../../feed/observations.ts";
import type { Session } from "../../session.ts";
import type { Hint } from "../../skip.ts";

/** The data that a requirement needs. */
export interface Case {
  /** The resources to look at. */
  readonly of: (sightings: Observations) => readonly Observation[];
  /** Selects the relevant ones; default: all. */
  readonly shows?: (body: unknown, means: Capabilities) => boolean;
  /** The reason of a skip, such as `no transaction with a superseded message`. */
  readonly none: string;
  /** How to create such data. */
  readonly unskip?: Hint;
}

/**
 * A check of a requirement that the contract carries out by the resource alone, in a case of data:
 * whatever stands beside the resource in its answer.
 */
export function inCase(requirement: RequirementId, title: string, where: Case): Check {
  return {
    requirement,
    title,
    requires: [],
    alternative: true,
    run: async (session) => {
      const { of, shows = () => true, none, unskip } = where;
      const unseen = await session.skip(none, unskip);
      const cases = of(await observationsOf(session))
        .filter((sighting) => isJudged(sighting, requirement))
        .filter(({ body }) => shows(body, session.capabilities));
      return each(cases, unseen, ({ findings, at, exchange }) =>
        findings
          .filter((found) => found.requirement === requirement && found.level !== "notice")
          .map(({ path, expected = "", actual = "" }): Breach => {
            return { path: `${at}${path}`, expected, actual, shownBy: [exchange] };
          }),
      );
    },
  };
}

/** A resource with an invalid shape is checked by no other rule. */
function isJudged({ isSound, findings }: Observation, requirement: RequirementId): boolean {
  return isSound || findings.some((found) => found.requirement === requirement);
}

/**
 * A check that sees a part of its requirement: a breach is one, but that there is none does not yet
 * show that it holds.
 *
 * @param rest What is left to see, and what would have it seen.
 */
export function inPart(
  requirement: RequirementId,
  title: string,
  rest: { readonly reason: string; readonly unskip: Hint },
  run: (session: Session) => Promise<Found | Skip>,
): Check {
  return {
    requirement,
    title,
    requires: ["state"],
    alternative: true,
    run: async (session) => {
      const found = await run(session);
      if (found instanceof Skip || found.breaches.length > 0) return found;
      return session.skip(rest.reason, rest.unskip);
    },
  };
}

/**
 * A check that a mock can't stand, of a requirement that its answers decide for what it is: against
 * a mock it leaves nothing open.
 */
export function skipOnMock(check: Omit<Check, "requires" | "alternative">): Check {
  return {
    ...check,
    requires: [],
    alternative: true,
    run: async (session) => {
      const lack = missingCapability(["state"], session.capabilities);
      return lack ? new Skip(lack.reason, lack.hint) : check.run(session);
    },
  };
}
