import type { EventName } from "../../../generated/events.ts";
import { operations } from "../../../generated/operations.ts";
import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { each, type Message } from "../../assert.ts";
import { type Breach, type Check, type Decides, decides, Skip } from "../../check.ts";
import { historyOf } from "../../observe/deliveries/history.ts";
import { type Observations, observationsOf } from "../../observe/observations.ts";
import { operationAt, type ReadOperation } from "../../observe/operations.ts";

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
      return each(links, skip, breachesOf, (one) => [one.in]);
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
      return each(links, skip, breachesOf, (one) => [one.in]);
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

function breachesOf({ path, href, operation, by }: ReturnType<typeof leading>[number]): Breach[] {
  if (operationAt(href) === operation) return [];
  return [{ path, expected: operations[operation].path, actual: href, evidence: [by] }];
}
