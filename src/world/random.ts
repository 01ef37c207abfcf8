/** A source of ids and numbers. The same seed and script give the same ones. */
export abstract class Random {
  seed: number;
  /** The number of draws so far. */
  drawn: number;

  constructor(seed: number, drawn = 0) {
    this.seed = seed;
    this.drawn = drawn;
  }

  /** At least as many hexadecimal digits, up to 64, that depend on the seed and {@link drawn}. */
  protected abstract digest(length: number): string;

  /**
   * An id in the shape of a random UUID.
   *
   * @param kind the kind of resource; a source may number the ids of each kind
   */
  abstract id(kind: string): string;

  /** Hexadecimal digits, at most 64. */
  hex(length: number): string {
    this.drawn += 1;
    return this.digest(length).slice(0, length);
  }

  /** Decimal digits, leading zeros included; at most 12. */
  digits(length: number): string {
    return String(this.below(10 ** length)).padStart(length, "0");
  }

  /** An integer from 0 to below `limit`, which is at most 10^12. */
  below(limit: number): number {
    return Number.parseInt(this.hex(13), 16) % limit;
  }
}
