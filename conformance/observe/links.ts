import { memberOf, valueAt } from "../../src/contract/pointer.ts";
import type { Session } from "../check.ts";
import type { Exchange } from "../wire/exchange.ts";

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

/** Recursion limit. Bodies of the interface have less than half this depth. */
const DEEPEST = 16;

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
  const holders: Holder[] = [];
  gather(body, at, DEEPEST, holders);
  return holders;
}

function gather(body: unknown, at: string, depth: number, holders: Holder[]): void {
  if (typeof body !== "object" || body === null || depth === 0) return;
  if (Array.isArray(body)) {
    for (let i = 0; i < body.length; i += 1) gather(body[i], `${at}/${i}`, depth - 1, holders);
    return;
  }
  const { _links: links } = body as { _links?: unknown };
  if (links !== undefined) holders.push({ body, at, links: namedLinks(links, `${at}/_links`) });
  for (const [name, value] of Object.entries(body)) {
    const isInside = typeof value === "object" && value !== null && name !== "_links";
    if (isInside) gather(value, `${at}/${name}`, depth - 1, holders);
  }
}

function namedLinks(links: unknown, above: string): Holder["links"] {
  if (typeof links !== "object" || links === null) return [];
  const named: { path: string; name: string; link: unknown }[] = [];
  for (const [name, link] of Object.entries(links)) {
    const path = `${above}/${name}`;
    if (Array.isArray(link)) {
      for (const [i, one] of link.entries()) named.push({ path: `${path}/${i}`, name, link: one });
    } else named.push({ path, name, link });
  }
  return named;
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
