import { operations } from "../../generated/operations.ts";
import { maxPageSize } from "../../generated/resources.ts";
import type { OperationWithResponse } from "../../src/contract/validate.ts";
import type { Session } from "../check.ts";
import { orSkip, Skip, unlessSkipped } from "../skip.ts";
import type { Exchange } from "../wire/exchange.ts";
import {
  BANK_TRANSACTION,
  type Feed,
  type FollowedLink,
  itemsOf,
  MATCH,
  observed,
  pathTo,
  projectionsIn,
  relatedIds,
  SubaccountIndex,
  sample,
  sampleByCase,
  textOf,
} from "./feed.ts";
import {
  type CollectionOperation,
  collections,
  isFollowed,
  LINKED_BY_DELIVERIES,
  linkAt,
  linksIn,
  operationAt,
  pathBelow,
  pathOf,
  pathWithUnknownIds,
  type ReadOperation,
} from "./operations.ts";
import { placedItems, type Walk, walk } from "./pages.ts";
import { type ValidatedResponse, validatedResponse } from "./validation.ts";

/** Maximum number of resources fetched per kind, sampled across all cases. */
const MAX_PER_KIND = 150;

/** Maximum number of links followed, by target. The target's data cannot raise it. */
const QUOTA = {
  ofAKind: MAX_PER_KIND,
  /** Higher: messages are the most frequent resource, and each is compared with its projection. */
  messages: 300,
  /** Links to URLs outside the interface. */
  astray: 30,
};

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
        const path = pathWithUnknownIds(operations[operation].path);
        crawler.add(operation, await session.follow(path));
      }
    }
  } else {
    await addUnlinked(session, feed, crawler);
  }
  return feed;
}

/** Every resource seen in the target's responses, and every message in its transaction. */
export async function observationsOf(session: Session) {
  const feed = await feedOf(session);
  const transactions = observed(feed, "GET /transactions/{transactionId}");
  return {
    transactions,
    projections: projectionsIn(transactions),
    messages: observed(feed, "GET /transaction-messages/{id}"),
    matches: observed(feed, MATCH),
  };
}

/** Maximum number of unlinked resources fetched per kind. */
const MAX_UNLINKED = 60;

/**
 * Fetches listed bank transactions and matches that have no self link, which the interface does not
 * require. Related resources name the subaccount; otherwise a few subaccounts are searched.
 * Resources that are not found are ignored.
 */
async function addUnlinked(session: Session, feed: Feed, crawler: LinkCrawler): Promise<void> {
  const index = new SubaccountIndex(feed);
  for (const operation of [MATCH, BANK_TRANSACTION]) {
    const unlinked = itemsOf(feed, operation).filter(
      ({ body }) => linkAt(body, ["_links", "self"]) === undefined,
    );
    const found = await Promise.all(
      sample(unlinked, MAX_UNLINKED).map(async ({ body }) => {
        const id = textOf(body, "id");
        if (id === undefined) return undefined;
        for (const subaccountId of index.candidatesOf(id, ...relatedIds(body)).subaccounts) {
          const path = pathTo(operation, subaccountId, id);
          const exchange = await unlessSkipped(session.follow(path));
          if (exchange?.response?.status === 200) return { path, exchange };
        }
        return undefined;
      }),
    );
    for (const one of found) if (one) crawler.addAt(one.path, operation, one.exchange);
  }
}

/** The links in a collection's items; of a long collection, only of a sample. */
function carriedByItems(walked: Walk | undefined): CarriedLink[] {
  if (!walked) return [];
  const items = walked.pages.flatMap((page) => placedItems(walked.operation, page));
  return sampleByCase(items, MAX_PER_KIND, ({ body }) => body).flatMap(({ body, exchange, at }) =>
    linksIn(body, at).map((link) => ({ ...link, from: exchange })),
  );
}

/** A link and the response it was found in. */
type CarriedLink = Pick<FollowedLink, "path" | "name" | "href" | "from">;

/** Follows each link once, within the quota, and collects the responses. */
class LinkCrawler {
  readonly responses: ValidatedResponse[] = [];
  readonly links: FollowedLink[] = [];
  readonly #session: Session;
  readonly #quota: typeof QUOTA;
  readonly #visited = new Set<string>();
  readonly #counts = new Map<ReadOperation | undefined, number>();
  readonly #byPath = new Map<string, ValidatedResponse>();

  constructor(session: Session, quota: typeof QUOTA) {
    this.#session = session;
    this.#quota = quota;
  }

