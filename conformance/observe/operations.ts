import { type OperationKey, operations } from "../../generated/operations.ts";
import { resourceOperations, resources as resourceTable } from "../../generated/resources.ts";
import { memberOf, valueAt } from "../../src/contract/pointer.ts";
import type { OperationWithResponse } from "../../src/contract/validate.ts";
import type { Session } from "../check.ts";
import type { Exchange } from "../wire/exchange.ts";

/** An operation that reads a collection or a resource. */
export type ReadOperation = OperationWithResponse & `GET ${string}`;

export type CollectionOperation = Exclude<ReadOperation, `${string}{${string}`>;

const readOperations = (Object.keys(operations) as OperationKey[]).filter(
  (key): key is ReadOperation => operations[key].method === "GET",
);

/** Every operation that reads a collection. */
export const collections = readOperations.filter(isCollection);

/** Every operation that reads one resource. */
export const resources = readOperations.filter((operation) => !isCollection(operation));

function isCollection(operation: ReadOperation): operation is CollectionOperation {
  return !operation.includes("{");
}

const addresses = Object.values(resourceTable);

/** The key of each collection's items in `_embedded` (PAGE-10). */
export const ITEM_KEYS = Object.fromEntries(
  addresses.flatMap((one) => ("itemKey" in one ? [[`GET ${one.path}`, one.itemKey]] : [])),
) as Readonly<Record<CollectionOperation, string>>;

const pairs = Object.values(resourceOperations);

/** An operation that gets one resource of a collection. */
export type ListedOperation = Extract<
  (typeof pairs)[number],
  { readonly get: string; readonly list: string }
>["get"];

/** The operation that lists the resource that an operation gets. */
export const LISTED_BY = Object.fromEntries(
  pairs.flatMap((one) => ("get" in one && "list" in one ? [[one.get, one.list]] : [])),
) as Readonly<Record<ListedOperation, CollectionOperation>>;

/** The operations whose resources are reliably linked only from deliveries. */
export const LINKED_BY_DELIVERIES: readonly ReadOperation[] = [
  resourceOperations.cardSubscriptions.get,
  resourceOperations.networkBulkFeeds.get,
];

/** An id that no server has. */
export const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

/** A path with ids that no server has. */
export function pathWithUnknownIds(template: string): string {
  return template.replaceAll(/\{\w+\}/g, UNKNOWN_ID);
}

const patterns = readOperations.map((operation) => {
  const path = operations[operation].path.replaceAll(/\{\w+\}/g, "[^/]+");
  return [operation, new RegExp(`^${path}$`)] as const;
});

/** The operation that a link leads to; undefined if it is not in the interface. */
export function operationAt(href: string): ReadOperation | undefined {
  const path = pathOf(href);
  return patterns.find(([, pattern]) => pattern.test(path))?.[0];
}

/**
 * The link at a path of members; undefined if it is missing or not a path (CONV-05). The client
 * decides whether to follow it.
 */
export function linkAt(body: unknown, segments: readonly string[]): string | undefined {
  const href = valueAt(body, [...segments, "href"]);
  return isPath(href) ? href : undefined;
}

/** A link of a body. */
export interface FoundLink {
  /** A JSON pointer to its `href`. */
  readonly path: string;
  /** Its name in `_links`, such as `self`. */
  readonly name: string;
  readonly href: string;
}

/** An object with `_links`: a page, a resource or an embedded message. */
export interface Holder {
  readonly body: object;
  /** Its position in the response, as a JSON pointer. */
  readonly at: string;
  /** The links in order. Each element of a list of links is separate. */
  readonly links: readonly {
    readonly path: string;
    readonly name: string;
    readonly link: unknown;
  }[];
}

/**
 * Finds every object with `_links` in a body.
 *
 * @param at The position of the body in its response, as a JSON pointer.
 */
export function holdersIn(body: unknown, at = ""): Holder[] {
  if (typeof body !== "object" || body === null) return [];
  const links = Array.isArray(body) ? undefined : memberOf(body, "_links");
  const own = links === undefined ? [] : [{ body, at, links: namedLinks(links, `${at}/_links`) }];
  const inside = Object.entries(body).filter(([name]) => name !== "_links");
  return [...own, ...inside.flatMap(([name, value]) => holdersIn(value, `${at}/${name}`))];
}

function namedLinks(links: unknown, above: string): Holder["links"] {
  if (typeof links !== "object" || links === null) return [];
  return Object.entries(links).flatMap(([name, link]) => {
    const path = `${above}/${name}`;
    return Array.isArray(link)
      ? link.map((one: unknown, i) => ({ path: `${path}/${i}`, name, link: one }))
      : [{ path, name, link: link as unknown }];
  });
}

/** Every link in a body whose `href` is a path, at any depth. */
export function linksIn(body: unknown, at = ""): FoundLink[] {
  return holdersIn(body, at).flatMap(({ links }) =>
    links.flatMap(({ path, name, link }): FoundLink[] => {
      const href = memberOf(link, "href");
      return isPath(href) ? [{ path: `${path}/href`, name, href }] : [];
    }),
  );
}

/** The links that the interface names. */
const NAMED = [
  ...["self", "subaccount", "card", "messages", "message", "bankAccount", "networkBulkFeed"],
];

/**
 * Whether a link is to be followed: the interface names it, or it leads to a URL of the interface.
 * Others may be for another method, or templates.
 */
export function isFollowed({ href, name }: Pick<FoundLink, "href" | "name">): boolean {
  return NAMED.includes(name) || operationAt(href) !== undefined;
}

function isPath(href: unknown): href is string {
  return typeof href === "string" && href.startsWith("/");
}

/** The path of a link, without its query. */
export function pathOf(href: string): string {
  const [path = ""] = href.split(/[?#]/, 1);
  return path;
}

/** The path and query of a request, relative to the base URL. */
export function pathBelow({ baseUrl }: Session, { request }: Exchange): string {
  return request.url.slice(new URL(baseUrl).href.replace(/(?<!\/)\/+$/, "").length);
}

/** The id that a link leads to: the last segment of its path, decoded. */
export function idIn(href: string): string {
  const path = pathOf(href);
  const last = path.slice(path.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** Whether two ids are the same, in any letter case. */
export function sameId(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
