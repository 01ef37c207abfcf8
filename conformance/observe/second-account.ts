import { operations } from "../../generated/operations.ts";
import { maxPageSize } from "../../generated/resources.ts";
import type { Session } from "../run/session.ts";
import type { Exchange } from "../wire/exchange.ts";
import { linkAt, linksIn } from "./links.ts";
import { type CollectionOperation, collections, operationAt } from "./operations.ts";
import { itemsOf } from "./pages.ts";
import { requireToken, secondAccountExchange } from "./tokens.ts";

/** A page of a list of the second account. */
interface OtherPage {
  readonly operation: CollectionOperation;
  readonly exchange: Exchange;
  readonly items: readonly unknown[];
}

/** The data that the second account can see. */
interface SecondAccount {
  readonly pages: readonly OtherPage[];
  /** The paths of the resources that its lists link to, by operation. */
  readonly paths: ReadonlyMap<string, readonly string[]>;
}

/** A limit for whole lists, and one that requires following next links. */
const LIMITS = [maxPageSize, 1];

/** Maximum number of pages per list. */
const MAX_PAGES = 5;

/** Reads the lists of the second account. Rejects with a Skip if it has no token. */
export function secondAccountOf(session: Session): Promise<SecondAccount> {
  return session.share("the second account", async (shared) => {
    requireToken(await secondAccountExchange(shared), "the second account's credentials");
    const lists = await Promise.all(
      collections.flatMap((operation) => LIMITS.map((limit) => pagesOf(shared, operation, limit))),
    );
    const pages = lists.flat();
    const hrefs = pages.flatMap(({ items }) => linksIn(items).map(({ href }) => href));
    const resources = [...new Set(hrefs)].filter((href) => isResource(operationAt(href)));
    return { pages, paths: Map.groupBy(resources, (href) => operationAt(href) ?? "") };
  });
}

async function pagesOf(
  session: Session,
  operation: CollectionOperation,
  limit: number,
): Promise<OtherPage[]> {
  const pages: OtherPage[] = [];
  let path: string | undefined = `${operations[operation].path}?limit=${limit}`;
  while (path !== undefined && pages.length < MAX_PAGES) {
    const exchange: Exchange = await session.sendAuthorized(
      { method: "GET", path },
      "$TXFEED_SECOND_TOKEN",
    );
    if (exchange.response?.status !== 200) break;
    pages.push({ operation, exchange, items: itemsOf(operation, exchange) });
    path = linkAt(exchange.response.json, ["_links", "next"]);
  }
  return pages;
}

function isResource(operation: string | undefined): boolean {
  return operation?.includes("{") ?? false;
}
