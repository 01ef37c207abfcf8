import { valueAt } from "../src/contract/pointer.ts";

/**
 * The link behind these members of a body; undefined where there is none that is a path (CONV-05).
 * Whether a path may be followed is the client's to say.
 */
export function linkAt(body: unknown, segments: readonly string[]): string | undefined {
  const href = valueAt(body, [...segments, "href"]);
  return typeof href === "string" && href.startsWith("/") ? href : undefined;
}
