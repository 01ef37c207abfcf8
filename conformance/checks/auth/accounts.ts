import { memberOf } from "../../../src/contract/pointer.ts";
import { eachResponse } from "../../assert.ts";
import { type Breach, type Check, type Found, Skip } from "../../check.ts";
import { feedOf } from "../../observe/crawl.ts";
import { operationAt, resources } from "../../observe/operations.ts";
import { pagingsOf } from "../../observe/paging.ts";
import { hrefOf } from "../../observe/paging-page.ts";
import { sample } from "../../observe/sample.ts";
import { secondAccountOf } from "../../observe/second-account.ts";
import { pathBelow } from "../../observe/secured.ts";
import { itemsOf } from "../../observe/walk.ts";
import type { Session } from "../../run/session.ts";
import type { Exchange } from "../../wire/exchange.ts";

/** The sample size for each kind of resource. */
const MAX_PER_KIND = 10;

const needs = ["state", "secondAccount"] as const;

const HAVE = "give each account a resource";

/** Checks that a token of one account can't read resources of another (AUTH-12). */
export const accounts: readonly Check[] = [
  // AUTH-12: A token of one account gives no access to data of another account.
  {
    claims: ["AUTH-12.lists"],
    title: "the lists of two accounts have no resource in common",
    requires: needs,
    run: async (session) => {
      const owned = await ownIds(session);
      const { pages } = await secondAccountOf(session);
      if (owned.size === 0 || pages.length === 0) {
        return new Skip("one of the accounts has no list with resources", HAVE);
      }
      return {
        assertions: pages.length,
        breaches: pages.flatMap(({ exchange, items }) => {
          return sharedBy(exchange, items, owned);
        }),
      };
    },
  },
  {
    claims: ["AUTH-12.singles"],
    title: "the second account cannot read a resource of the first",
    requires: needs,
    run: async (session) => {
      await secondAccountOf(session);
      const skip = new Skip("the account has no resource", HAVE);
      const callOf = (own: Exchange) => ({ method: "GET", path: pathBelow(session, own) });
      return eachResponse(
        await ownResources(session),
        skip,
        (own) => session.sendAuthorized(callOf(own), "$TXFEED_SECOND_TOKEN"),
        (exchange, own) => shown(exchange, callOf(own).path, own),
      );
    },
  },
  {
    claims: ["AUTH-12.singles"],
    title: "the first account cannot read a resource of the second",
    requires: needs,
    run: async (session) => {
      const { paths } = await secondAccountOf(session);
      const chosen = [...paths.values()].flatMap((some) => sample(some, MAX_PER_KIND));
      const skip = new Skip("the second account has no resource", HAVE);
      return eachResponse(
        chosen,
        skip,
        (path) => session.sendAuthorized({ method: "GET", path }),
        shown,
      );
    },
  },
  {
    claims: ["AUTH-12.singles"],
    title: "a resource cannot be read under another account's subaccount id",
    requires: needs,
    run: async (session) => {
      const { paths } = await secondAccountOf(session);
      const [subaccount] = paths.get("GET /subaccounts/{id}") ?? [];
      const id = subaccount && lastSegmentOf(subaccount);
      const owned = (await ownResources(session)).filter(({ request }) =>
        operationOf(session, request.url)?.includes("{subaccountId}"),
      );
      const hint = "give the second account a subaccount, and the first a bank transaction";
      const skip = new Skip("no path has both a subaccount and a resource", hint);
      if (id === undefined) return skip;
      const callOf = (own: Exchange) => {
        const [, collection, , ...rest] = pathBelow(session, own).split("/");
        return { method: "GET", path: `/${[collection, id, ...rest].join("/")}` };
      };
      return eachResponse(
        owned,
        skip,
        (own) => session.sendAuthorized(callOf(own), "$TXFEED_SECOND_TOKEN"),
        (exchange, own) => shown(exchange, callOf(own).path, own),
      );
    },
  },
  {
    claims: ["AUTH-12.lists"],
    title: "a next link exposes no resource of the first account to the second",
    requires: needs,
    run: nextPages,
  },
];

/** Checks that another account's token gets no resources from a next link. */
async function nextPages(session: Session): Promise<Found | Skip> {
  await secondAccountOf(session);
  const owned = await ownIds(session);
  const links = (await pagingsOf(session)).flatMap(({ operation, walks }) => {
    const page = walks.flatMap(({ pages }) => pages).find((page) => hrefOf(page, "next"));
    const href = page && hrefOf(page, "next");
    return href?.startsWith("/") ? [{ operation, href }] : [];
  });
  const skip = new Skip("no list has a second page", "have two resources in a list");
  return eachResponse(
    links,
    skip,
    ({ href }) => session.sendAuthorized({ method: "GET", path: href }, "$TXFEED_SECOND_TOKEN"),
    (exchange, { operation }) => sharedBy(exchange, itemsOf(operation, exchange), owned),
  );
}

/** The ids in the account's own lists, with the page of each. */
async function ownIds(session: Session): Promise<ReadonlyMap<string, Exchange>> {
  const walks = (await pagingsOf(session)).flatMap(({ walks }) => walks);
  const pages = walks.flatMap(({ pages }) => pages);
  return new Map(
    pages.flatMap(({ exchange, items }) =>
      items.flatMap((item) => {
        const id = memberOf(item, "id");
        return typeof id === "string" ? [[id, exchange] as const] : [];
      }),
    ),
  );
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

/** Only a 200 response with the resource fails: any refusal or other body passes. */
function shown(exchange: Exchange, path: string, own?: Exchange): Breach[] {
  const { status, json } = exchange.response ?? {};
  const id = memberOf(json, "id");
  if (status !== 200 || typeof id !== "string") return [];
  if (id.toLowerCase() !== lastSegmentOf(path).toLowerCase()) return [];
  const evidence = [exchange, ...(own ? [own] : [])] as const;
  return [{ expected: "no resource of another account", actual: `${status}`, evidence }];
}

function lastSegmentOf(path: string): string {
  return path.split(/[?#]/)[0]?.split("/").at(-1) ?? "";
}

function operationOf({ baseUrl }: Session, url: string): string | undefined {
  return operationAt(url.slice(new URL(baseUrl).href.replace(/(?<!\/)\/+$/, "").length));
}
