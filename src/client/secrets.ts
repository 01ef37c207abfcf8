/** How many ways of writing access tokens are remembered: those before have long expired. */
const MOST_FORMS = 16;

/** What must not be told. It is kept out of all that is printed; this takes out what slipped in. */
export class Secrets {
  readonly #fixed: readonly string[];
  #tokens: readonly string[] = [];

  constructor(fixed: readonly string[]) {
    // One may be a part of another, of which it would leave the rest.
    this.#fixed = fixed.flatMap(formsOf).sort((a, b) => b.length - a.length);
  }

  addToken(token: string): void {
    this.#tokens = [...new Set([...this.#tokens, ...formsOf(token)])].slice(-MOST_FORMS);
  }

  /** The text, with `***` for each secret. */
  scrub(text: string): string {
    const all = [...this.#tokens, ...this.#fixed];
    return all.reduce((clean, secret) => clean.replaceAll(secret, "***"), text);
  }

  /** The same JSON value, with none in its texts. */
  scrubAll<Value>(value: Value): Value {
    const clean = (_: string, member: unknown) =>
      typeof member === "string" ? this.scrub(member) : member;
    return JSON.parse(JSON.stringify(value, clean));
  }
}

/** A secret as it is, and as JSON, a path and the form of the token exchange have it. */
function formsOf(secret: string): string[] {
  return [
    JSON.stringify(secret).slice(1, -1),
    secret,
    encodeURIComponent(secret.toWellFormed()),
    `${new URLSearchParams([["", secret]])}`.slice(1),
  ];
}
