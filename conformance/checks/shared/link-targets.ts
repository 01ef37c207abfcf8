import { operations } from "../../../generated/operations.ts";
import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import { type Breach, type Check, type Decides, decides } from "../../check.ts";
import { type Observation, type Observations, observationsOf } from "../../observe/observations.ts";
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
        observations[kind as keyof Observations].flatMap((one) => leading(one, names)),
      );
      const names = Object.values(leads).flatMap((one) => Object.keys(one));
      const skip = await session.skip(`no response has a link ${names.join(", ")}`);
      return each(links, skip, ({ path, href, operation, exchange }): Breach[] => {
        if (operationAt(href) === operation) return [];
        const expected = operations[operation].path;
        return [{ path, expected, actual: href, evidence: [exchange] }];
      });
    },
  };
}

/** The resource's links with known names, each with the operation of its target. */
function leading(
  { body, at, exchange }: Observation,
  names: Readonly<Record<string, ReadOperation>>,
) {
  return Object.entries(names).flatMap(([name, operation]) => {
    const link = valueAt(body, ["_links", name]);
    return [link].flat().flatMap((one, i) => {
      const href = memberOf(one, "href");
      if (typeof href !== "string" || !href.startsWith("/")) return [];
      const path = `${at}/_links/${name}${Array.isArray(link) ? `/${i}` : ""}/href`;
      return [{ path, href, operation, exchange }];
    });
  });
}
