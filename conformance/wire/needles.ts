/** A text to find, and a value that belongs to it. */
export interface Needle<T> {
  readonly text: string;
  readonly value: T;
}

/** Number of last characters of a needle that are hashed. */
const WINDOW = 6;

const BASE = 0x01000193;
const POWER = Array.from({ length: WINDOW }).reduce<number>((power) => Math.imul(power, BASE), 1);

const BITS = 1 << 18;

/** Maximum number of comparisons per character, to bound the time for malicious texts. */
const MAX_WORK = 64;

/**
 * Finds many needles in one pass with a rolling hash (Rabin-Karp). The time is linear in the length
 * of the text: beyond the limit of comparisons, an equal hash counts as a match.
 */
export class Needles<T> {
  readonly #byHash = new Map<number, Needle<T>[]>();
  /** A filter: whether any needle may have a hash. */
  readonly #bits = new Uint8Array(BITS);
  readonly #known = new Set<string>();

  /** Adds a needle. Duplicates and needles of fewer than 6 characters are ignored. */
  add(needle: Needle<T>): void {
    const { text } = needle;
    if (text.length < WINDOW || this.#known.has(text)) return;
    this.#known.add(text);
    let hash = 0;
    for (let at = text.length - WINDOW; at < text.length; at++) {
      hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) | 0;
    }
    const others = this.#byHash.get(hash);
    if (others) others.push(needle);
    else this.#byHash.set(hash, [needle]);
    this.#bits[bitOf(hash)] = 1;
  }

  /** Calls `found` with each needle in the codes, and its start and end. */
  find(codes: Uint16Array, found: (needle: Needle<T>, start: number, end: number) => void): void {
    let work = MAX_WORK * codes.length;
    let hash = 0;
    for (let at = 0; at < codes.length; at++) {
      hash = (Math.imul(hash, BASE) + (codes[at] as number)) | 0;
      if (at >= WINDOW) hash = (hash - Math.imul(codes[at - WINDOW] as number, POWER)) | 0;
      if (this.#bits[bitOf(hash)] === 0) continue;
      for (const needle of this.#byHash.get(hash) ?? []) {
        const end = at + 1;
        const start = end - needle.text.length;
        if (start < 0) continue;
        const compared = work > 0 ? sameFromEnd(codes, end, needle.text) : needle.text.length;
        work -= compared + 1;
        if (compared === needle.text.length) found(needle, start, end);
      }
    }
  }
}

function bitOf(hash: number): number {
  return (hash ^ (hash >>> 14)) & (BITS - 1);
}

/** Number of equal characters, comparing backwards from the end of a text and from `end`. */
function sameFromEnd(codes: Uint16Array, end: number, text: string): number {
  let same = 0;
  while (same < text.length && codes[end - 1 - same] === text.charCodeAt(text.length - 1 - same)) {
    same += 1;
  }
  return same;
}
