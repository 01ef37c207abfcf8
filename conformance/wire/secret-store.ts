import { Skip } from "../skip.ts";
import type { Credentials, Target } from "../target.ts";
import type { Variable } from "./exchange.ts";
import { Redactor } from "./redactor.ts";
import { type TamperedToken, tamperedCredential, tamperToken } from "./tampered-secrets.ts";
import { encodePart, jwtParts, PREFIX } from "./tokens.ts";

/** How the variables of tampered tokens begin, such as `$TXFEED_TOKEN_UNSIGNED`. */
const TAMPERED_TOKEN = "$TXFEED_TOKEN_";

const VARIABLES = /\$TXFEED_[A-Z_]+/g;

/** Matches a token in JSON, including JSON nested in a JSON string. */
const TOKENS = /((?:access|refresh|id)_token\\*"\s*:\s*)(?:"((?:[^"\\]|\\.)*)|(\\+")([^"\\]*))/g;

/** Patterns for secrets that the run does not know. */
const PLACES: readonly [place: RegExp, instead: string][] = [
  [/\b((?:Bearer|Basic) +)(?!\$TXFEED_)[\w.~+/-]{8,}=*/gi, "$1$$TXFEED_TOKEN"],
  [/\b(client_secret=)(?!\$TXFEED_)[^&\s"\\]+/g, "$1$$TXFEED_CLIENT_SECRET"],
  [/(client_secret\\*"\s*:\s*\\*")(?!\$TXFEED_)(?:[^"\\]|\\[^"])+/g, "$1$$TXFEED_CLIENT_SECRET"],
];

/**
 * Contains the secrets of a run; nothing else does. Requests are built with variables, which are
 * filled in when a request is sent. Responses are redacted before checks or evidence get them.
 * Placeholders have the form of the original, so that checks get the same result for both. The ids
 * of accounts and clients are not secret.
 */
export class SecretStore {
  readonly #values = new Map<Variable, string>();
  readonly #tamperedTokens = new Map<Variable, string>();
  readonly #masks = new Redactor();
  /** Placeholders by token. Each placeholder maps to itself. */
  readonly #tokens = new Map<string, string>();

  constructor({ credentials, sdkCredentials, secondAccount }: Target) {
    this.#addCredentials(PREFIX.own, credentials);
    if (sdkCredentials) this.#addCredentials(PREFIX.sdk, sdkCredentials);
    if (secondAccount) this.#addCredentials(PREFIX.second, secondAccount);
  }

  #addCredentials(prefix: string, credentials: Partial<Credentials>): void {
    const { accountId, clientId, clientSecret } = credentials;
    if (accountId !== undefined) this.#values.set(`${prefix}ACCOUNT_ID` as Variable, accountId);
    if (clientId !== undefined) this.#values.set(`${prefix}CLIENT_ID` as Variable, clientId);
    if (clientSecret === undefined) return;
    const variable = `${prefix}CLIENT_SECRET` as Variable;
    this.#values.set(variable, clientSecret);
    // The placeholder of a number is a number, too.
    const zeros = "0".repeat(clientSecret.length);
    this.#masks.addSecret(clientSecret, /^\d+$/.test(clientSecret) ? zeros : variable);
    // A secret may be too short to redact; its Basic credentials are not.
    const pair = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
    this.#masks.addToken(pair, variable);
  }

  /** Stores a token under a variable, and redacts it from now on. */
  addToken(token: string, variable: Variable): void {
    if (token === "") return;
    this.#values.set(variable, token);
    // Tampered tokens are made from the current token.
    if (variable === "$TXFEED_TOKEN") this.#tamperedTokens.clear();
    this.#placeholderFor(token);
  }

  /** Stores the receiver's URL. Its path is secret: with it, anyone could send deliveries. */
  addReceiver(url: string): void {
    this.#values.set("$TXFEED_RECEIVER", url);
    this.#masks.addSecret(new URL(url).pathname.slice(1), "$TXFEED_RECEIVER_PATH");
  }

  /** Redacts the value of a header that a gateway requires. */
  addHeader(secret: string, variable: string): void {
    this.#masks.addSecret(secret, variable);
  }

  #placeholderFor(token: string): string {
    const known = this.#tokens.get(token);
    if (known !== undefined) return known;
    const instead = placeholderOf(token, this.#tokens.size + 1);
    this.#tokens.set(token, instead);
    // Redacting a text again must not change its placeholders.
    this.#tokens.set(instead, instead);
    this.#masks.addToken(token, instead);
    return instead;
  }

  /**
   * Fills in the variables of a text.
   *
   * @param encode Encodes a value for its position.
   * @throws {Skip} if the run has no value for a variable
   */
  fillIn(text: string, encode: (value: string) => string = (value) => value): string {
    return text.replace(VARIABLES, (variable) => encode(this.#valueOf(variable as Variable)));
  }

  #valueOf(variable: Variable): string {
    const value =
      this.#values.get(variable) ?? this.#tamperedTokens.get(variable) ?? this.#tampered(variable);
    if (value === undefined) throw new Skip(`the run has no value for ${variable}`);
    return value;
  }

  /** Makes and redacts a tampered secret: a token, or a credential, which may be public. */
  #tampered(variable: Variable): string | undefined {
    if (!variable.startsWith(TAMPERED_TOKEN)) {
      const nearMiss = tamperedCredential(variable, (of) => this.#values.get(of as Variable));
      if (nearMiss && variable.includes("SECRET")) this.#masks.addSecret(nearMiss, variable);
      if (nearMiss) this.#values.set(variable, nearMiss);
      return nearMiss;
    }
    const token = this.#values.get("$TXFEED_TOKEN");
    const kind = variable.slice(TAMPERED_TOKEN.length).toLowerCase() as TamperedToken;
    const tampered = token && tamperToken(token, kind);
    if (!tampered) return undefined;
    this.#masks.addToken(tampered, variable);
    this.#tamperedTokens.set(variable, tampered);
    return tampered;
  }

  /** Replaces all secrets in a text. */
  redact(text: string): string {
    const clean = this.#masks.redact(this.#dropTokens(text));
    return PLACES.reduce((rest, [place, instead]) => rest.replace(place, instead), clean);
  }

  /** Replaces the values of token members, including unknown tokens. */
  #dropTokens(text: string): string {
    if (!text.includes("_token")) return text;
    return text.replace(
      TOKENS,
      (_, head: string, plain: string | undefined, inner: string, nested: string) => {
        if (plain === undefined) return `${head}${inner}${nested && this.#placeholderFor(nested)}`;
        return `${head}"${plain && this.#placeholderFor(unescaped(plain))}`;
      },
    );
  }
}

/** Decodes the content of a JSON string. */
function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`);
  } catch {
    return text;
  }
}

/**
 * Returns the placeholder that replaces a token in a response. A JWT's placeholder is a JWT of the
 * same form without usable content. Different tokens have different placeholders.
 */
function placeholderOf(token: string, nr: number): string {
  const parts = jwtParts(token);
  if (!parts) return `$TXFEED_TOKEN_${lettersOf(nr)}`;
  const { alg, claims, signature } = parts;
  const body = { dropped: nr, iat: claims["iat"], exp: claims["exp"] };
  const end = signature === "" ? "" : "ZHJvcHBlZA";
  return `${encodePart({ alg, typ: "JWT" })}.${encodePart(body)}.${end}`;
}

/** Writes a number in letters, for the name of a variable. */
function lettersOf(nr: number): string {
  return [...String(nr)].map((digit) => "ABCDEFGHIJ"[Number(digit)]).join("");
}
