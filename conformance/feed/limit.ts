import { operations } from "../../generated/operations.ts";
import { memberOf, valueAt } from "../../src/contract/pointer.ts";
import type { Breach } from "../check.ts";
import type { Session } from "../session.ts";
import { type Exchange, outcomeOf } from "../transport/exchange.ts";
import type { CollectionOperation } from "./operations.ts";

const MOST_ITEMS = 100;

/** Limits that are none (PAGE-02), in their words. */
export const invalidLimits: readonly { readonly limit: string; readonly what: string }[] = [
  { limit: "101", what: "101" },
  { limit: "1000000", what: "1000000" },
  { limit: "99999999999999999999", what: "larger than integers go" },
  { limit: "0", what: "0" },
  { limit: "-1", what: "-1" },
  { limit: "1.5", what: "1.5" },
  { limit: "1e2", what: "1e2" },
  { limit: "ten", what: "no number" },
  { limit: "NaN", what: "NaN" },
  { limit: "", what: "empty" },
];

/** Refusals that say nothing of the limit. */
const UNRELATED = new Set([401, 403, 404, 429]);

/**
 * Asks a collection with a limit that is none. PAGE-02 leaves the status open. Two readings: only a
 * refusal will do, or a page as if no such limit had been given will do too. We take both: a 4xx,
 * or a page of at most 100 items that does not follow it.
 *
 * @param isEmpty Whether the collection holds nothing.
 * @returns Resolves to the breach, if any; to undefined where the answer does not tell.
 */
export async function checkInvalidLimit(
  session: Session,
  operation: CollectionOperation,
  limit: string,
  isEmpty: boolean,
): Promise<readonly Breach[] | undefined> {
  const path = `${operations[operation].path}?limit=${limit}`;
  const exchange = await session.sendAuthorized({ method: "GET", path });
  const { status = 0 } = exchange.response ?? {};
  if (UNRELATED.has(status)) return undefined;
  if (status >= 400 && status < 500) return [];
  const expected = `a 4xx, or a page of at most ${MOST_ITEMS} items`;
  const items = itemsOf(exchange);
  // Items elsewhere are PAGE-10's to tell.
  if (status === 200 && exchange.response?.json !== undefined && items === undefined) {
    return undefined;
  }
  if (status !== 200 || items === undefined) {
    return [{ expected, actual: outcomeOf(exchange), shownBy: [exchange] }];
  }
  if (items > MOST_ITEMS) return [{ expected, actual: `${items} items`, shownBy: [exchange] }];
  if (Number(limit) === 0 && limit !== "") return ofNone(items, isEmpty, exchange);
  return tells(limit, items, exchange) ? [] : undefined;
}

/** A page of nothing while there is something follows a limit of 0: its walk never ends. */
function ofNone(items: number, isEmpty: boolean, exchange: Exchange): Breach[] | undefined {
  if (items > 0) return [];
  if (isEmpty) return undefined;
  const expected = "a 4xx, or a page as if no such limit had been given";
  return [{ expected, actual: "a page of no items, of more", shownBy: [exchange] }];
}

/** How many items a page holds; undefined where it is no page. */
function itemsOf({ response }: Exchange): number | undefined {
  const embedded = Object.values(memberOf(response?.json, "_embedded") ?? {});
  return embedded.find((value) => Array.isArray(value))?.length;
}

/**
 * Whether a page shows that the limit was not followed: it was cut, or it has items all the same.
 */
function tells(limit: string, items: number, exchange: Exchange): boolean {
  return Number(limit) > MOST_ITEMS ? isThereMore(items, exchange) : items > 0;
}

function isThereMore(items: number, { response }: Exchange): boolean {
  const total = Number(memberOf(response?.json, "totalItems") ?? 0);
  return valueAt(response?.json, ["_links", "next"]) !== undefined || total > items;
}
