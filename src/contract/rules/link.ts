import type { components } from "../../../generated/types.ts";

type Link = components["schemas"]["Link"];

/** CONV-07, CONV-08: whether a link's path ends in an id. */
export function leadsTo({ href }: Link, id: string): boolean {
  if (href.endsWith(id) && href.charCodeAt(href.length - id.length - 1) === SLASH) return true;
  return idOf(href) === id;
}

/** The last segment of a link's path. */
export function idOf(href: string): string {
  const rest = href.indexOf("?");
  const path = rest < 0 ? href : href.slice(0, rest);
  return path.slice(path.lastIndexOf("/") + 1);
}

const SLASH = 47;
