import type { Session } from "../../run/session.ts";
import { Skip } from "../../run/skip.ts";
import type { Delivery, Exchange } from "../../wire/exchange.ts";
import { feedOf, isRateLimited } from "../crawl.ts";
import { sample } from "../feed.ts";
import { linksIn } from "../links.ts";
import { operationAt } from "../operations.ts";
import { BANK_TRANSACTION, MATCH, pathTo, Subaccounts } from "../subaccounts.ts";
import { type ValidatedResponse, validatedResponse } from "../validation.ts";
import { type History, historyOf } from "./history.ts";
import {
  allNamed,
  isNamed,
  postingIdsOf,
  readDeliveries,
  type TypedDelivery,
} from "./typed-delivery.ts";

/** A resource referenced by a delivery, fetched after delivery collection ended. */
export interface ReferencedResource {
  readonly href: string;
  /** The first delivery that references it. */
  readonly from: Delivery;
  /** Whether the reference is a link in the delivery's body. */
  readonly isLink: boolean;
  readonly exchange: Exchange;
  /** The validated response; undefined if the link leads to no operation of the interface. */
  readonly response?: ValidatedResponse;
}

/** The API's responses for all resources that the deliveries reference. */
export interface ReferencedResources {
  readonly history: History;
  readonly resources: readonly ReferencedResource[];
  /** The resource at a path; undefined if it was not fetched. */
  readonly at: (href: string | undefined) => ReferencedResource | undefined;
  /** The path of a bank transaction; undefined if its subaccount is unknown. */
  readonly postingPath: (id: string) => string | undefined;
  readonly matchPath: (match: TypedDelivery<"transaction.match.created">) => string | undefined;
}

/** The links that the interface names in events. */
const NAMED = [
  "self",
  "subaccount",
  "card",
  "messages",
  "message",
  "bankAccount",
  "networkBulkFeed",
];

/** Maximum number of resources fetched, sampled evenly. */
const MAX_LOOKUPS = 300;

/** Minimum sample per kind, so that frequent kinds do not crowd out others. */
const LEAST_OF_A_KIND = 20;

/** Fetches the referenced resources once. */
export function referencedResources(session: Session): Promise<ReferencedResources> {
  return session.share("referenced resources", async (shared) => {
    const history = await historyOf(shared);
    const { typed } = history.reading;
    const subaccounts = new Subaccounts(typed, await feedOf(shared));
    const postingPath = (id: string) => pathOf(BANK_TRANSACTION, subaccounts.of(id), id);
    const matchPath = ({ body }: TypedDelivery<"transaction.match.created">) => {
      const { cardTransaction, matches, matchId } = body;
      const postings = matches.map(({ id }) => id);
      const ids = [cardTransaction.id, ...postings, cardTransaction.cardId];
      return pathOf(MATCH, subaccounts.of(...ids), matchId);
    };
    const wanted = wantedBy(history, { postingPath, matchPath });
    const requested = await Promise.all(chosen(wanted).map((want) => ask(shared, want)));
    // A rate-limited response says nothing about the resource.
    const resources = requested.filter(
      (lookup) => lookup !== undefined && !isRateLimited(lookup.exchange),
    ) as ReferencedResource[];
    const byHref = new Map(resources.map((lookup) => [lookup.href, lookup]));
    const at = (href: string | undefined) => (href === undefined ? undefined : byHref.get(href));
    return { history, resources, at, postingPath, matchPath };
  });
}

/** The path of a resource; undefined if its subaccount is unknown. */
function pathOf(
  operation: Parameters<typeof pathTo>[0],
  subaccountId: string | undefined,
  id: string,
): string | undefined {
  return subaccountId === undefined ? undefined : pathTo(operation, subaccountId, id);
}

type Wanted = Pick<ReferencedResource, "href" | "from" | "isLink">;

function wantedBy(
  { deliveries, reading: { typed } }: History,
  { postingPath, matchPath }: Pick<ReferencedResources, "postingPath" | "matchPath">,
): Wanted[] {
  const wanted = new Map<string, Wanted>();
  const want = (href: string | undefined, from: Delivery, isLink: boolean) => {
    if (href !== undefined && !wanted.has(href)) wanted.set(href, { href, from, isLink });
  };
  for (const from of deliveries) {
    for (const { href, name } of linksIn(from.json)) {
      // Other links may be for another method, or templates.
      if (NAMED.includes(name) || operationAt(href)) want(href, from, true);
    }
  }
  for (const one of typed) {
    const postings = isNamed(one, "banktransaction.created") ? [one.body.id] : postingIdsOf(one);
    for (const id of postings) want(postingPath(id), one.delivery, false);
  }
  for (const match of allNamed(typed, "transaction.match.created")) {
    want(matchPath(match), match.delivery, false);
    for (const { id } of match.body.matches) want(postingPath(id), match.delivery, false);
  }
  return [...wanted.values()];
}

function chosen(wanted: readonly Wanted[]): Wanted[] {
  const share = MAX_LOOKUPS / Math.max(MAX_LOOKUPS, wanted.length);
  const kinds = Map.groupBy(wanted, ({ href }) => operationAt(href));
  return [...kinds.values()].flatMap((ofKind) =>
    sample(ofKind, Math.max(LEAST_OF_A_KIND, Math.floor(ofKind.length * share))),
  );
}

async function ask(session: Session, wanted: Wanted): Promise<ReferencedResource | undefined> {
  const { href } = wanted;
  try {
    const exchange = await session.follow(href);
    const operation = operationAt(href);
    const response = operation && validatedResponse(operation, exchange, session.capabilities);
    return { ...wanted, exchange, ...(response && { response }) };
  } catch (error) {
    // CONV-05 reports refused links. Other skips are reported at their source.
    if (error instanceof Skip) return undefined;
    throw error;
  }
}

/**
 * Filters out differences between deliveries and the API that a later delivery explains: a change
 * made during the comparison may be announced a moment later. Each check calls it once.
 *
 * @param isExplained Whether a later delivery explains a difference.
 */
export async function unexplained<T>(
  session: Session,
  differences: readonly T[],
  isExplained: (difference: T, later: readonly TypedDelivery[]) => boolean,
): Promise<T[]> {
  if (differences.length === 0) return [];
  const { deliveries } = await historyOf(session);
  const later = (all: readonly Delivery[]) =>
    readDeliveries(all.slice(deliveries.length), session.capabilities).typed;
  const all = await session.deliveries((now) =>
    differences.every((one) => isExplained(one, later(now))),
  );
  return differences.filter((one) => !isExplained(one, later(all)));
}
