/** With more differences, or more than half of it different, a word is not meant for another. */
const FARTHEST = 3;

/** The name that a mistyped one is nearest to; undefined where none is near. */
export function nearestTo(word: string, names: readonly string[]): string | undefined {
  const wanted = word.toUpperCase();
  const ranked = names
    .map((name) => ({ name, distance: distanceOf(wanted, name.toUpperCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const [first] = ranked;
  const farthest = Math.min(FARTHEST, Math.floor(word.length / 2));
  return first && first.distance <= farthest ? first.name : undefined;
}

/** How many letters have to be put in, taken out or replaced to get from one word to another. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of [...a.slice(0, 40)].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= b.length; j += 1) {
      const [above = 0, before = 0, left = 0] = [row[j], row[j - 1], next[j - 1]];
      next.push(Math.min(above + 1, left + 1, before + (b[j - 1] === letter ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
