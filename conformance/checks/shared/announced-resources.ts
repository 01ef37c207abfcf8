import type { EventName } from "../../../generated/events.ts";
import type { ClaimId } from "../../../generated/requirements.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import { type Breach, type Check, type Decides, decides, Skip } from "../../check.ts";
import { feedOf } from "../../observe/crawl.ts";
import { unexplained } from "../../observe/deliveries/api-lookups.ts";
import { historyOf } from "../../observe/deliveries/history.ts";
import { allNamed, type TypedDelivery } from "../../observe/deliveries/reading.ts";
import type { CollectionOperation } from "../../observe/operations.ts";
import { type Walk, walk } from "../../observe/pages.ts";
import { deliveriesSince } from "../../scenarios/act.ts";
import { findEvents, textAt } from "../../scenarios/find-deliveries.ts";
import { listAtEnd, type WholeList, wholeList } from "../../scenarios/listed.ts";
import type { Delivery, Exchange } from "../../wire/exchange.ts";

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

/** A list that shows announced resources to clients that missed the event. */
interface Reconciled {
  readonly decides: Decides;
  readonly operation: CollectionOperation;
  /** The announced resources: id and delivery. */
  readonly announcedBy: (typed: readonly TypedDelivery[]) => (readonly [string, Delivery])[];
  /** The ids of the removed resources; default: the interface shows no removal. */
  readonly removedBy?: (typed: readonly TypedDelivery[]) => ReadonlySet<string>;
}

/**
 * Creates a check that a list contains every announced resource until its removal is announced.
 * Clients use the list to reconcile removals that had no event. If the list differs, the check
 * waits for later deliveries and fetches the list again.
 */
export function listedWhileThere(reconciled: Reconciled): Check {
  const { operation, announcedBy, removedBy = () => new Set<string>() } = reconciled;
  const until = reconciled.removedBy ? " until removal" : "";
  return {
    ...decides(reconciled.decides),
    title: `${operation} lists announced resources${until}`,
    requires: ["deliveries", "state"],
    run: async (session) => {
      const { typed, mayMention } = (await historyOf(session)).reading;
      const announced = new Map(announcedBy(typed));
      const removed = removedBy(typed);
      for (const [id, delivery] of removalsOf(typed))
        if (removed.has(id)) announced.set(id, delivery);
      if (announced.size === 0) return new Skip("no delivery announced a resource of the list");
      const first = await listAtEnd(session, operation);
      if (!first) return new Skip(`${operation} could not be read to its end`);
      const isWrong = (list: WholeList) => (id: string) => list.items.has(id) === removed.has(id);
      const wrong = await unexplained(
        session,
        [...announced.keys()].filter(isWrong(first)),
        (id, later) => removedBy(later).has(id) || (!removed.has(id) && mayMention(id)),
      );
      const again = wrong.length > 0 ? ((await wholeList(session, operation)) ?? first) : first;
      const remaining = new Set(wrong.filter(isWrong(again)));
      return each(announced, new Skip(""), ([id, delivery]): Breach[] => {
        if (!remaining.has(id)) return [];
        const isRemoved = removed.has(id);
        const shown = again.items.get(id)?.exchange ?? again.last;
        const expected = isRemoved
          ? `no ${id}, because it is removed`
          : `${id}, because it was announced`;
        const actual = isRemoved ? "listed" : "not listed";
        return [{ expected, actual, evidence: [shown, delivery] }];
      });
    },
  };
}

/** The ids of removed resources, each with its delivery. */
function removalsOf(typed: readonly TypedDelivery[]): [string, Delivery][] {
  return [
    ...allNamed(typed, "banktransaction.deleted").map(({ body, delivery }): [string, Delivery] => [
      body.id,
      delivery,
    ]),
    ...allNamed(typed, "transaction.match.deleted").map(
      ({ body, delivery }): [string, Delivery] => [body.matchId, delivery],
    ),
  ];
}
