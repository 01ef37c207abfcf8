/** So many of a list, evenly spread from the first to the last. */
export function spread<T>(list: readonly T[], most: number): T[] {
  if (list.length <= most) return [...list];
  const step = (list.length - 1) / Math.max(1, most - 1);
  return Array.from({ length: most }, (_, i) => list[Math.round(i * step)] as T);
}
