import { uuidFrom } from "../model/links.ts";

/** At least 64 hexadecimal digits that depend on a text. */
export type Hash = (text: string) => string;

/**
 * A seeded random generator: the same seed and script give the same ids. The number of draws is
 * part of a world's state.
 */
export class Random {
  seed: number;
  /** The number of draws so far. */
  drawn: number;
  readonly #hash: Hash;

  constructor(hash: Hash, seed: number, drawn = 0) {
    this.#hash = hash;
    this.seed = seed;
    this.drawn = drawn;
  }

  /** An id in the shape of a random UUID. */
  id(): string {
    return uuidFrom(this.#hex());
  }

  /** Hexadecimal digits, at most 64. */
  hex(length: number): string {
    return this.#hex().slice(0, length);
  }

  /** Decimal digits, leading zeros included; at most 12. */
  digits(length: number): string {
    return String(this.below(10 ** length)).padStart(length, "0");
  }

  /** An integer from 0 to below `limit`, which is at most 10^12. */
  below(limit: number): number {
    return Number.parseInt(this.#hex().slice(0, 13), 16) % limit;
  }

  #hex(): string {
    this.drawn += 1;
    return this.#hash(`${this.seed}/${this.drawn}`);
  }
}
