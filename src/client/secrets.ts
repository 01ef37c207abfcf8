/** The number of encoded access tokens to keep. Older tokens have expired. */
const MAX_TOKEN_FORMS = 64;

/** Removes secrets from texts, as a second line of defence: no text should contain one. */
export class Secrets {
  readonly #fixed: readonly string[];
  #tokens: readonly string[] = [];

  constructor(fixed: readonly string[]) {
    // Longest first: replacing a part of a longer secret would leave the rest of it.
    this.#fixed = fixed.flatMap(formsOf).sort((a, b) => b.length - a.length);
  }

  addToken(token: string): void {
    this.#tokens = [...this.#tokens, ...formsOf(token)].slice(-MAX_TOKEN_FORMS);
  }

  /** Returns the text with `***` for each secret. */
  scrub(text: string): string {
    return [...this.#tokens, ...this.#fixed].reduce(
      (clean, secret) => clean.replaceAll(secret, "***"),
      text,
    );
  }

  /** Returns a copy of a JSON value with every string scrubbed. */
  scrubAll<Value>(value: Value): Value {
    return JSON.parse(
      JSON.stringify(value, (_, one) => (typeof one === "string" ? this.scrub(one) : one)),
    );
  }
}

/**
 * A secret unencoded, and as encoded in JSON, in a path, in a form and in Base64. Base64 encodes
 * groups of 3 bytes, so the secret has three forms inside a longer text. A short secret has none,
 * because they could be parts of other words.
 */
function formsOf(secret: string): string[] {
  const inPath = encodeURIComponent(secret.toWellFormed());
  return [
    JSON.stringify(secret).slice(1, -1),
    secret,
    inPath,
    // URL encodes it only in the query.
    inPath.replaceAll("'", "%27"),
    `${new URLSearchParams({ "": secret })}`.slice(1),
    ...(/^[ -~]{9,}$/.test(secret)
      ? [0, 1, 2].map((at) => btoa(secret.slice(at)).replace(/.==?$/, ""))
      : []),
  ];
}
