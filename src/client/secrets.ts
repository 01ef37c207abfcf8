/** How many access tokens are remembered: those before have long expired. */
const MOST_TOKENS = 4;

/** What must not be told. It is kept out of all that is printed; this takes out what slipped in. */
export class Secrets {
  readonly #fixed: readonly string[];
  #tokens: string[] = [];

  constructor(fixed: readonly string[]) {
    this.#fixed = fixed
      .flatMap((secret) => [secret, encodeURIComponent(secret), formEncoded(secret)])
      // One may be a part of another, which would leave the rest of it.
      .sort((a, b) => b.length - a.length);
  }

  addToken(token: string): void {
    if (this.#tokens.includes(token)) return;
    this.#tokens = [token, ...this.#tokens].slice(0, MOST_TOKENS);
  }

  /** The text, with `***` for each secret. */
  scrub(text: string): string {
    let clean = text;
    for (const secret of [...this.#tokens, ...this.#fixed]) clean = clean.replaceAll(secret, "***");
    return clean;
  }

  /** The same JSON value with no secret in any of its texts. */
  scrubJson<Value>(value: Value): Value {
    const clean = (_name: string, member: unknown) =>
      typeof member === "string" ? this.scrub(member) : member;
    return JSON.parse(JSON.stringify(value, clean)) as Value;
  }
}

/** A secret as it stands in the body of a token exchange. */
function formEncoded(secret: string): string {
  return new URLSearchParams({ secret }).toString().slice("secret=".length);
}
