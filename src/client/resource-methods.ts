import { TxfeedError } from "../errors.ts";
import type { CallOptions } from "./options.ts";
import { Pages } from "./pages.ts";
import type { Requester } from "./requester.ts";
import type { CompleteOptions, Listable, ListOptions, Resources } from "./resources.ts";
import type { PathOf } from "./surface.ts";

/** Makes the resources of a client out of what sends requests. */
export function resourcesOf(requester: Requester): Resources {
  const readable = (path: PathOf<"GET">) => readableBy(requester, path, namesIn(path));
  const listable = (path: PathOf<"GET">, key: string) => listableBy(requester, path, key);
  const resources = {
    subaccounts: { ...readable("/subaccounts/{id}"), ...listable("/subaccounts", "subaccounts") },
    cards: { ...readable("/cards/{id}"), ...listable("/cards", "cards") },
    cardSubscriptions: readable("/card-subscriptions/{id}"),
    networkBulkFeeds: readable("/network-bulk-feeds/{id}"),
    transactions: {
      ...readable("/transactions/{transactionId}"),
      ...listable("/transactions", "transactions"),
    },
    transactionMessages: readable("/transaction-messages/{id}"),
    bankLinks: { ...completable(requester), ...listable("/bank-links", "bankLinks") },
    bankAccounts: {
      ...readable("/bank-accounts/{id}"),
      ...listable("/bank-accounts", "bankAccounts"),
    },
    bankTransactions: {
      ...readable("/bank-transactions/{subaccountId}/{id}"),
      ...listable("/bank-transactions", "bankTransactions"),
    },
    transactionMatches: {
      ...readable("/transaction-matches/{subaccountId}/{matchId}"),
      ...listable("/transaction-matches", "transactionMatches"),
    },
  };
  // The paths above give the types; that they are the right ones is for the tests to show.
  return resources as unknown as Resources;
}

/** The names of a path's parameters, in order. */
function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** Reads one by as many ids as its path has. */
function readableBy(requester: Requester, path: string, names: readonly string[]) {
  const read = (args: readonly unknown[]) => {
    const ids = names.map((name, index) => [name, args[index]] as const);
    const values = { path: Object.fromEntries(ids) as Record<string, string> };
    return [path, values, args[names.length] as CallOptions | undefined] as const;
  };
  return {
    get: (...args: unknown[]) => requester.need("GET", ...read(args)),
    getResult: (...args: unknown[]) => requester.ask("GET", ...read(args)),
  };
}

function listableBy(requester: Requester, path: PathOf<"GET">, key: string) {
  return {
    list: ({ limit, from, ahead: isAhead = false, ...options }: ListOptions = {}) => {
      checkList(limit, from);
      const fetch = (link: ListOptions["from"], walk: AbortSignal) => {
        const { signal } = options;
        const all = { ...options, signal: signal ? AbortSignal.any([signal, walk]) : walk };
        if (link !== undefined) return requester.needLink(link, all, path);
        return requester.need("GET", path, { query: { limit } }, all);
      };
      return new Pages<unknown, unknown>({ fetch, from, isAhead, path, key });
    },
    listResult: ({ limit, from, ...options }: ListOptions = {}) => {
      checkList(limit, from);
      if (from !== undefined) return requester.askLink(from, options, path);
      return requester.ask("GET", path, { query: { limit } }, options);
    },
  } satisfies Record<keyof Listable<"/cards">, unknown>;
}

function completable(requester: Requester) {
  const path = "/bank-links/{bankLinkId}";
  return {
    complete: (bankLinkId: string, options?: CompleteOptions) =>
      requester.need("PATCH", path, { path: { bankLinkId } }, options),
    completeResult: (bankLinkId: string, options?: CompleteOptions) =>
      requester.ask("PATCH", path, { path: { bankLinkId } }, options),
  };
}

/** PAGE-01, PAGE-15: a limit of 1 to 100, and none for a page that a link leads to. */
function checkList(limit: number | undefined, from: unknown): void {
  if (limit === undefined) return;
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw new TxfeedError("usage", "limit takes a whole number from 1 to 100");
  }
  if (from !== undefined) {
    throw new TxfeedError("usage", "limit goes without from: a link keeps the limit of its page");
  }
}
