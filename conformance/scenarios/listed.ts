import { isDeepStrictEqual } from "node:util";
import { maxPageSize } from "../../generated/resources.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { type Session, Skip } from "../check.ts";
import type { Item } from "../observe/feed.ts";
import { type CollectionOperation, ITEM_KEYS } from "../observe/operations.ts";
import { type Walk, walk } from "../observe/pages.ts";
import { keysOnPages } from "../observe/paging.ts";
import { Refused } from "../skip.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import { deliveriesSince, drive } from "./act.ts";
import { enroll } from "./enrollment.ts";

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

/** Whether an item is listed, or reading the list again would not show it. */
export const isThere = ({ items, isWhole }: Items) => items.length > 0 || !isWhole;

/** The ids that a collection does not list, and its last page. */
export interface Unlisted {
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

/** A list to which resources were added during a walk. */
export interface GrownList {
  /** The whole list before the addition and after it, in pages of 100. */
  readonly before: Walk;
  readonly after: Walk;
  /** The first page was read before the addition, the others after it. */
  readonly walked: Walk;
}

/** Enrolls a card while the cards are walked. */
export function grownCards(session: Session): Promise<GrownList> {
  return session.share("scenario: a card is enrolled during a walk", (own) =>
    grown(own, "GET /cards", () => enroll(own)),
  );
}

/** The number of accounts of a link, and of links, to get a list of more than 100 accounts. */
const LINK_SIZE = 20;
const MAX_LINKS = 6;

/** Links bank accounts while the accounts are walked, until there are more than 100. */
export function grownAccounts(session: Session): Promise<GrownList> {
  return session.share("scenario: many accounts are linked during a walk", (own) =>
    grown(own, "GET /bank-accounts", async (before) => {
      const since = (await own.deliveries()).length;
      const accounts = Array.from({ length: LINK_SIZE }, () => ({ type: "depository" }) as const);
      for (let i = 0; i < MAX_LINKS && before + i * LINK_SIZE <= maxPageSize; i += 1) {
        const { bankLinkId } = await drive(own, "startLink", { accounts });
        await drive(own, "completeLink", { bankLinkId, by: "notification" });
      }
      await deliveriesSince(own, since, () => true);
    }),
  );
}

/** Walks a list in pages of half its length, and adds resources after the first page. */
async function grown(
  session: Session,
  operation: CollectionOperation,
  add: (before: number) => Promise<unknown>,
): Promise<GrownList> {
  const before = await walk(session, operation, { limit: maxPageSize });
  const count = keysOnPages(before).length;
  const limit = Math.min(maxPageSize, Math.max(1, Math.ceil(count / 2)));
  const afterFirst = () => add(count);
  try {
    const walked = await walk(session, operation, { limit, afterFirst });
    if (walked.pages.length < 2) throw new Skip(`${operation} has no second page`);
    return { before, walked, after: await walk(session, operation, { limit: maxPageSize }) };
  } catch (error) {
    // A target that adds nothing leaves the situation unmet. Other checks decide the claims.
    throw error instanceof Refused ? new Skip(error.reason) : error;
  }
}
