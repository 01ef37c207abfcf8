/** With more letters that differ, or more than half of them, a word is not meant for another. */
const MAX_DISTANCE = 3;

/** The name that a mistyped one is nearest to; undefined where none is near. */
export function nearestTo(word: string, names: readonly string[]): string | undefined {
  const distances = names.map((name) => distanceOf(word.toUpperCase(), name.toUpperCase()));
  const least = Math.min(...distances, word.length / 2, MAX_DISTANCE);
  return names[distances.indexOf(least)];
}

/** How many letters are left of the longer word without the common start and the common end. */
function distanceOf(a: string, b: string): number {
  let left = Math.max(a.length, b.length);
  let common = Math.min(a.length, b.length);
  for (let at = 0; common > 0 && a[at] === b[at]; at += 1, common -= 1) left -= 1;
  for (let at = -1; common > 0 && a.at(at) === b.at(at); at -= 1, common -= 1) left -= 1;
  return left;
}
