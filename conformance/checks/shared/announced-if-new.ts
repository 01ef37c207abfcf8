import type { EventName } from "../../../generated/events.ts";
import type { ClaimId } from "../../../generated/requirements.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import { type Breach, type Check, Skip } from "../../check.ts";
import { feedOf } from "../../observe/crawl.ts";
import type { CollectionOperation } from "../../observe/operations.ts";
import { type Walk, walk } from "../../observe/pages.ts";
import { deliveriesSince } from "../../scenarios/act.ts";
import { findEvents, textAt } from "../../scenarios/find-deliveries.ts";
import type { Exchange } from "../../wire/exchange.ts";

/** A list, and the event that announces each of its resources. */
interface Announced {
  readonly claim: ClaimId;
  readonly operation: CollectionOperation;
  readonly event: EventName;
  /** The pointer of the resource's id in the event. */
  readonly id: "/id" | "/matchId";
}

/**
 * Creates a check that each resource that a list shows at the end of the run, but not at its
 * beginning, was announced.
 */
export function announcedIfNew({ claim, operation, event, id }: Announced): Check {
  return {
    claims: [claim],
    title: `each new resource of ${operation} is announced`,
    // Without "verb:settle", an event may arrive later.
    requires: ["deliveries", "state", "verb:settle"],
    run: async (session) => {
      const first = (await feedOf(session)).walks.get(operation);
      const before = first && itemsOf(first);
      const after = itemsOf(await walk(session, operation, { limit: 100 }));
      if (!before || !after) return new Skip(`${operation} could not be read to its end`);
      const deliveries = await deliveriesSince(session, 0, () => true);
      const announced = new Set(
        findEvents(deliveries, event).map(({ json }) => textAt(json, id)?.toLowerCase()),
      );
      const created = [...after].filter(([one]) => !before.has(one));
      const skip = new Skip(`${operation} shows no resource that was created in this run`);
      return each(created, skip, ([one, page]): Breach[] => {
        if (announced.has(one)) return [];
        const expected = `${event} of ${one}, which is new in the list`;
        return [{ expected, actual: "it was not delivered", evidence: [page] }];
      });
    },
  };
}

/** The page of each item's id; undefined if the list was not read to its end. */
function itemsOf({ pages, end }: Walk): Map<string, Exchange> | undefined {
  if (end.kind !== "last") return undefined;
  return new Map(
    pages.flatMap(({ exchange, items }) =>
      items.map((item) => [String(memberOf(item, "id")).toLowerCase(), exchange] as const),
    ),
  );
}
