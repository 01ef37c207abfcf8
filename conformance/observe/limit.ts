import { operations } from "../../generated/operations.ts";
import { maxPageSize } from "../../generated/resources.ts";
import { memberOf, valueAt } from "../../src/contract/pointer.ts";
import type { Breach } from "../check.ts";
import type { Session } from "../run/session.ts";
import { type Exchange, outcomeOf } from "../wire/exchange.ts";
import type { CollectionOperation } from "./operations.ts";

/** Invalid limits (PAGE-02). */
export const invalidLimits = [
  ...["101", "1000000", "99999999999999999999", "0", "-1", "1.5", "1e2", "ten", "NaN", ""],
];

/** Error statuses that are unrelated to the limit. */
const UNRELATED = new Set([401, 403, 404, 429]);

/**
 * Requests a collection with an invalid limit. PAGE-02 leaves the status open. It can be read as
 * requiring an error, or as allowing the limit to be ignored. Both are accepted: a 4xx, or a page
 * of at most 100 items that does not follow the limit.
 *
 * @param isEmpty Whether the collection is empty.
 * @returns Resolves to the breaches; to undefined if the response is inconclusive.
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
  const expected = `a 4xx, or a page of at most ${maxPageSize} items`;
  const items = itemsOf(exchange);
  // PAGE-10 reports misplaced items.
  if (status === 200 && exchange.response?.json !== undefined && items === undefined) {
    return undefined;
  }
  if (status !== 200 || items === undefined) {
    return [{ expected, actual: outcomeOf(exchange), evidence: [exchange] }];
  }
  if (items > maxPageSize) return [{ expected, actual: `${items} items`, evidence: [exchange] }];
  if (Number(limit) === 0 && limit !== "") return ofNone(items, isEmpty, exchange);
  return revealsLimit(limit, items, exchange) ? [] : undefined;
}

/** An empty page of a non-empty collection follows a limit of 0, so its walk never ends. */
function ofNone(items: number, isEmpty: boolean, exchange: Exchange): Breach[] | undefined {
  if (items > 0) return [];
  if (isEmpty) return undefined;
  const expected = "a 4xx, or the same page as without the limit";
  return [{ expected, actual: "an empty page, although there are items", evidence: [exchange] }];
}

/** The number of items on a page; undefined if the response is not a page. */
function itemsOf({ response }: Exchange): number | undefined {
  const embedded = Object.values(memberOf(response?.json, "_embedded") ?? {});
  return embedded.find((value) => Array.isArray(value))?.length;
}

/**
 * Whether a page shows that the limit was not followed: it was truncated, or has items although
 * none were requested.
 */
function revealsLimit(limit: string, items: number, exchange: Exchange): boolean {
  return Number(limit) > maxPageSize ? isThereMore(items, exchange) : items > 0;
}

function isThereMore(items: number, { response }: Exchange): boolean {
  const total = Number(memberOf(response?.json, "totalItems") ?? 0);
  return valueAt(response?.json, ["_links", "next"]) !== undefined || total > items;
}
