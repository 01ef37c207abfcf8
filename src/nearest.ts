/** With more differences, or more than half of it different, a word is not meant for another. */
const FARTHEST = 3;

/** The name that a mistyped one is nearest to; undefined where none is near. */
export function nearestTo(word: string, names: readonly string[]): string | undefined {
  const wanted = word.slice(0, 40).toUpperCase();
  const distances = names.map((name) => distanceOf(wanted, name.toUpperCase()));
  const least = Math.min(...distances, word.length / 2, FARTHEST);
  return names[distances.indexOf(least)];
}

/** How many letters have to be put in, taken out or replaced to get from one word to another. */
function distanceOf(a: string, b: string): number {
  let row = Array.from(`${b} `, (_, at) => at);
  for (const letter of a) {
    row = row.reduce<number[]>((next, above, at) => {
      const replaced = Number(row[at - 1]) + (b[at - 1] === letter ? 0 : 1);
      next.push(at === 0 ? above + 1 : Math.min(above + 1, Number(next[at - 1]) + 1, replaced));
      return next;
    }, []);
  }
  return row.at(-1) as number;
}
