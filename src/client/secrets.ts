/** How many access tokens are remembered: those before have long expired. */
const MOST_TOKENS = 4;

/** What must not be told. It is kept out of all that is printed; this takes out what slipped in. */
export class Secrets {
  readonly #fixed: readonly string[];
  #tokens: string[] = [];

  constructor(fixed: readonly string[]) {
    this.#fixed = fixed.flatMap((secret) => [
      ...[secret, encodeURIComponent(secret)],
      // As the form of the token exchange has it.
      new URLSearchParams([["", secret]]).toString().slice(1),
    ]);
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

  /** The same JSON value without them. */
  scrubJson<Value>(value: Value): Value {
    return JSON.parse(this.scrub(JSON.stringify(value))) as Value;
  }
}
