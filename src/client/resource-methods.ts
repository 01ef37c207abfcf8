import { maxPageSize, type ResourceInfo, resources } from "../../generated/resources.ts";
import { UsageError } from "../errors.ts";
import { invalidOption } from "../options.ts";
import { segmentOf } from "./base-address.ts";
import { type CallOptions, checkCall } from "./options.ts";
import { Pages } from "./pages.ts";
import type { Requester } from "./requester.ts";
import type { ListOptions, Resources } from "./resources.ts";

/** Creates the resource methods of a client. */
export function resourcesOf(requester: Requester): Resources {
  const all: Readonly<Record<string, ResourceInfo>> = resources;
  const methods = Object.entries(all).map(([name, info]) => [
    name,
    {
      ...methodsOf(requester, name, info),
      ...(info.itemKey && listable(requester, info.path, name)),
    },
  ]);
  // The types follow from the paths; tests check that they match.
  return Object.fromEntries(methods) as Resources;
}

/** Creates two methods of a resource. Their arguments are the ids of its path, then options. */
function methodsOf(
  requester: Requester,
  key: string,
  { path: collection, idParameters }: ResourceInfo,
) {
  // Bank links have no GET by id; they have a PATCH that completes them.
  const isLink = key === "bankLinks";
  const verb = isLink ? "complete" : "get";
  const operation = `${isLink ? "PATCH" : "GET"} ${collection}/{${idParameters.join("}/{")}}`;
  requester.register(operation);
  const count = idParameters.length;
  const methodOf = (name: string, isNeeded: boolean) => ({
    [name]: async (...args: unknown[]) => {
      const what = `${key}.${name}`;
      if (args.length < count) {
        const got = `${args.length} of ${count}`;
        throw new UsageError(`${what} needs ${idParameters.join(" and ")}; got ${got}`);
      }
      const options = args[count] as CallOptions | undefined;
      checkCall(what, options, ...(isLink ? ["body"] : []));
      const ids = idParameters.map((id, at) => `/${segmentOf(id, args[at])}`);
      return requester.send(operation, collection + ids.join(""), options, isNeeded);
    },
  });
  return { ...methodOf(verb, true), ...methodOf(`${verb}Result`, false) };
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
      const { from, ahead, signal } = options;
      const fetch = (link: ListOptions["from"], walk: AbortSignal) => {
        const signals = signal ? AbortSignal.any([signal, walk]) : walk;
        return page({ ...options, from: link, signal: signals }, true);
      };
      return new Pages<unknown, unknown>({ fetch, from, ahead, path, key });
    },
    listResult: async (options: ListOptions = {}) => {
      checkList(`${key}.listResult`, options);
      return page(options, false);
    },
  };
}

/** PAGE-01, PAGE-15: `limit` must be 1 to 100, and excludes `from`, whose link has the limit. */
function checkList(what: string, options: ListOptions): void {
  checkCall(what, options, "limit", "from", "ahead");
  const { limit, from } = options;
  if (limit === undefined) return;
  if (Number.isInteger(limit) && limit >= 1 && limit <= maxPageSize && from === undefined) return;
  throw invalidOption(`${what}: limit`, `an integer from 1 to ${maxPageSize}, without from`, limit);
}
