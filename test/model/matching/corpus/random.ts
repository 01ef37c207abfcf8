/** Seeded random numbers, identical on every platform (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 (inclusive) to 1 (exclusive). */
  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let value = this.#state;
    value = Math.imul(value ^ (value >>> 15), value | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** An integer from `low` to `high`, inclusive. */
  int(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.int(0, values.length - 1)] as T;
  }

  /** One of the values, chosen by weight. */
  weighted<T>(values: readonly (readonly [weight: number, value: T])[]): T {
    const total = values.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.unit() * total;
    for (const [weight, value] of values) {
      left -= weight;
      if (left < 0) return value;
    }
    return (values.at(-1) as readonly [number, T])[1];
  }

  digits(length: number): string {
    return Array.from({ length }, () => this.int(0, 9)).join("");
  }

  code(length: number): string {
    return Array.from({ length }, () => this.pick([..."0123456789ABCDEFGHKMNPRTUVXYZ"])).join("");
  }
}
