import { memberOf } from "../contract/pointer.ts";

/** A link as an answer or an event carries it, or its `href`. */
export type LinkLike = { readonly href: string } | string;

/** Where a link leads, as it is written; what is no link is refused when it is followed. */
export function hrefOf(link: unknown): unknown {
  return typeof link === "string" ? link : memberOf(link, "href");
}
