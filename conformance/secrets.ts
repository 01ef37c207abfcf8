/** What stands for an access token in evidence, reports and curl lines. */
const TOKEN = "$TXFEED_TOKEN";

/** Shorter values stand in too many innocent words to be looked for in free text. */
const SHORTEST_SEARCHED = 6;

/** Where secrets stand, known or not. */
const PLACES: readonly [place: RegExp, instead: string][] = [
  [/\b(Bearer )[^\s"$\\]+/g, `$1${TOKEN}`],
  [/\b(client_secret=)[^&\s"$]+/g, "$1$$TXFEED_CLIENT_SECRET"],
  [/\b(client_id=)[^&\s"$]+/g, "$1$$TXFEED_CLIENT_ID"],
  [/(\/auth\/realms\/)[^/\s"$]+/g, "$1$$TXFEED_ACCOUNT_ID"],
  [/(\\?"access_token\\?"\s*:\s*\\?")[^"\\$]+/g, `$1${TOKEN}`],
];

/** The secrets of a run. Nothing is written or printed before it went through `drop`. */
export class Secrets {
  readonly #variables = new Map<string, string>();

  /** Remembers a secret, in each form that it may be sent or echoed in. */
  add(secret: string, variable: string): void {
    if (secret.length < SHORTEST_SEARCHED) return;
    const inForm = new URLSearchParams({ s: secret }).toString().slice("s=".length);
    const inJson = JSON.stringify(secret).slice(1, -1);
    for (const form of [secret, encodeURIComponent(secret), inForm, inJson]) {
      this.#variables.set(form, variable);
    }
  }

  addToken(token: string): void {
    this.add(token, TOKEN);
  }

  /** A copy of a JSON value with no secret in any of its texts; shell variables stand for them. */
  drop<T>(value: T): T {
    // The longest first: a token may start with a client id.
    const known = [...this.#variables].sort(([a], [b]) => b.length - a.length);
    const clean = (text: string) => {
      const unknown = PLACES.reduce((rest, [place, to]) => rest.replace(place, to), text);
      return known.reduce((rest, [form, to]) => rest.replaceAll(form, to), unknown);
    };
    return JSON.parse(
      JSON.stringify(value, (_key, part) => (typeof part === "string" ? clean(part) : part)),
    );
  }
}
