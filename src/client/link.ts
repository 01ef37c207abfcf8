import { memberOf } from "../contract/pointer.ts";

/** A link of a response or an event, or its `href`. */
export type LinkLike = { readonly href: string } | string;

/** Returns the `href` of a link unchecked: invalid links are refused when they are followed. */
export function hrefOf(link: unknown): unknown {
  return typeof link === "string" ? link : memberOf(link, "href");
}
