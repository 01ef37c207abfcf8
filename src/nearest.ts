/** A name that differs in more letters than this, or in more than half of them, is not meant. */
const MAX_DISTANCE = 3;

/**
 * Suggests the known name that is nearest to an unknown one, for the end of an error message.
 *
 * @returns `did you mean "NAME"?`, or `otherwise` if no name is near.
 */
export function suggestion(unknown: string, names: readonly string[], otherwise: string): string {
  const distances = names.map((name) => distanceOf(unknown.toUpperCase(), name.toUpperCase()));
  const least = Math.min(...distances, unknown.length / 2, MAX_DISTANCE);
  const nearest = names[distances.indexOf(least)];
  return nearest ? `did you mean "${nearest}"?` : otherwise;
}

/** Counts the letters of the longer word outside the common prefix and suffix. */
function distanceOf(a: string, b: string): number {
  let rest = Math.max(a.length, b.length);
  let common = Math.min(a.length, b.length);
  for (let at = 0; common > 0 && a[at] === b[at]; at += 1, common -= 1) rest -= 1;
  for (let at = -1; common > 0 && a.at(at) === b.at(at); at -= 1, common -= 1) rest -= 1;
  return rest;
}
