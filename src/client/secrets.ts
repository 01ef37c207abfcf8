/** How many access tokens are remembered: those before have long expired. */
const MOST_TOKENS = 4;

/** What must not be told. It is kept out of all that is printed; this takes out what slipped in. */
export class Secrets {
  readonly #fixed: readonly string[];
  #tokens: readonly string[] = [];

  constructor(fixed: readonly string[]) {
    // As it is, as a path has it, and as the form of the token exchange does.
    this.#fixed = fixed.flatMap((secret) => [
      secret,
      encodeURIComponent(secret.toWellFormed()),
      `${new URLSearchParams([["", secret]])}`.slice(1),
    ]);
  }

  addToken(token: string): void {
    this.#tokens = [...this.#tokens, token].slice(-MOST_TOKENS);
  }

  /** The text, with `***` for each secret. */
  scrub(text: string): string {
    const all = [...this.#tokens, ...this.#fixed];
    return all.reduce((clean, secret) => clean.replaceAll(secret, "***"), text);
  }
}
