import { memberOf, valueAt } from "../../src/contract/pointer.ts";

/**
 * The link behind these members of a body; undefined where there is none that is a path (CONV-05).
 * Whether a path may be followed is the client's to say.
 */
export function linkAt(body: unknown, segments: readonly string[]): string | undefined {
  const href = valueAt(body, [...segments, "href"]);
  return isPath(href) ? href : undefined;
}

/** A link of a body. */
export interface FoundLink {
  /** Where in the body, as a JSON pointer to its `href`. */
  readonly path: string;
  /** Its name in `_links`, such as `self`. */
  readonly name: string;
  readonly href: string;
}

/** No body of the interface goes half as deep. */
const DEEPEST = 16;

/** Something that has `_links`: a page, a resource, a message in its transaction. */
export interface Holder {
  readonly body: object;
  /** Where in the answer, as a JSON pointer. */
  readonly at: string;
  /** What stands in its `_links`, in order; a list's elements each by themselves. */
  readonly links: readonly {
    readonly path: string;
    readonly name: string;
    readonly link: unknown;
  }[];
}

/**
 * All that has `_links` in a body.
 *
 * @param at Where the body stands in its answer, as a JSON pointer.
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

/** Every link of a body that is a path, wherever there is a `_links`. */
export function linksIn(body: unknown, at = ""): FoundLink[] {
  return holdersIn(body, at).flatMap(({ links }) =>
    links.flatMap(({ path, name, link }): FoundLink[] => {
      const href = memberOf(link, "href");
      return isPath(href) ? [{ path: `${path}/href`, name, href }] : [];
    }),
  );
}

/** Whether it starts as a path does. */
function isPath(href: unknown): href is string {
  return typeof href === "string" && href.startsWith("/");
}

/** The path of a link, without its query. */
export function pathOf(href: string): string {
  const [path = ""] = href.split(/[?#]/, 1);
  return path;
}

/** The last segment of a link's path, decoded: the id that it leads to. */
export function idIn(href: string): string {
  const path = pathOf(href);
  const last = path.slice(path.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
