import { isDeepStrictEqual } from "node:util";
import { memberOf } from "../../src/contract/pointer.ts";
import { Assertions } from "../assert.ts";
import { type Found, Skip } from "../check.ts";
import type { CollectionOperation } from "../observe/operations.ts";
import { walk } from "../observe/walk.ts";
import type { Session } from "../run/session.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";

/** The items of a collection that have a given id. */
interface Items {
  readonly items: readonly unknown[];
  /** The page with the item; the last page if there is none. */
  readonly page: Exchange;
  /** Whether the collection was read to its end, so that a missing item is conclusive. */
  readonly isWhole: boolean;
}

/** The items before and after a verb. */
export interface Listed {
  readonly before: Items;
  readonly after: Items;
}

/** Finds the items with an id in a collection. */
export async function itemsWithId(
  session: Session,
  operation: CollectionOperation,
  id: string,
): Promise<Items> {
  const { pages, end } = await walk(session, operation, { limit: 100 });
  const hasId = (item: unknown) => memberOf(item, "id") === id;
  const page = pages.find(({ items }) => items.some(hasId)) ?? pages.at(-1);
  if (!page) throw new Error("a walk has a page");
  return {
    items: page.items.filter(hasId),
    page: page.exchange,
    isWhole: end.kind === "last",
  };
}

/**
 * Whether an item is still listed unchanged. The interface allows marking an item as no longer
 * valid.
 */
export function isListedOn({ before, after }: Listed): boolean {
  return after.items.some((item) => before.items.some((was) => isDeepStrictEqual(item, was)));
}

/** Creates the breach that an item is still listed. */
export function stillListed({ after }: Listed, ...beside: readonly Delivery[]) {
  return {
    expected: "no longer listed, so that clients can reconcile removals",
    actual: "listed as before",
    evidence: [after.page, ...beside],
  } as const;
}

/** Whether the item was listed before and its current presence is known. */
export function isSeen({ before, after }: Listed): boolean {
  return before.items.length > 0 && (after.isWhole || after.items.length > 0);
}

/** Checks that a listed item is no longer listed. */
export function noLongerListed(
  listed: Listed,
  deliveries: readonly Delivery[],
  reason: string,
): Found | Skip {
  if (!isSeen(listed)) return new Skip(reason);
  const assertions = new Assertions();
  assertions.check(!isListedOn(listed), stillListed(listed, ...deliveries.slice(0, 1)));
  return assertions.result(reason);
}
