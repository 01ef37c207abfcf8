import { isDeepStrictEqual } from "node:util";
import { memberOf } from "../../src/contract/pointer.ts";
import type { CollectionOperation } from "../feed/operations.ts";
import { walk } from "../feed/walk.ts";
import type { Session } from "../session.ts";
import type { Exchange } from "../transport/exchange.ts";

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
