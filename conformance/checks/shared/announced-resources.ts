import type { EventName } from "../../../generated/events.ts";
import type { ClaimId } from "../../../generated/requirements.ts";
import { ClaimAssertions, each } from "../../assert.ts";
import { type Breach, type Check, namedClaims, Skip } from "../../check.ts";
import { feedOf } from "../../observe/crawl.ts";
import { unexplained } from "../../observe/deliveries/api-lookups.ts";
import { findEvents, textAt } from "../../observe/deliveries/find.ts";
import { historyOf } from "../../observe/deliveries/history.ts";
import { allNamed, type TypedDelivery } from "../../observe/deliveries/reading.ts";
import type { CollectionOperation } from "../../observe/operations.ts";
import { listAtEnd, type WholeList, wholeList, wholeListOf } from "../../observe/pages.ts";
import { situationsIn } from "../../observe/situations.ts";
import { deliveriesSince } from "../../verbs/drive.ts";
import type { Delivery } from "../../wire/exchange.ts";

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
      const before = first && wholeListOf(first);
      const after = await listAtEnd(session, operation);
      if (!before || !after) return new Skip(`${operation} could not be read to its end`);
      const deliveries = await deliveriesSince(session, 0, () => true);
      const announced = new Set(
        findEvents(deliveries, event).map(({ json }) => textAt(json, id)?.toLowerCase()),
      );
      const known = new Set([...before.items.keys()].map((one) => one.toLowerCase()));
      const created = [...after.items]
        .map(([one, { exchange }]) => [one.toLowerCase(), exchange] as const)
        .filter(([one]) => !known.has(one));
      const skip = new Skip(`${operation} shows no resource that was created in this run`);
      return each(created, skip, ([one, page]): Breach[] => {
        if (announced.has(one)) return [];
        const expected = `${event} of ${one}, which is new in the list`;
        return [{ expected, actual: "it was not delivered", evidence: [page] }];
      });
    },
  };
}

/** A list that shows announced resources to clients that missed the event. */
interface Reconciled {
  /** Broken if an announced resource is not listed. */
  readonly listed?: ClaimId;
  /** Broken if a removed resource is still listed. */
  readonly unlisted?: ClaimId;
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
  const { listed, unlisted } = reconciled;
  const claims = [listed, unlisted].flatMap((claim) => claim ?? []);
  const until = reconciled.removedBy ? " until removal" : "";
  return {
    claims: namedClaims(claims),
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
      const isWrong = (list: WholeList) => {
        const isMarked = markedIn(list, removed);
        return (id: string) =>
          removed.has(id) ? list.items.has(id) && !isMarked(id) : !list.items.has(id);
      };
      const wrong = await unexplained(
        session,
        [...announced.keys()].filter(isWrong(first)),
        (id, later) => removedBy(later).has(id) || (!removed.has(id) && mayMention(id)),
      );
      const again = wrong.length > 0 ? ((await wholeList(session, operation)) ?? first) : first;
      const remaining = new Set(wrong.filter(isWrong(again)));
      const deliveries = typed.map(({ delivery }) => delivery);
      const { networks } = session.capabilities;
      const assertions = new ClaimAssertions();
      for (const [id, delivery] of announced) {
        const isRemoved = removed.has(id);
        const shown = again.items.get(id)?.exchange ?? again.last;
        const expected = isRemoved
          ? `no ${id}, because it is removed`
          : `${id}, because it was announced`;
        const actual = isRemoved ? "listed" : "not listed";
        const breach = { expected, actual, evidence: [shown, delivery] as const };
        const situations = situationsIn(delivery, networks, deliveries);
        const claim = isRemoved ? unlisted : listed;
        if (claim) assertions.of(claim, ...situations).check(!remaining.has(id), breach);
      }
      return assertions.result("");
    },
  };
}

/**
 * The interface allows marking an item as no longer valid: it has a member that no other item has,
 * or a value that no other has where few values are shared by all others.
 */
function markedIn({ items }: WholeList, removed: ReadonlySet<string>): (id: string) => boolean {
  const values = new Map<string, Set<string>>();
  for (const [id, { body }] of items) {
    if (removed.has(id)) continue;
    for (const [name, value] of Object.entries(Object(body))) {
      values.set(name, (values.get(name) ?? new Set()).add(JSON.stringify(value)));
    }
  }
  return (id) =>
    Object.entries(Object(items.get(id)?.body)).some(([name, value]) => {
      const known = values.get(name);
      const isShared = known && known.size * 2 <= items.size - removed.size;
      return !known || (isShared && !known.has(JSON.stringify(value)));
    });
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
