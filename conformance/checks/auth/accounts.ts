import type { Situation } from "../../../generated/requirements.ts";
import { resources as resourceTable } from "../../../generated/resources.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { Assertions, eachResponse } from "../../assert.ts";
import { type Breach, type Check, type Found, type Session, Skip } from "../../check.ts";
import {
  requireToken,
  secondAccountExchange,
  secondAccountOf,
} from "../../observe/authorization.ts";
import { feedOf } from "../../observe/crawl.ts";
import { findMatches, isAnnounced, textAt } from "../../observe/deliveries/find.ts";
import { BANK_TRANSACTION, MATCH, SubaccountIndex, sample } from "../../observe/feed.ts";
import {
  type CollectionOperation,
  idIn,
  operationAt,
  pathBelow,
  resources,
} from "../../observe/operations.ts";
import { itemsOf } from "../../observe/pages.ts";
import { laterPagesOf, pagingsOf } from "../../observe/paging.ts";
import { CARD_WITH_BANK } from "../../scripts/money.ts";
import { deliveriesSince, drive } from "../../verbs/drive.ts";
import { playedScript, requiredBy } from "../../verbs/script-checks.ts";
import { type Exchange, outcomeOf } from "../../wire/exchange.ts";

/** The sample size for each kind of resource. */
const MAX_PER_KIND = 10;

const needs = ["state", "secondAccount"] as const;

const HAVE = "give each account a resource";

const SECOND = "$TXFEED_SECOND_TOKEN";

/** A request for a resource that the account of a token does not own. */
interface ForeignRequest {
  readonly path: string;
  /** Default: the first account's token. */
  readonly token?: string;
  /** The owner's response. */
  readonly own?: Exchange;
}

/** Checks that a token of one account can't read resources of another. */
export const accounts: readonly Check[] = [
  // AUTH-12: A token of one account gives no access to data of another account.
  {
    claims: ["AUTH-12.lists"],
    title: "the lists of two accounts have no resource in common",
    requires: needs,
    run: async (session) => {
      const owned = await ownIds(session);
      const { lists } = await secondAccountOf(session);
      const assertions = new Assertions();
      for (const { operation, pages } of lists) {
        const own = owned.get(operation);
        if (!own || own.size === 0) continue;
        const list = assertions.of("AUTH-12.lists", operation.slice("GET /".length) as Situation);
        for (const { exchange, items } of pages) list.all(sharedBy(exchange, items, own));
      }
      const result = assertions.result("");
      return result instanceof Skip ? new Skip("one of the accounts has no list", HAVE) : result;
    },
  },
  foreign(
    "the second account cannot read a resource of the first",
    new Skip("the account has no resource", HAVE),
    async (session) =>
      (await ownResources(session)).map((own) => ({
        ...{ path: pathBelow(session, own), token: SECOND, own },
      })),
  ),
  foreign(
    "the first account cannot read a resource of the second",
    new Skip("the second account has no resource", HAVE),
    async (session) => {
      const { paths } = await secondAccountOf(session);
      const chosen = [...paths.values()].flatMap((some) => sample(some, MAX_PER_KIND));
      return chosen.map((path) => ({ path }));
    },
  ),
  foreign(
    "a resource cannot be read under another account's subaccount id",
    new Skip(
      "no path has both a subaccount and a resource",
      "give the second account a subaccount, and the first a bank transaction",
    ),
    async (session) => {
      const { paths } = await secondAccountOf(session);
      const [subaccount] = paths.get("GET /subaccounts/{id}") ?? [];
      if (subaccount === undefined) return [];
      return (await ownResources(session)).flatMap((own) => {
        const path = pathBelow(session, own);
        if (!operationAt(path)?.includes("{subaccountId}")) return [];
        const [, collection, , ...rest] = path.split("/");
        const moved = [collection, encodeURIComponent(idIn(subaccount)), ...rest];
        return [{ path: `/${moved.join("/")}`, token: SECOND, own }];
      });
    },
  ),
  {
    claims: ["AUTH-12.lists"],
    title: "a next link exposes no resource of the first account to the second",
    requires: needs,
    run: async (session) => {
      await secondAccountOf(session);
      const owned = await ownIds(session);
      return eachResponse(
        await laterPagesOf(session),
        new Skip("no list has a second page", "have two resources in a list"),
        ({ path }) => session.sendAuthorized({ method: "GET", path }, SECOND),
        (exchange, { operation }) =>
          sharedBy(exchange, itemsOf(operation, exchange), owned.get(operation) ?? new Map()),
      );
    },
  },
];

/** Creates a check that requests show no resource. It needs the second account. */
function foreign(
  title: string,
  skip: Skip,
  requests: (session: Session) => Promise<readonly ForeignRequest[]>,
): Check {
  return {
    claims: ["AUTH-12.singles"],
    ...{ title, requires: needs },
    run: async (session) => {
      await secondAccountOf(session);
      return eachResponse(
        await requests(session),
        skip,
        ({ path, token }) => session.sendAuthorized({ method: "GET", path }, token),
        // Only a 200 response with the resource fails: any refusal or other body passes.
        (exchange, { path, own }): Breach[] => {
          if (!hasId(exchange, idIn(path))) return [];
          const evidence = [exchange, ...(own ? [own] : [])] as const;
          return [{ expected: "no resource of another account", actual: "200", evidence }];
        },
      );
    },
  };
}

