/** The number of encoded access tokens to keep. Older tokens have expired. */
const MAX_TOKEN_FORMS = 16;

/** Removes secrets from texts, as a second line of defence: no text should contain one. */
export class Secrets {
  readonly #fixed: readonly string[];
  #tokens: readonly string[] = [];

  constructor(fixed: readonly string[]) {
    // Longest first: replacing a part of a longer secret would leave the rest of it.
    this.#fixed = fixed.flatMap(formsOf).sort((a, b) => b.length - a.length);
  }

  addToken(token: string): void {
    this.#tokens = [...new Set([...this.#tokens, ...formsOf(token)])].slice(-MAX_TOKEN_FORMS);
  }

  /** Returns the text with `***` for each secret. */
  scrub(text: string): string {
    const all = [...this.#tokens, ...this.#fixed];
    return all.reduce((clean, secret) => clean.replaceAll(secret, "***"), text);
  }

  /** Returns a copy of a JSON value with every string scrubbed. */
  scrubAll<Value>(value: Value): Value {
    const clean = (_: string, member: unknown) =>
      typeof member === "string" ? this.scrub(member) : member;
    return JSON.parse(JSON.stringify(value, clean));
  }
}

/** A secret unencoded, and as encoded in JSON, in a path and in a form. */
function formsOf(secret: string): string[] {
  return [
    JSON.stringify(secret).slice(1, -1),
    secret,
    encodeURIComponent(secret.toWellFormed()),
    `${new URLSearchParams([["", secret]])}`.slice(1),
  ];
}
