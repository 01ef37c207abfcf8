import { UsageError } from "../errors.ts";
import { segmentOf } from "./base-address.ts";
import { type CallOptions, checkCall } from "./options.ts";
import { Pages } from "./pages.ts";
import type { Requester } from "./requester.ts";
import type { ListOptions, Resources } from "./resources.ts";

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
      ...(ids !== "" && readable(requester, path + ids, name)),
      ...(!UNLISTED.includes(name) && listable(requester, path, name)),
      ...(name === "bankLinks" && completable(requester)),
    };
    return [name, methods];
  });
  // The paths give the types; that they are the right ones is for the tests to show.
  return Object.fromEntries(resources) as Resources;
}

/** Reads one by as many ids as its path has. */
function readable(requester: Requester, path: string, name: string) {
  const read = sender(requester, `GET ${path}`);
  return { get: read(`${name}.get`, true), getResult: read(`${name}.getResult`) };
}

function completable(requester: Requester) {
  const complete = sender(requester, "PATCH /bank-links/{bankLinkId}", "body");
  return {
    complete: complete("bankLinks.complete", true),
    completeResult: complete("bankLinks.completeResult"),
  };
}

/** Makes methods that send an operation: they take the ids of its path, then the options. */
function sender(requester: Requester, operation: string, ...own: readonly string[]) {
  requester.register(operation);
  // Each parameter is at the end of the path.
  const [collection = "", ...names] = operation.replace(/^\w+ |\}/g, "").split("/{");
  const count = names.length;
  return (what: string, isNeeded?: boolean) =>
    async (...args: unknown[]) => {
      if (args.length < count) {
        const got = `${args.length} argument${args.length === 1 ? "" : "s"}`;
        throw new UsageError(`${what} needs ${names.join(" and ")}; got ${got}`);
      }
      const options = args[count] as CallOptions | undefined;
      checkCall(what, options, ...own);
      const path = names.reduce((to, name, at) => `${to}/${segmentOf(name, args[at])}`, collection);
      return requester.send(operation, path, options, isNeeded);
    };
}

function listable(requester: Requester, path: string, key: string) {
  const operation = `GET ${path}`;
  requester.register(operation);
  const page = ({ limit, from, ahead, ...options }: ListOptions, isNeeded: boolean) =>
    from === undefined
      ? requester.send(operation, path + (limit ? `?limit=${limit}` : ""), options, isNeeded)
      : requester.follow(from, options, isNeeded, path);
  return {
    list: (options: ListOptions = {}) => {
      checkList(`${key}.list`, options);
      const { from, ahead: isAhead = false, signal } = options;
      const fetch = (link: ListOptions["from"], walk: AbortSignal) => {
        const either = signal ? AbortSignal.any([signal, walk]) : walk;
        return page({ ...options, from: link, signal: either }, true);
      };
      return new Pages<unknown, unknown>({ fetch, from, isAhead, path, key });
    },
    listResult: async (options: ListOptions = {}) => {
      checkList(`${key}.listResult`, options);
      return page(options, false);
    },
  };
}

/** PAGE-01, PAGE-15: a limit of 1 to 100, and none for a page that a link leads to. */
function checkList(what: string, options: ListOptions): void {
  checkCall(what, options, "limit", "from", "ahead");
  const { limit, from } = options;
  if (limit === undefined) return;
  if (!Number.isInteger(limit) || limit < 1 || limit > 100 || from !== undefined) {
    const reason = "limit must be a whole number from 1 to 100, and is not for use with from";
    throw new UsageError(`${what}: ${reason}; got ${String(limit)}`);
  }
}