  /** Validates and keeps a response. */
  add(operation: OperationWithResponse, exchange: Exchange): ValidatedResponse {
    const response = validatedResponse(operation, exchange, this.#session.capabilities);
    this.responses.push(response);
    return response;
  }

  /** Keeps a resource's response by its requested path. */
  addAt(path: string, operation: ReadOperation, exchange: Exchange): ValidatedResponse {
    const response = this.add(operation, exchange);
    this.#byPath.set(path, response);
    return response;
  }

  /** The response at a resource's path. */
  readonly at = (path: string): ValidatedResponse | undefined => this.#byPath.get(path);

  /** Follows links recursively until there are no new ones. */
  async follow(carried: readonly CarriedLink[]): Promise<void> {
    let round = this.#chosenOf(carried);
    while (round.length > 0) {
      const followed = await Promise.all(round.map((one) => this.#followOne(one)));
      // Keep the order of the links, not of the responses.
      for (const link of followed) this.links.push(link);
      round = this.#chosenOf(followed.flatMap((link) => this.#carriedBy(link)));
    }
  }

  #chosenOf(carried: readonly CarriedLink[]): CarriedLink[] {
    return carried.filter(({ href, name }) => {
      if (this.#visited.has(href)) return false;
      const operation = operationAt(href);
      // Collections are walked separately.
      if (collections.some((collection) => collection === operation)) return false;
      if (!isFollowed({ href, name })) return false;
      const count = this.#counts.get(operation) ?? 0;
      if (count >= this.#most(operation)) return false;
      this.#counts.set(operation, count + 1);
      this.#visited.add(href);
      return true;
    });
  }

  #most(operation: ReadOperation | undefined): number {
    const { ofAKind, messages, astray } = this.#quota;
    if (operation === undefined) return astray;
    return operation === "GET /transaction-messages/{id}" ? messages : ofAKind;
  }

  async #followOne(link: CarriedLink): Promise<FollowedLink> {
    const operation = operationAt(link.href);
    const found = await orSkip(this.#session.follow(link.href));
    const outcome = found instanceof Skip ? { refusal: found.reason } : { exchange: found };
    return { ...link, operation, ...outcome };
  }

  /** Keeps a link's response and returns the links in it. */
  #carriedBy({ operation, exchange, href }: FollowedLink): CarriedLink[] {
    if (!exchange || !operation) return [];
    this.addAt(pathOf(href), operation, exchange);
    return linksIn(exchange.response?.json).map((link) => ({ ...link, from: exchange }));
  }
}

/** Repeats requests, because a resource may have changed since, each at most once. */
export class Recheck {
  readonly #session: Session;
  readonly #refetched = new Map<string, Promise<Exchange | undefined>>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** The response to the same request; undefined if it is skipped. */
  fetch(exchange: Exchange): Promise<Exchange | undefined> {
    const { url } = exchange.request;
    const path = pathBelow(this.#session, exchange);
    const again = this.#refetched.get(url) ?? unlessSkipped(this.#session.follow(path));
    this.#refetched.set(url, again);
    return again;
  }
}

/** Maximum number of failures to recheck. */
export const MAX_RECHECKS = 25;

/**
 * A request without a 200 JSON response. If a link led to it, includes the response with the link.
 */
interface Suspect {
  readonly exchange: Exchange;
  readonly from?: Exchange;
  readonly href?: string;
}

/**
 * The requests without a 200 JSON response, neither at first nor when repeated. Maps the first
 * exchange to the second. Excludes links that are gone from their page or resource when refetched.
 */
export function failedRequestsOf(session: Session): Promise<ReadonlyMap<Exchange, Exchange>> {
  return session.share("unanswered", async (own) => {
    const recheck = new Recheck(own);
    const suspects = suspectsOf(await feedOf(session));
    const seconds = await Promise.all(suspects.map((suspect) => confirm(suspect, recheck)));
    return new Map(
      suspects.flatMap(({ exchange }, i) => {
        const second = seconds[i];
        return second ? [[exchange, second] as const] : [];
      }),
    );
  });
}

function suspectsOf({ responses, links }: Feed): Suspect[] {
  const carried = new Set<Exchange>();
  const byLink = links.flatMap(({ exchange, from, href }) => {
    if (!exchange) return [];
    carried.add(exchange);
    return isAnswered(exchange) ? [] : [{ exchange, from, href }];
  });
  const others = responses.flatMap(({ exchange }) =>
    carried.has(exchange) || isAnswered(exchange) || exchange.request.method !== "GET"
      ? []
      : [{ exchange }],
  );
  return [...others, ...byLink].slice(0, MAX_RECHECKS * 4);
}

async function confirm(
  { exchange, from, href }: Suspect,
  recheck: Recheck,
): Promise<Exchange | undefined> {
  const second = await recheck.fetch(exchange);
  if (!second || isAnswered(second)) return undefined;
  if (!from || href === undefined) return second;
  const carrier = await recheck.fetch(from);
  const isCarried = linksIn(carrier?.response?.json).some((link) => link.href === href);
  return isCarried ? second : undefined;
}

function isAnswered({ response }: Exchange): boolean {
  return response?.status === 200 && response.json !== undefined;
}
