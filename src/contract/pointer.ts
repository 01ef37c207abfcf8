/**
 * JSON pointers.
 *
 * @see RFC 6901
 */

/** The unescaped segments of a JSON pointer. */
export function segmentsOf(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** An own member of an object or array; undefined if there is none. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** The value at a path of segments; undefined if there is none. */
export function valueAt(value: unknown, segments: readonly string[]): unknown {
  return segments.reduce<unknown>((here, segment) => memberOf(here, segment), value);
}
