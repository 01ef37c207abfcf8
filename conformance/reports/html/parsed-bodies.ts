import { parseJson } from "../../transport/exchange.ts";

/** Maximum characters of JSON: cached at once, and parsed for one page. */
const MOST_KEPT = 12_000_000;
const MOST_PARSED = 80_000_000;

interface Parsed {
  readonly json: unknown;
  readonly length: number;
}

/** Parses bodies as JSON. Caches only the most recently used, because they may be gigabytes. */
export class ParsedBodies {
  readonly #parsed = new Map<number, Parsed>();
  #keptLength = 0;
  #left = MOST_PARSED;

  /**
   * Parses a text. Returns undefined if it is not JSON or if the limit for a page is reached.
   *
   * @param nr The cache key.
   */
  of(nr: number, text: string): unknown {
    const parsed = this.#parsed.get(nr) ?? this.#parse(text);
    if (!this.#parsed.delete(nr)) this.#keptLength += parsed.length;
    this.#parsed.set(nr, parsed);
    for (const [oldest, { length }] of this.#parsed) {
      if (this.#keptLength <= MOST_KEPT || oldest === nr) break;
      this.#parsed.delete(oldest);
      this.#keptLength -= length;
    }
    return parsed.json;
  }

  #parse(text: string): Parsed {
    const { length } = text;
    if (length > this.#left) return { json: undefined, length: 0 };
    this.#left -= length;
    return { json: parseJson(text), length };
  }
}
