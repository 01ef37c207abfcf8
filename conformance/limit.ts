import { operations } from "../generated/operations.ts";
import { memberOf, valueAt } from "../src/contract/pointer.ts";
import { type Check, once } from "./check.ts";
import { feedOf } from "./feed/crawl.ts";
import type { CollectionOperation } from "./feed/operations.ts";
import { type Exchange, outcomeOf } from "./wire/exchange.ts";

const MOST_ITEMS = 100;

/** Refusals that say nothing of the limit. */
const UNRELATED = new Set([401, 403, 404, 429]);

/**
 * A check of PAGE-02, which leaves the status open. Two readings: only a refusal will do, or a page
 * as if no such limit had been given will do too. We take both: a 4xx, or a page that does not
 * follow it.
 */
export function refusesLimit(operation: CollectionOperation, limit: string): Check {
  return {
    requirement: "PAGE-02",
    title: `${operation}?limit=${limit} is not honoured`,
    needs: [],
    run: async (session) => {
      const first = (await feedOf(session)).of(operation)[0];
      if (!first?.isJson) return session.unseen(`${operation} gave no page to compare with`);
      const path = `${operations[operation].path}?limit=${limit}`;
      const exchange = await session.sendAuthorized({ method: "GET", path });
      const { status = 0 } = exchange.response ?? {};
      if (UNRELATED.has(status)) return session.unseen(`${path} answered ${status}`);
      if (status >= 400 && status < 500) return once([]);
      const items = itemsOf(exchange);
      if (status !== 200 || items === undefined || items > MOST_ITEMS) {
        const expected = `a 4xx, or a page of at most ${MOST_ITEMS} items`;
        const actual = items === undefined ? outcomeOf(exchange) : `${items} items`;
        return once([{ expected, actual, shownBy: [exchange] }]);
      }
      if (tells(limit, items, exchange)) return once([]);
      return session.unseen(`${path} gave ${items} items, which does not tell`);
    },
  };
}

/** How many items a page holds; undefined where it is no page. */
function itemsOf({ response }: Exchange): number | undefined {
  const embedded = Object.values(memberOf(response?.json, "_embedded") ?? {});
  return embedded.find((value) => Array.isArray(value))?.length;
}

/**
 * Whether a page shows that the limit was not followed: it was cut, or it has items all the same.
 */
function tells(limit: string, items: number, { response }: Exchange): boolean {
  const total = Number(memberOf(response?.json, "totalItems") ?? 0);
  const next = valueAt(response?.json, ["_links", "next"]);
  return Number(limit) > MOST_ITEMS ? next !== undefined || total > items : items > 0;
}
