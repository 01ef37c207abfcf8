import { TxfeedError } from "../errors.ts";
import type { CallOptions } from "./options.ts";
import { Pages } from "./pages.ts";
import type { Requester } from "./requester.ts";
import type { CompleteOptions, ListOptions, Resources } from "./resources.ts";

/**
 * What ends the path of a single resource; empty where none is read alone. The path begins with the
 * resource's name in kebab case, and a page of its collection has the items under that name.
 */
const IDS: { readonly [Name in keyof Resources]: string } = {
  subaccounts: "/{id}",
  cards: "/{id}",
  cardSubscriptions: "/{id}",
  networkBulkFeeds: "/{id}",
  transactions: "/{transactionId}",
  transactionMessages: "/{id}",
  bankLinks: "",
  bankAccounts: "/{id}",
  bankTransactions: "/{subaccountId}/{id}",
  transactionMatches: "/{subaccountId}/{matchId}",
};

/** The resources that have no collection. */
const UNLISTED = ["cardSubscriptions", "networkBulkFeeds", "transactionMessages"];

/** Makes the resources of a client out of what sends requests. */
export function resourcesOf(requester: Requester): Resources {
  const resources = Object.entries(IDS).map(([name, ids]) => {
    const path = `/${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const methods = {
      ...(ids !== "" && readable(requester, path + ids)),
      ...(!UNLISTED.includes(name) && listable(requester, path, name)),
      ...(name === "bankLinks" && completable(requester)),
    };
    return [name, methods];
  });
  // The paths give the types; that they are the right ones is for the tests to show.
  return Object.fromEntries(resources) as Resources;
}

/** Reads one by as many ids as its path has. */
function readable(requester: Requester, path: string) {
  requester.register(path);
  const count = path.split("{").length - 1;
  const read =
    (isNeeded: boolean) =>
    (...args: unknown[]) =>
      requester.send(
        `GET ${path}`,
        { path: args.slice(0, count) },
        args[count] as CallOptions | undefined,
        isNeeded,
      );
  return { get: read(true), getResult: read(false) };
}

function listable(requester: Requester, path: string, key: string) {
  requester.register(path);
  const page = ({ limit, from, ahead, ...options }: ListOptions, isNeeded: boolean) =>
    from === undefined
      ? requester.send(`GET ${path}`, { query: { limit } }, options, isNeeded)
      : requester.follow(from, options, isNeeded, path);
  return {
    list: (options: ListOptions = {}) => {
      checkLimit(options);
      const { from, ahead: isAhead = false, signal } = options;
      const fetch = (link: ListOptions["from"], walk: AbortSignal) => {
        const either = signal ? AbortSignal.any([signal, walk]) : walk;
        const { from: _, ...others } = options;
        return page({ ...others, ...(link !== undefined && { from: link }), signal: either }, true);
      };
      return new Pages<unknown, unknown>({ fetch, from, isAhead, path, key });
    },
    listResult: async (options: ListOptions = {}) => {
      checkLimit(options);
      return page(options, false);
    },
  };
}

function completable(requester: Requester) {
  const complete = (isNeeded: boolean) => (bankLinkId: string, options?: CompleteOptions) =>
    requester.send("PATCH /bank-links/{bankLinkId}", { path: [bankLinkId] }, options, isNeeded);
  return { complete: complete(true), completeResult: complete(false) };
}

/** PAGE-01, PAGE-15: a limit of 1 to 100, and none for a page that a link leads to. */
function checkLimit({ limit, from }: ListOptions): void {
  if (limit === undefined) return;
  if (!Number.isInteger(limit) || limit < 1 || limit > 100 || from !== undefined) {
    const reason = "limit takes a whole number from 1 to 100, without from";
    throw new TxfeedError("usage", reason);
  }
}
