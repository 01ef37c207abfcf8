import type { components } from "../../../generated/types.ts";

type Link = components["schemas"]["Link"];

/**
 * CONV-07, CONV-08: whether a link's path ends in an id. A payload has a dozen of these links;
 * lastIndexOf takes half the time of endsWith in V8.
 */
export function leadsTo({ href }: Link, id: string): boolean {
  const start = href.length - id.length;
  if (href.lastIndexOf(id, start) === start && href.charCodeAt(start - 1) === SLASH) return true;
  return href.includes("?") && idOf(href) === id;
}

/** The last segment of a link's path. */
export function idOf(href: string): string {
  const rest = href.indexOf("?");
  const path = rest < 0 ? href : href.slice(0, rest);
  return path.slice(path.lastIndexOf("/") + 1);
}

const SLASH = 47;
