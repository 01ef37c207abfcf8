import { resources } from "../../generated/resources.ts";
import { feedOf } from "../feed/crawl.ts";
import { isRateLimited } from "../feed/failed-requests.ts";
import { linksIn } from "../feed/link.ts";
import { operationAt } from "../feed/operations.ts";
import { sample } from "../feed/sample.ts";
import { type ValidatedResponse, validatedResponse } from "../feed/validation.ts";
import type { Session } from "../session.ts";
import { Skip } from "../skip.ts";
import type { Exchange } from "../transport/exchange.ts";
import type { Delivery } from "./delivery.ts";
import { type History, historyOf } from "./history.ts";
import { Subaccounts } from "./subaccounts.ts";
import {
  allNamed,
  isNamed,
  postingIdsOf,
  readDeliveries,
  type TypedDelivery,
} from "./typed-delivery.ts";

/** Something that a delivery leads to, asked for when the deliveries were in. */
export interface ReferencedResource {
  readonly href: string;
  /** The first delivery that leads there. */
  readonly from: Delivery;
  /** Whether it is a link of its body. */
  readonly isLink: boolean;
  readonly exchange: Exchange;
  /** What the contract says of it; undefined where it is no resource of the interface. */
  readonly answer?: ValidatedResponse;
}

/** What the API says of all that the deliveries told of. */
export interface ReferencedResources {
  readonly history: History;
  readonly resources: readonly ReferencedResource[];
  /** What a path gave; undefined where it was not selected. */
  readonly at: (href: string | undefined) => ReferencedResource | undefined;
  /** Where a bank transaction is asked for; undefined where its subaccount is not known. */
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

/** So many resources are asked for, spread over all that deliveries lead to. */
const MOST_LOOKUPS = 300;

/** Of each kind, so many even where others are a multitude. */
const LEAST_OF_A_KIND = 20;

/** What the API says afterwards. It is asked once. */
export function referencedResources(session: Session): Promise<ReferencedResources> {
  return session.share("what deliveries lead to", async (shared) => {
    const history = await historyOf(shared);
    const { typed } = history.reading;
    const subaccounts = new Subaccounts(typed, await feedOf(shared));
    const postingPath = (id: string) => pathOf("bankTransactions", subaccounts.of(id), id);
    const matchPath = ({ body }: TypedDelivery<"transaction.match.created">) => {
      const { cardTransaction, matches, matchId } = body;
      const postings = matches.map(({ id }) => id);
      const ids = [cardTransaction.id, ...postings, cardTransaction.cardId];
      return pathOf("transactionMatches", subaccounts.of(...ids), matchId);
    };
    const wanted = wantedBy(history, { postingPath, matchPath });
    const asked = await Promise.all(chosen(wanted).map((want) => ask(shared, want)));
    // A server that asks for patience says nothing of the resource.
    const resources = asked.filter(
      (lookup) => lookup !== undefined && !isRateLimited(lookup.exchange),
    ) as ReferencedResource[];
    const byHref = new Map(resources.map((lookup) => [lookup.href, lookup]));
    const at = (href: string | undefined) => (href === undefined ? undefined : byHref.get(href));
    return { history, resources, at, postingPath, matchPath };
  });
}

function pathOf(
  name: "bankTransactions" | "transactionMatches",
  subaccountId: string | undefined,
  id: string,
): string | undefined {
  return subaccountId === undefined ? undefined : `${resources[name].path}/${subaccountId}/${id}`;
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
      // Another link may be for another method, or a template.
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
  const share = MOST_LOOKUPS / Math.max(MOST_LOOKUPS, wanted.length);
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
    const answer = operation && validatedResponse(operation, exchange, session.capabilities);
    return { ...wanted, exchange, ...(answer && { answer }) };
  } catch (error) {
    // What the client refuses to follow is CONV-05's; what is given up is told by who gave it up.
    if (error instanceof Skip) return undefined;
    throw error;
  }
}

/**
 * Those of some differences between deliveries and the API that no later delivery explains: what
 * happens while the run compares may be announced a moment later. Called once by a check.
 *
 * @param isExplained Whether a delivery that came since does away with a difference.
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
