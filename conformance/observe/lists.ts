import { memberOf } from "../../src/contract/pointer.ts";
import type { Session } from "../check.ts";
import type { Exchange } from "../wire/exchange.ts";
import type { Item } from "./feed.ts";
import { type CollectionOperation, ITEM_KEYS } from "./operations.ts";
import { type Walk, walk } from "./pages.ts";

/** The items of a collection that have a given id. */
interface Items {
  readonly items: readonly unknown[];
  /** The page with the item; the last page if there is none. */
  readonly page: Exchange;
  /** Whether the collection was read to its end, so that a missing item is conclusive. */
  readonly isWhole: boolean;
}

/** Maximum number of pages that a step reads: the checks at the end of a run read long lists. */
const MAX_PAGES = 10;

/** Finds the items with each id in a collection. In a list of over 1,000, it may find none. */
export async function itemsWithIds(
  session: Session,
  operation: CollectionOperation,
  ids: readonly string[],
): Promise<Items[]> {
  const { pages, end } = await walk(session, operation, { limit: 100, mostPages: MAX_PAGES });
  return ids.map((id) => {
    const hasId = (item: unknown) => memberOf(item, "id") === id;
    const page = pages.find(({ items }) => items.some(hasId)) ?? pages.at(-1);
    if (!page) throw new Error("a walk has a page");
    return {
      items: page.items.filter(hasId),
      page: page.exchange,
      isWhole: end.kind === "last",
    };
  });
}

/** Finds the items with an id in a collection. */
export async function itemsWithId(
  session: Session,
  operation: CollectionOperation,
  id: string,
): Promise<Items> {
  const [items] = await itemsWithIds(session, operation, [id]);
  return items as Items;
}

/** A collection that was read to its end. */
export interface WholeList {
  /** By id. */
  readonly items: ReadonlyMap<string, Item>;
  readonly last: Exchange;
}

/** All items of a collection; undefined if it can't be read to its end. */
export async function wholeList(
  session: Session,
  operation: CollectionOperation,
): Promise<WholeList | undefined> {
  return wholeListOf(await walk(session, operation, { limit: 100 }));
}

/** All items of a walk; undefined if it did not reach the end of its collection. */
export function wholeListOf({ operation, pages, end }: Walk): WholeList | undefined {
  const last = pages.at(-1)?.exchange;
  if (end.kind !== "last" || !last) return undefined;
  const items = pages.flatMap(({ exchange, items }) =>
    items.map((body, i): [string, Item] => {
      const at = `/_embedded/${ITEM_KEYS[operation]}/${i}`;
      return [String(memberOf(body, "id")), { body, at, exchange }];
    }),
  );
  return { items: new Map(items), last };
}

/** A collection after all deliveries. Only checks that run at the end of a run may call it. */
export function listAtEnd(
  session: Session,
  operation: CollectionOperation,
): Promise<WholeList | undefined> {
  return session.share(`at the end: ${operation}`, (own) => wholeList(own, operation));
}

/** Reads a list. It may lag: if an item is missing, reads it again after the timeout. */
export async function listedSoon<T>(
  session: Session,
  list: () => Promise<T>,
  isEnough: (list: T) => boolean,
): Promise<T> {
  const first = await list();
  if (isEnough(first)) return first;
  await session.deliveries(() => false);
  return await list();
}

/** Whether a list was read to its end and does not have an item. */
export function isGone(found: Items | undefined): boolean {
  return found?.isWhole === true && found.items.length === 0;
}

/** The ids that a collection does not list, and its last page. */
interface Unlisted {
  readonly ids: readonly string[];
  readonly page: Exchange;
}

/**
 * Finds the ids that a collection does not list, not even after the timeout for a delivery.
 *
 * @returns Resolves to undefined if the collection can't be read to its end.
 */
export async function unlisted(
  session: Session,
  operation: CollectionOperation,
  wanted: readonly string[],
): Promise<Unlisted | undefined> {
  const look = async (): Promise<Unlisted | undefined> => {
    const list = await wholeList(session, operation);
    return list && { ids: wanted.filter((id) => !list.items.has(id)), page: list.last };
  };
  return await listedSoon(session, look, (found) => !found || found.ids.length === 0);
}
