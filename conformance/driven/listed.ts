import { isDeepStrictEqual } from "node:util";
import { memberOf } from "../../src/contract/pointer.ts";
import { type Found, Skip } from "../check.ts";
import type { Delivery } from "../deliveries/delivery.ts";
import type { CollectionOperation } from "../feed/operations.ts";
import { walk } from "../feed/walk.ts";
import type { Session } from "../session.ts";
import type { Exchange } from "../transport/exchange.ts";
import { Assertions } from "./assertions.ts";

/** What a collection has of an id, at one time. */
export interface Items {
  readonly items: readonly unknown[];
  /** The page that has it; the last one where none has. */
  readonly page: Exchange;
  /** Whether the collection was walked to its end: only then is it known what it lacks. */
  readonly isWhole: boolean;
}

/** The same before and after a verb. */
export interface Listed {
  readonly before: Items;
  readonly after: Items;
}

/** Looks an id up in a collection. */
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
 * Whether what was listed is listed on as if nothing had happened. A mark of its own, that it is no
 * longer in force, is open.
 */
export function isListedOn({ before, after }: Listed): boolean {
  return after.items.some((item) => before.items.some((was) => isDeepStrictEqual(item, was)));
}

/** The finding that an item is still listed. */
export function stillListed({ after }: Listed, ...beside: readonly Delivery[]) {
  return {
    expected: "listed no longer, so that what was removed can be reconciled",
    actual: "listed as before",
    shownBy: [after.page, ...beside],
  } as const;
}

/** Whether it was listed, and the collection shows whether it still is. */
export function isSeen({ before, after }: Listed): boolean {
  return before.items.length > 0 && (after.isWhole || after.items.length > 0);
}

/** Whether an item that was listed is listed no longer. */
export function noLongerListed(
  listed: Listed,
  deliveries: readonly Delivery[],
  reason: string,
): Found | Skip {
  if (!isSeen(listed)) return new Skip(reason);
  const assertions = new Assertions();
  assertions.holds(!isListedOn(listed), stillListed(listed, ...deliveries.slice(0, 1)));
  return assertions.result(reason);
}
