/**
 * JSON pointers.
 *
 * @see RFC 6901
 */

/** The pointer to these members, one below the other. */
export function pointerOf(segments: readonly string[]): string {
  return segments
    .map((segment) => `/${segment.replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

/** The members that a pointer leads through. */
export function segmentsOf(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}
