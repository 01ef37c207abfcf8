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
  const inOrder = matches - outOfOrder(a, inA, b, inB) / 2;
  const jaro = (matches / a.length + matches / b.length + inOrder / matches) / 3;
  return jaro + 0.1 * Math.min(4, commonPrefix(a, b)) * (1 - jaro);
}

/** The number of common letters that are in a different order. */
function outOfOrder(a: string, inA: number, b: string, inB: number): number {
  let count = 0;
  let other = 0;
  for (let at = 0; at < a.length; at += 1) {
    if (!(inA & (1 << at))) continue;
    while (!(inB & (1 << other))) other += 1;
    if (a.charCodeAt(at) !== b.charCodeAt(other)) count += 1;
    other += 1;
  }
  return count;
}

/** The length of the common prefix of two texts. */
export function commonPrefix(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}

/** The distinct trigrams of a text, each encoded as a number, ascending. */
export function trigramsOf(text: string): readonly number[] {
  const grams = new Set<number>();
  for (let at = 0; at + 3 <= text.length; at += 1) {
    const [first, second] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
    grams.add((first * 2 ** 16 + second) * 2 ** 16 + text.charCodeAt(at + 2));
  }
  return [...grams].toSorted((a, b) => a - b);
}

/** Computes the Dice coefficient of two sets of trigrams, from 0 to 1. */
export function trigramDice(a: readonly number[], b: readonly number[]): number {
  if (a.length === 0 || b.length === 0) return 0;
  let shared = 0;
  for (let at = 0, other = 0; at < a.length && other < b.length; ) {
    const difference = (a[at] as number) - (b[other] as number);
    if (difference === 0) shared += 1;
    if (difference <= 0) at += 1;
    if (difference >= 0) other += 1;
  }
  return (2 * shared) / (a.length + b.length);
}
