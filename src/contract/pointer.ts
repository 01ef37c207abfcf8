/**
 * JSON pointers.
 *
 * @see RFC 6901
 */

/** The members that a pointer leads through. */
export function segmentsOf(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The member of an object or array; undefined where there is none. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** What lies behind these members, one below the other; undefined where the way ends before. */
export function valueAt(value: unknown, segments: readonly string[]): unknown {
  return segments.reduce<unknown>((here, segment) => memberOf(here, segment), value);
}
