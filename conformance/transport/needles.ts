/** Something to be found, and what it stands for. */
export interface Needle<T> {
  readonly text: string;
  readonly value: T;
}

/** What tells needles apart first: their last characters. */
const WINDOW = 6;

const BASE = 0x01000193;
const POWER = Array.from({ length: WINDOW }).reduce<number>((power) => Math.imul(power, BASE), 1);

const BITS = 1 << 18;

/** Comparisons for each character, beyond which a text is made to take time. */
const MAX_WORK = 64;

/**
 * Finds many needles in one pass, by a rolling hash (Rabin-Karp). The time is linear in the length
 * of the text: where comparisons would take longer, what looks like a needle is taken for one.
 */
export class Needles<T> {
  readonly #byHash = new Map<number, Needle<T>[]>();
  /** Whether a hash may be one of them. */
  readonly #bits = new Uint8Array(BITS);
  readonly #known = new Set<string>();

  /** Adds a needle, unless it is known. One of fewer than 6 characters is not looked for. */
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

  /** Calls `found` with each needle in the codes, and where it begins and ends. */
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

/** How many characters of a text are the same as the codes before a place. */
function sameFromEnd(codes: Uint16Array, end: number, text: string): number {
  let same = 0;
  while (same < text.length && codes[end - 1 - same] === text.charCodeAt(text.length - 1 - same)) {
    same += 1;
  }
  return same;
}
