import type { Exchange } from "./exchange.ts";

/** What stands for an access token in evidence and in curl lines. */
const TOKEN = "$TXFEED_TOKEN";

/** The secrets of a run. Nothing is written or printed before it went through `drop`. */
export class Secrets {
  readonly #placeholders = new Map<string, string>();

  /** Remembers a secret and the shell variable that stands for it. */
  add(secret: string, variable: string): void {
    if (secret !== "") this.#placeholders.set(secret, variable);
  }

  addToken(token: string): void {
    this.add(token, TOKEN);
  }

  /** The exchange without secrets: those known, and what stands where secrets stand. */
  drop(exchange: Exchange): Exchange {
    const { request, response } = exchange;
    const { json: _parsed, ...recorded } = response ?? {};
    return {
      ...exchange,
      request: this.#dropIn(request),
      ...(response && { response: this.#dropIn(recorded as typeof response) }),
    };
  }

  #dropIn<T extends { headers: Readonly<Record<string, string>>; body?: string }>(part: T): T {
    const clean = JSON.stringify(part, (_key, value) =>
      typeof value === "string" ? this.#dropFrom(value) : value,
    );
    return JSON.parse(clean);
  }

  #dropFrom(text: string): string {
    let clean = text;
    for (const [secret, variable] of this.#placeholders) {
      // A form encodes what a header or a JSON body carries as it is.
      clean = clean.replaceAll(encodeURIComponent(secret), variable).replaceAll(secret, variable);
    }
    return clean
      .replace(/\b(client_secret=)[^&$]+/g, "$1$TXFEED_CLIENT_SECRET")
      .replace(/("access_token"\s*:\s*)"[^"$]*"/g, `$1"${TOKEN}"`);
  }
}
