import type { EventName } from "../../../generated/events.ts";
import { operations } from "../../../generated/operations.ts";
import type { ClaimId, RequirementId, Situation } from "../../../generated/requirements.ts";
import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { each, type Message } from "../../assert.ts";
import {
  type Breach,
  type Check,
  type Decides,
  decides,
  type Found,
  requirementOf,
  Skip,
} from "../../check.ts";
import { breachesOf, responseBody, resultOf } from "../../observe/body-checks.ts";
import { referencedResources } from "../../observe/deliveries/api-lookups.ts";
import { type History, historyOf } from "../../observe/deliveries/history.ts";
import { type Observation, type Observations, observationsOf } from "../../observe/observations.ts";
import { operationAt, type ReadOperation } from "../../observe/operations.ts";
import { situationsIn, situationsOf } from "../../observe/situations.ts";
import type { Hint } from "../../skip.ts";
import type { Capabilities } from "../../target.ts";

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

/** The number of cases for a check that compares deliveries, and its skip reason. */
interface HistoryCase {
  /** Counts the cases in which the requirement could be broken. */
  readonly cases: (history: History) => number;
  /** The events whose deliveries show the situations; default: none. */
  readonly events?: readonly EventName[];
  /** The skip reason if there are none. */
  readonly skipReason: string;
}

/** Creates a check that compares several deliveries. */
export function inHistory(
  what: Decides,
  title: string,
  { cases, events = [], skipReason }: HistoryCase,
): Check {
  const requirement = requirementOf(what);
  return {
    ...decides(what),
    title,
    requires: ["deliveries"],
    run: async (session) => {
      const history = await historyOf(session);
      const breaches = history.breaches.get(requirement) ?? [];
      const assertions = Math.max(cases(history), breaches.length);
      if (assertions === 0) return new Skip(skipReason);
      const { networks } = session.capabilities;
      const shown = history.deliveries.filter(({ name }) => events.some((one) => one === name));
      const situations = shown.flatMap((delivery) => {
        return situationsIn(delivery, networks, history.deliveries);
      });
      return { assertions, breaches, situations };
    },
  };
}

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

/** The target operation of each link name, by kind of resource. */
type LinkTargets = Partial<Record<keyof Observations, Readonly<Record<string, ReadOperation>>>>;

/** Creates a check that links have the paths that the interface defines. */
export function linksLeadTo(what: Decides, title: string, leads: LinkTargets): Check {
  return {
    ...decides(what),
    title,
    requires: [],
    run: async (session) => {
      const observations = await observationsOf(session);
      const links = Object.entries(leads).flatMap(([kind, names]) =>
        observations[kind as keyof Observations].flatMap(({ isListed, exchange, ...one }) =>
          leading({ ...one, by: exchange, in: isListed ? "listed" : "alone" }, names),
        ),
      );
      const names = Object.values(leads).flatMap((one) => Object.keys(one));
      const skip = await session.skip(`no response has a link ${names.join(", ")}`);
      return each(links, skip, breachesOfTarget, (one) => [one.in]);
    },
  };
}

/** Creates a check that links of some events have the paths that the interface defines. */
export function deliveredLinksLeadTo(
  what: Decides,
  title: string,
  events: readonly EventName[],
  names: Readonly<Record<string, ReadOperation>>,
): Check {
  return {
    ...decides(what),
    title,
    requires: ["deliveries"],
    run: async (session) => {
      const { deliveries } = await historyOf(session);
      const links = deliveries
        .filter(({ name }) => events.some((one) => one === name))
        .flatMap((by) => leading({ body: by.json, at: "", by, in: "delivered" }, names));
      const skip = new Skip(`no delivery has a link ${Object.keys(names).join(", ")}`);
      return each(links, skip, breachesOfTarget, (one) => [one.in]);
    },
  };
}

/** A body with links: where it is, and what shows it. */
interface Linking {
  readonly body: unknown;
  readonly at: string;
  readonly by: Message;
  readonly in: "listed" | "alone" | "delivered";
}

/** The resource's links with known names, each with the operation of its target. */
function leading({ body, at, ...shown }: Linking, names: Readonly<Record<string, ReadOperation>>) {
  return Object.entries(names).flatMap(([name, operation]) => {
    const link = valueAt(body, ["_links", name]);
    return [link].flat().flatMap((one, i) => {
      const href = memberOf(one, "href");
      if (typeof href !== "string" || !href.startsWith("/")) return [];
      const path = `${at}/_links/${name}${Array.isArray(link) ? `/${i}` : ""}/href`;
      return [{ path, href, operation, ...shown }];
    });
  });
}

function breachesOfTarget({
  path,
  href,
  operation,
  by,
}: ReturnType<typeof leading>[number]): Breach[] {
  if (operationAt(href) === operation) return [];
  return [{ path, expected: operations[operation].path, actual: href, evidence: [by] }];
}

/** The requirements that a single resource body can verify, with the claims that it decides. */
const DECIDED: readonly Decides[] = [
  ...(["CONV-01", "CONV-02", "CONV-03", "CONV-04", "CONV-05", "CONV-06"] as const),
  ...(["CONV-07", "CONV-08", "TXN-01", "TXN-02", "TXN-03", "TXN-04", "TXN-05"] as const),
  ...(["TXN-06", "TXN-07", "TXN-08", "TXN-09", "TXN-10", "TXN-16"] as const),
  ...(["MSG-01", "MSG-02", "MSG-04", "MSG-05", "MSG-06", "MSG-07", "MSG-08"] as const),
  ...(["MSG-10", "BTX-02", "BTX-03"] as const),
  ["SUB-01.fields", "SUB-01.enrollment-type", "SUB-01.customer-reference"],
  ["SUB-02.set-bulk", "SUB-02.null-others"],
  ["SUB-03.together", "SUB-03.bank-feed"],
  ...(["MAT-02", "MAT-03", "EP-10", "EP-12"] as const),
];

/** The situations in which a resource decides a claim. */
const TYPES = {
  "SUB-02.set-bulk": ["network-bulk"],
  "SUB-02.null-others": ["cardholder-single", "bank-feed"],
  "SUB-03.bank-feed": ["bank-feed"],
} as const;

/**
 * Checks the resources that deliveries link to. Resources that were created during the run have not
 * been requested before.
 */
export const linkedResources: readonly Check[] = DECIDED.map((what) =>
  bySituations(inLinkedResources(what), TYPES),
);

function inLinkedResources(what: Decides): Check {
  const requirement = requirementOf(what);
  return {
    ...decides(what),
    title: "resources linked by deliveries satisfy the requirement",
    requires: ["deliveries", "state"],
    run: async (session) => {
      const { resources: lookups } = await referencedResources(session);
      const bodies = lookups.flatMap(({ response }) => (response ? [responseBody(response)] : []));
      const skip = new Skip("no delivery links to a resource with the field");
      return resultOf(session, requirement, bodies, skip);
    },
  };
}
