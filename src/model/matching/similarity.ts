/** The longest word that `jaroWinkler` accepts: it marks letters in the bits of a number. */
export const LONGEST_WORD = 30;

/** Computes the Jaro-Winkler similarity of two words, from 0 to 1. */
export function jaroWinkler(a: string, b: string): number {
  if (a === b) return 1;
  const reach = Math.max(0, (Math.max(a.length, b.length) >> 1) - 1);
  let inA = 0;
  let inB = 0;
  let matches = 0;
  for (let at = 0; at < a.length; at += 1) {
    const code = a.charCodeAt(at);
    const end = Math.min(b.length, at + reach + 1);
    for (let other = Math.max(0, at - reach); other < end; other += 1) {
      if (inB & (1 << other) || b.charCodeAt(other) !== code) continue;
      inA |= 1 << at;
      inB |= 1 << other;
      matches += 1;
      break;
    }
  }
  if (matches === 0) return 0;
  const others = lettersAt(b, inB);
  const moved = lettersAt(a, inA).filter((letter, at) => letter !== others[at]).length;
  const inOrder = matches - moved / 2;
  const jaro = (matches / a.length + matches / b.length + inOrder / matches) / 3;
  return jaro + 0.1 * Math.min(4, commonPrefix(a, b)) * (1 - jaro);
}

/** The letters at the positions that are marked in the bits of a number. */
function lettersAt(word: string, marks: number): string[] {
  return word.split("").filter((_, at) => marks & (1 << at));
}

/** The length of the common prefix of two texts. */
export function commonPrefix(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}

/** The distinct trigrams of a text. */
export function trigramsOf(text: string): ReadonlySet<string> {
  const length = Math.max(0, text.length - 2);
  return new Set(Array.from({ length }, (_, at) => text.slice(at, at + 3)));
}

/** Computes the Dice coefficient of two sets of trigrams, from 0 to 1. */
export function trigramDice(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  const shared = [...a].filter((trigram) => b.has(trigram)).length;
  return (2 * shared) / (a.size + b.size);
}
