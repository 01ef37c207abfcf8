import { operations } from "../../generated/operations.ts";
import { maxPageSize } from "../../generated/resources.ts";
import type { OperationWithResponse } from "../../src/contract/validate.ts";
import type { Session } from "../run/session.ts";
import type { Feed } from "./feed.ts";
import { type CarriedLink, LinkCrawler } from "./link-crawler.ts";
import { linksIn } from "./links.ts";
import {
  type CollectionOperation,
  collections,
  ITEM_KEYS,
  LINKED_BY_DELIVERIES,
  pathWithUnknownIds,
} from "./operations.ts";
import { type Walk, walk } from "./pages.ts";
import { sampleByCase } from "./sample.ts";
import { fetchUnlinked } from "./subaccount-index.ts";

/** Maximum number of resources fetched per kind, sampled across all cases. */
const MAX_PER_KIND = 150;

const QUOTA = { ofAKind: MAX_PER_KIND, messages: 300, astray: 30 };

/** A mock always returns the same response, so one of each is enough. */
const MOCK_QUOTA = { ofAKind: 1, messages: 1, astray: 1 };

/** Reads the target's data once per run. */
export function feedOf(session: Session): Promise<Feed> {
  return session.share("feed", crawl);
}

/**
 * Requests a token, walks every collection, and follows the links in the responses (PAGE-14: no
 * link is constructed). Resources without links are fetched last, by id.
 */
async function crawl(session: Session): Promise<Feed> {
  const isMock = session.capabilities.profile === "mock";
  const crawler = new LinkCrawler(session, isMock ? MOCK_QUOTA : QUOTA);
  const { responses, links, at } = crawler;
  const of = (operation: OperationWithResponse) =>
    responses.filter((response) => response.operation === operation);
  crawler.add(
    "POST /auth/realms/{account_id}/protocol/openid-connect/token",
    await session.tokenExchange(),
  );
  const walks = new Map<CollectionOperation, Walk>();
  const feed = { walks, responses, links, of, at };
  if (!(await session.hasToken())) return feed;

  await Promise.all(
    collections.map(async (operation) => {
      // A mock chooses its own page size and items.
      const bounds = isMock ? { mostPages: 1 } : { limit: maxPageSize };
      walks.set(operation, await walk(session, operation, bounds));
    }),
  );
  for (const operation of collections) {
    for (const { exchange } of walks.get(operation)?.pages ?? []) crawler.add(operation, exchange);
  }
  await crawler.follow(collections.flatMap((operation) => carriedByItems(walks.get(operation))));
  if (isMock) {
    // A stateless mock returns its example for any id.
    for (const operation of LINKED_BY_DELIVERIES) {
      if (of(operation).length === 0) {
        crawler.add(
          operation,
          await session.follow(pathWithUnknownIds(operations[operation].path)),
        );
      }
    }
  } else {
    await fetchUnlinked(session, feed, crawler);
  }
  return feed;
}

/** The links in a collection's items; of a long collection, only of a sample. */
function carriedByItems(walked: Walk | undefined): CarriedLink[] {
  if (!walked) return [];
  const { operation, pages } = walked;
  const items = pages.flatMap(({ exchange, items }) =>
    items.map((item, i) => ({
      item,
      from: exchange,
      at: `/_embedded/${ITEM_KEYS[operation]}/${i}`,
    })),
  );
  return sampleByCase(items, MAX_PER_KIND, ({ item }) => item).flatMap(({ item, from, at }) =>
    linksIn(item, at).map((link) => ({ link, from })),
  );
}
