import type { EventName } from "../../../generated/events.ts";
import { operations } from "../../../generated/operations.ts";
import type { ClaimId, Situation } from "../../../generated/requirements.ts";
import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { each, type Message } from "../../assert.ts";
import {
  type Check,
  type ClaimBreach,
  type Found,
  namedClaims,
  type Session,
  Skip,
} from "../../check.ts";
import { historyOf } from "../../observe/deliveries/history.ts";
import { type Observations, observationsOf } from "../../observe/observations.ts";
import { operationAt, type ReadOperation } from "../../observe/operations.ts";

/** Creates a check that a mock without state can't pass. */
export function withState(
  claim: ClaimId,
  title: string,
  run: (session: Session) => Promise<Found | Skip>,
): Check {
  return { claims: [claim], title, requires: ["state"], run };
}

/** The claim on the path of a link, by the operation that it leads to. */
type LinkClaims = Readonly<Partial<Record<ReadOperation, ClaimId>>>;

/** The target operation of each link name, by kind of resource. */
type LinkTargets = Partial<Record<keyof Observations, Readonly<Record<string, ReadOperation>>>>;

/** Creates a check that links have the paths that the interface defines. */
export function linksLeadTo(claims: LinkClaims, title: string, leads: LinkTargets): Check {
  return {
    claims: namedClaims(Object.values(claims)),
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
      return foundIn(links, claims, skip);
    },
  };
}

/** Creates a check that links of some events have the paths that the interface defines. */
export function deliveredLinksLeadTo(
  claims: LinkClaims,
  title: string,
  events: readonly EventName[],
  names: Readonly<Record<string, ReadOperation>>,
): Check {
  return {
    claims: namedClaims(Object.values(claims)),
    title,
    requires: ["deliveries"],
    run: async (session) => {
      const { deliveries } = await historyOf(session);
      const links = deliveries
        .filter(({ name }) => events.some((one) => one === name))
        .flatMap((by) => leading({ body: by.json, at: "", by, in: "delivered" }, names));
      const skip = new Skip(`no delivery has a link ${Object.keys(names).join(", ")}`);
      return foundIn(links, claims, skip);
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

type LeadingLink = ReturnType<typeof leading>[number];

/** Checks where links lead to. A claim is decided by the links to its operation. */
async function foundIn(
  links: readonly LeadingLink[],
  claims: LinkClaims,
  skip: Skip,
): Promise<Found<ClaimBreach> | Skip> {
  const decided = new Map<ClaimId, Set<Situation>>();
  const found = await each(links, skip, ({ path, href, operation, by, ...where }) => {
    const claim = claims[operation];
    if (claim === undefined) return [];
    decided.set(claim, (decided.get(claim) ?? new Set()).add(where.in));
    if (operationAt(href) === operation) return [];
    const { path: expected } = operations[operation];
    return [{ claim, path, expected, actual: href, evidence: [by] as const }];
  });
  return found instanceof Skip ? found : { ...found, decided };
}
