import { STATUS_CODES } from "node:http";
import type { Exchange, HttpHook, HttpResponse, MutationRun } from "./mutation.ts";
import { parseJson } from "./mutation.ts";
import {
  type Change,
  itemsOf,
  type Json,
  patternOf,
  resourcesOf,
  responses,
  type Where,
} from "./rewrite.ts";

// Operations of mutations on requests and pages.

export interface Http {
  readonly http: HttpHook;
}

/** The paths of the lists. */
export const LISTS = [
  ...["/subaccounts", "/cards", "/transactions", "/bank-links", "/bank-accounts"],
  ...["/bank-transactions", "/transaction-matches"],
];

/**
 * Handles the requests of operations. All others go to the sandbox.
 *
 * @param operations Each is a method and a path, in which `{}` matches any segment.
 */
export function on(operations: string | readonly string[], hook: HttpHook): Http {
  const patterns = [operations].flat().map(patternOf);
  return {
    http: (exchange, run) => {
      const operation = `${exchange.request.method} ${exchange.path}`;
      const isMeant = patterns.some((pattern) => pattern.test(operation));
      return isMeant ? hook(exchange, run) : exchange.forward();
    },
  };
}

/** Handles all requests except those for tokens. */
export function onApi(hook: HttpHook): Http {
  return {
    http: (exchange, run) =>
      exchange.path.startsWith("/auth/") ? exchange.forward() : hook(exchange, run),
  };
}

/** Responds to operations with an error: without a look at them, or instead of some responses. */
export function status(
  operations: string | readonly string[],
  code: number,
  when?: Parameters<typeof statusIf>[1],
): Http {
  return on(operations, when ? statusIf(code, when) : () => problem(code));
}

/** Responds with an error instead of some responses. */
export function statusIf(
  code: number,
  when: (response: HttpResponse, exchange: Exchange, run: MutationRun) => unknown,
): HttpHook {
  return async (exchange, run) => {
    const response = await exchange.forward();
    return (await when(response, exchange, run)) ? problem(code) : response;
  };
}

/** An error response with a problem document, as the sandbox sends it. */
export function problem(code: number): HttpResponse {
  const headers = { "content-type": "application/problem+json" };
  const body = JSON.stringify({ status: code, title: STATUS_CODES[code] });
  return { status: code, headers, body };
}

/** Changes the query of requests for a list. */
export function query(path: string, change: (query: URLSearchParams) => void): Http {
  return on(`GET ${path}`, ({ forward, query: own }) => {
    change(own);
    return forward({ target: withQuery(path, own) });
  });
}

export function withQuery(path: string, parameters: URLSearchParams): string {
  return parameters.size > 0 ? `${path}?${parameters}` : path;
}

/** Changes the query of a link of a page. */
export function link(
  name: string,
  change: (query: URLSearchParams, json: Json, where: Where) => unknown,
): Change {
  return (json, where) => {
    const found = json._links[name];
    if (!found) return;
    found.href = changeHref(found.href, (parameters) => change(parameters, json, where));
  };
}

export function changeHref(href: string, change: (query: URLSearchParams) => void): string {
  const url = new URL(href, "http://sandbox");
  change(url.searchParams);
  return `${url.pathname}${url.search}`;
}

/** The limit of a page. */
export const limitOf = ({ query: own }: Pick<Where, "query">) => Number(own?.get("limit") ?? 20);

/** Requests the page of a link. */
export async function pageAt({ forward }: Exchange, href: string): Promise<Json> {
  return parseJson((await forward({ target: href })).body);
}

/** Requests every item of a list, page by page. */
export async function allItems(exchange: Exchange): Promise<Json[]> {
  const items: Json[] = [];
  let href: string | undefined = `${exchange.path}?limit=100`;
  while (href) {
    const page: Json = await pageAt(exchange, href);
    items.push(...itemsOf(page));
    href = page._links.next?.href;
  }
  return items;
}

/** Lets cards link to their subscription and its feed, which otherwise only events link to. */
export function linkedFromCards({ http: hook }: { readonly http?: HttpHook | undefined }): Http {
  const linked = responses("cards").change(async ({ id, _links }, run) => {
    const all = await resourcesOf(run, "card-subscriptions");
    const { body: own } = all.find(({ body }) => body.cardId === id) ?? {};
    if (!own) return;
    _links.subscription = own._links.self;
    if (own._links.networkBulkFeed) _links.networkBulkFeed = own._links.networkBulkFeed;
  }).http as HttpHook;
  return {
    http: (exchange, run) =>
      linked({ ...exchange, forward: async () => (hook as HttpHook)(exchange, run) }, run),
  };
}