/** Checks that a token of one account can't read new resources of another (AUTH-12). */
export const drivenAccounts: readonly Check[] = [
  {
    claims: ["AUTH-12.just-created"],
    title: "the second account cannot read what was just created",
    requires: [
      ...[...needs, ...requiredBy(CARD_WITH_BANK)],
      ...(["verb:authorize", "verb:postAtBank"] as const),
    ],
    run: justCreated,
  },
];

/** The second account asks first, so that no response of the first account can be cached. */
async function justCreated(session: Session): Promise<Found | Skip> {
  const fresh = await freshResources(session);
  requireToken(await secondAccountExchange(session), "the second account's credentials");
  const assertions = new Assertions();
  for (const { id, path } of fresh) {
    const call = { method: "GET", path };
    const other = await session.sendAuthorized(call, SECOND);
    const own = await session.sendAuthorized(call);
    // A token that is refused shows nothing, and neither does a resource that is not there.
    if (!other.response || other.response.status === 401 || !hasId(own, id)) continue;
    const expected = "no resource of another account, although it is new";
    const actual = outcomeOf(other);
    assertions.check(!hasId(other, id), { expected, actual, evidence: [other, own] });
  }
  return assertions.result("no resource that was just created could be fetched by its account");
}

/** Whether a response is a resource, or a list with it. */
function hasId({ response }: Exchange, id: string): boolean {
  const { status, json } = response ?? {};
  const lists = Object.values(memberOf(json, "_embedded") ?? {}).filter(Array.isArray);
  const ids = [json, ...lists.flat()].map((one) => String(memberOf(one, "id")).toLowerCase());
  return status === 200 && ids.includes(id.toLowerCase());
}

/** The ids in the account's own lists, with the page of each. */
async function ownIds(
  session: Session,
): Promise<ReadonlyMap<CollectionOperation, ReadonlyMap<string, Exchange>>> {
  const ids = (await pagingsOf(session)).map(({ operation, walks }) => {
    const pages = walks.flatMap((walk) => walk.pages);
    const own = pages.flatMap(({ exchange, items }) =>
      items.flatMap((item) => {
        const id = memberOf(item, "id");
        return typeof id === "string" ? [[id, exchange] as const] : [];
      }),
    );
    return [operation, new Map(own)] as const;
  });
  return new Map(ids);
}

/** A sample of the account's own resources of each kind. */
async function ownResources(session: Session): Promise<Exchange[]> {
  const feed = await feedOf(session);
  return resources.flatMap((operation) => {
    const responses = feed.of(operation).filter(({ isJson }) => isJson);
    return sample(responses, MAX_PER_KIND).map(({ exchange }) => exchange);
  });
}

function sharedBy(
  exchange: Exchange,
  items: readonly unknown[],
  owned: ReadonlyMap<string, Exchange>,
): Breach[] {
  const shared = items.map((item) => String(memberOf(item, "id"))).find((id) => owned.has(id));
  const own = shared && owned.get(shared);
  if (!own) return [];
  const expected = "no resource of the other account";
  const evidence = [exchange, own] as const;
  return [{ path: "/_embedded", expected, actual: `${shared}, of the other account`, evidence }];
}

/** A resource that no request has named yet, and where to request it. */
interface FreshResource {
  readonly id: string;
  readonly path: string;
}

const PRICE = { amount: 23.89, merchant: "BUCHBINDEREI KOLB" };

/** Creates resources of several kinds, and requests none of them. */
function freshResources(session: Session): Promise<readonly FreshResource[]> {
  return session.share("resources are created but not requested", async (own) => {
    const { world } = await playedScript(own, CARD_WITH_BANK);
    const { cardId } = world.idsOf("card 1");
    const { bankAccountId } = world.idsOf("account 1");
    const since = (await own.deliveries()).length;
    const { cardId: newCardId, subscriptionId } = await drive(own, "enroll", undefined);
    const link = await drive(own, "startLink", { accounts: [{ type: "depository" }] });
    const { transactionId, messageId } = await drive(own, "authorize", { cardId, ...PRICE });
    const posting = { bankAccountId, transactionId, ...PRICE };
    const { bankTransactionId } = await drive(own, "postAtBank", posting);
    const deliveries = await deliveriesSince(own, since, (all) => {
      const isMatched = findMatches(all, bankTransactionId).length > 0;
      return isMatched && isAnnounced(all, "transaction.created", transactionId);
    });
    const bodies = deliveries.map(({ json }) => json);
    const index = new SubaccountIndex(await feedOf(own), bodies);
    const [match] = findMatches(deliveries, bankTransactionId);
    const matchId = textAt(match?.json, "/matchId");
    const below = ({ path }: { readonly path: string }, id: string) => ({
      id,
      path: `${path}/${encodeURIComponent(id)}`,
    });
    const within = (operation: typeof MATCH | typeof BANK_TRANSACTION, id = "") => {
      const path = index.pathTo(operation, id, transactionId);
      return id !== "" && path ? [{ id, path }] : [];
    };
    return [
      below(resourceTable.transactions, transactionId),
      below(resourceTable.transactionMessages, messageId),
      below(resourceTable.cards, newCardId),
      below(resourceTable.cardSubscriptions, subscriptionId),
      ...within(BANK_TRANSACTION, bankTransactionId),
      ...within(MATCH, matchId),
      // The interface shows no GET of a single link.
      { id: link.bankLinkId, path: `${resourceTable.bankLinks.path}?limit=100` },
    ];
  });
}
