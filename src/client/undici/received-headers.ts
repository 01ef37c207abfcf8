import type { ResponseHeaders } from "../transport.ts";

/** The headers of a response from undici: names in lower case, repeated values as an array. */
export class ReceivedHeaders implements ResponseHeaders {
  readonly #received: Readonly<Record<string, string | string[] | undefined>>;

  constructor(received: Readonly<Record<string, string | string[] | undefined>>) {
    this.#received = received;
  }

  get(name: string): string | null {
    const value = this.#received[name] ?? this.#received[name.toLowerCase()];
    if (typeof value === "string") return value;
    // Ignores inherited properties such as `constructor`.
    return Array.isArray(value) ? value.join(", ") : null;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  *[Symbol.iterator](): Iterator<[string, string]> {
    for (const name of Object.keys(this.#received)) {
      // Like `Headers`, do not join cookies, because their dates contain commas.
      const values = name.toLowerCase() === "set-cookie" ? this.#received[name] : this.get(name);
      for (const value of [values ?? ""].flat()) yield [name, value];
    }
  }
}
