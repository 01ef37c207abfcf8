import { parseJson } from "../../transport/exchange.ts";

/** In characters of JSON: of what is kept parsed at once, and of all that is parsed for a page. */
const MOST_KEPT = 12_000_000;
const MOST_PARSED = 80_000_000;

interface Parsed {
  readonly json: unknown;
  readonly length: number;
}

/** Bodies as JSON. A target may send gigabytes of it, so the ones used last are kept alone. */
export class ParsedBodies {
  readonly #kept = new Map<number, Parsed>();
  #keptLength = 0;
  #left = MOST_PARSED;

  /**
   * The JSON that a text is; undefined where it is none, and where so much was parsed already that
   * a page would be long in coming.
   *
   * @param nr What tells it from other texts.
   */
  of(nr: number, text: string): unknown {
    const parsed = this.#kept.get(nr) ?? this.#parse(text);
    if (!this.#kept.delete(nr)) this.#keptLength += parsed.length;
    this.#kept.set(nr, parsed);
    for (const [oldest, { length }] of this.#kept) {
      if (this.#keptLength <= MOST_KEPT || oldest === nr) break;
      this.#kept.delete(oldest);
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
