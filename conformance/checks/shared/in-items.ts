import type { RequirementId } from "../../../generated/requirements.ts";
import { each } from "../../assert.ts";
import { type Check, type Decides, decides, requirementOf } from "../../check.ts";
import { breachesOf } from "../../observe/body-checks.ts";
import { type Observation, type Observations, observationsOf } from "../../observe/observations.ts";
import { situationsOf } from "../../observe/situations.ts";
import type { Capabilities } from "../../run/capabilities.ts";
import type { Hint } from "../../run/skip.ts";

/** The data that a requirement needs. */
export interface Case {
  /** Selects the resources to check. */
  readonly of: (observations: Observations) => readonly Observation[];
  /** Whether a resource is relevant; default: all are. */
  readonly shows?: (body: unknown, capabilities: Capabilities) => boolean;
  /** The skip reason, such as `no transaction with a superseded message`. */
  readonly none: string;
  /** How to create such data. */
  readonly hint?: Hint;
}

/**
 * Creates a check of a requirement that the contract validates on single resources. Other resources
 * in the same response don't affect it.
 */
export function inCase(what: Decides, title: string, where: Case): Check {
  const requirement = requirementOf(what);
  return {
    ...decides(what),
    title,
    requires: [],
    run: async (session) => {
      const { of, shows = () => true, none, hint } = where;
      const skip = await session.skip(none, hint);
      const cases = of(await observationsOf(session))
        .filter((observation) => isValidated(observation, requirement))
        .filter(({ body }) => shows(body, session.capabilities));
      const { networks } = session.capabilities;
      return each(
        cases,
        skip,
        ({ findings, at, exchange }) => breachesOf(findings, requirement, exchange, at),
        ({ body, isListed }) => [isListed ? "listed" : "alone", ...situationsOf(body, networks)],
      );
    },
  };
}

/** Whether the requirement was validated: the contract stops at an invalid shape. */
function isValidated({ isSound, findings }: Observation, requirement: RequirementId): boolean {
  return isSound || findings.some((found) => found.requirement === requirement);
}

/** Creates a check that a mock without state can't pass. */
export function withState(what: Decides, title: string, run: Check["run"]): Check {
  return { ...decides(what), title, requires: ["state"], run };
}
