import { TxfeedError } from "../errors.ts";
import { type CallOptions, checkCall } from "./options.ts";
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
function readable(requester: Requester, path: string, resource: string) {
  requester.register(path);
  const names = [...path.matchAll(/\w+(?=})/g)];
  const read =
    (method: string) =>
    async (...args: unknown[]) => {
      const what = `${resource}.${method}`;
      const count = names.length;
      if (args.length < count) {
        const got = `${args.length} argument${args.length === 1 ? "" : "s"}`;
        throw new TxfeedError("usage", `${what} needs ${names.join(" and ")}; got ${got}`);
      }
      const options = args[count] as CallOptions | undefined;
      checkCall(what, options);
      const ids = { path: args.slice(0, count) };
      return requester.send(`GET ${path}`, ids, options, method === "get");
    };
  return { get: read("get"), getResult: read("getResult") };
}

function listable(requester: Requester, path: string, key: string) {
  requester.register(path);
  const page = ({ limit, from, ahead, ...options }: ListOptions, isNeeded: boolean) =>
    from === undefined
      ? requester.send(`GET ${path}`, { query: { limit } }, options, isNeeded)
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

function completable(requester: Requester) {
  const complete = (method: string) => async (bankLinkId: string, options?: CompleteOptions) => {
    checkCall(`bankLinks.${method}`, options, "body");
    const isNeeded = method === "complete";
    return requester.send(
      "PATCH /bank-links/{bankLinkId}",
      { path: [bankLinkId] },
      options,
      isNeeded,
    );
  };
  return { complete: complete("complete"), completeResult: complete("completeResult") };
}

/** PAGE-01, PAGE-15: a limit of 1 to 100, and none for a page that a link leads to. */
function checkList(what: string, options: ListOptions): void {
  checkCall(what, options, "limit", "from", "ahead");
  const { limit, from } = options;
  if (limit === undefined) return;
  if (!Number.isInteger(limit) || limit < 1 || limit > 100 || from !== undefined) {
    const reason = "limit must be a whole number from 1 to 100, and is not for use with from";
    throw new TxfeedError("usage", `${what}: ${reason}; got ${String(limit)}`);
  }
}
