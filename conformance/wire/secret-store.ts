import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { Skip } from "../skip.ts";
import type { Credentials, Target } from "../target.ts";
import { parseJson, type Variable } from "./exchange.ts";
import { Redactor } from "./redactor.ts";
import { decodePart, encodePart, type JwtParts, jwtParts, PREFIX } from "./tokens.ts";

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
        const token = parseJson(`"${plain}"`);
        const known = typeof token === "string" ? token : plain;
        return `${head}"${known && this.#placeholderFor(known)}`;
      },
    );
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

type Tamper = (token: JwtParts) => string;

/** A key that no server uses. */
const FOREIGN_SECRET = "foreign key 1a0f53cb-6f0d-4b5e-9a0e-7f1f0f3cf5a7";

/** 1 January 2100, in seconds. */
const FAR_FUTURE = 4_102_444_800;

const OTHER_OWNER = "00000000-0000-4000-8000-000000000001";

const unsigned =
  (alg: string): Tamper =>
  ({ payload }) =>
    `${encodePart({ alg, typ: "JWT" })}.${payload}.`;

const withSignature = ({ header, payload }: JwtParts, bytes: Buffer) =>
  `${header}.${payload}.${bytes.toString("base64url")}`;

const bytesOf = ({ signature }: JwtParts) => Buffer.from(signature, "base64url");

const withClaims = ({ header, signature }: JwtParts, claims: object) =>
  `${header}.${encodePart(claims)}.${signature}`;

/** Ways to turn a valid token into an invalid one (AUTH-08). */
const TAMPERINGS = {
  unsigned: unsigned("none"),
  unsigned_title: unsigned("None"),
  unsigned_upper: unsigned("NONE"),
  unsigned_mixed: unsigned("nOnE"),
  /** Has two parts instead of three. */
  cut: ({ header, payload }) => `${header}.${payload}`,
  emptied: ({ header, payload }) => `${header}.${payload}.`,
  truncated: (token) => {
    const bytes = bytesOf(token);
    return withSignature(token, bytes.subarray(0, Math.max(1, bytes.length - 4)));
  },
  flipped: (token) => {
    const bytes = bytesOf(token);
    const middle = bytes.length >> 1;
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    return withSignature(token, bytes);
  },
  /** An all-zero signature, which vulnerable ECDSA verifiers accept. */
  zeroed: (token) => withSignature(token, Buffer.alloc(bytesOf(token).length)),
  /** Signed with HS256: a verifier must use its own algorithm, not the header's. */
  resigned: ({ payload }) => {
    const signed = `${encodePart({ alg: "HS256", typ: "JWT" })}.${payload}`;
    return `${signed}.${hmac("HS256", signed)}`;
  },
  resigned_alike: ({ header, payload, alg }) => {
    const signed = `${header}.${payload}`;
    const signature = alg.startsWith("HS")
      ? hmac(alg, signed)
      : signWith(foreignKeys(alg).privateKey, alg, signed);
    return `${signed}.${signature}`;
  },
  /** The header contains the public key of the signature. */
  resigned_embedded: ({ header, payload, alg }) => {
    const known = isAsymmetric(alg) ? alg : "ES256";
    const { privateKey, publicKey } = foreignKeys(known);
    const jwk = publicKey.export({ format: "jwk" });
    const embedding = { ...(decodePart(header) as object), alg: known, jwk };
    const signed = `${encodePart(embedding)}.${payload}`;
    return `${signed}.${signWith(privateKey, known, signed)}`;
  },
  altered: (token) => {
    const { exp } = token.claims;
    return withClaims(token, {
      ...token.claims,
      exp: typeof exp === "number" ? exp + 3_600 : FAR_FUTURE,
    });
  },
  altered_subject: (token) => {
    const names = Object.keys(token.claims).filter((name) => OWNER_CLAIM.test(name));
    const others = ["sub", ...names].map((name) => [name, OTHER_OWNER]);
    return withClaims(token, { ...token.claims, ...Object.fromEntries(others) });
  },
} satisfies Record<string, Tamper>;

/** Claims that may identify the token's owner. */
const OWNER_CLAIM = /account|client|tenant|realm|azp|owner/i;

/** A kind of tampered token. `malformed` and `opaque` don't need a valid token. */
export type TamperedToken = keyof typeof TAMPERINGS | "malformed" | "opaque";

export const tamperedTokens = [
  "malformed",
  "opaque",
  ...Object.keys(TAMPERINGS),
] as readonly TamperedToken[];

/** Tampers with a token. Returns undefined for an unknown kind, or if it is not a signed JWT. */
export function tamperToken(token: string, kind: TamperedToken): string | undefined {
  if (kind === "malformed") return "not.a-token";
  if (kind === "opaque") return "an-opaque-token";
  if (!Object.hasOwn(TAMPERINGS, kind)) return undefined;
  const parts = jwtParts(token);
  return parts && parts.signature !== "" ? TAMPERINGS[kind](parts) : undefined;
}

function isAsymmetric(alg: string): boolean {
  return /^(?:[RP]S(?:256|384|512)|ES(?:256|384|512)|EdDSA)$/.test(alg);
}

const CURVES: Readonly<Record<string, string>> = { "256": "P-256", "384": "P-384", "512": "P-521" };

/** Generates a new key pair for an algorithm. An unknown algorithm gets P-256. */
function foreignKeys(alg: string): { privateKey: KeyObject; publicKey: KeyObject } {
  if (/^[RP]S/.test(alg)) return generateKeyPairSync("rsa", { modulusLength: 2048 });
  if (alg === "EdDSA") return generateKeyPairSync("ed25519");
  return generateKeyPairSync("ec", { namedCurve: CURVES[alg.slice(2)] ?? "P-256" });
}

const PSS = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
};

function signWith(key: KeyObject, alg: string, text: string): string {
  const hash = alg === "EdDSA" ? null : `sha${/\d{3}$/.exec(alg)?.[0] ?? 256}`;
  const padding = alg.startsWith("PS") ? PSS : {};
  const data = Buffer.from(text);
  return sign(hash, data, { key, dsaEncoding: "ieee-p1363", ...padding }).toString("base64url");
}

function hmac(alg: string, text: string): string {
  const hash = `sha${/\d{3}$/.exec(alg)?.[0] ?? 256}`;
  return createHmac(hash, FOREIGN_SECRET).update(text).digest("base64url");
}

/** Ways to turn a credential into a similar invalid one (AUTH-04 to AUTH-06). */
const NEAR_MISSES: Readonly<Record<string, (value: string) => string>> = {
  /** Without its last character. */
  CUT: (value) => value.slice(0, -1),
  /** With one extra character. */
  LONGER: (value) => `${value}x`,
  /** With upper and lower case swapped. */
  SWAPPED: (value) =>
    [...value].map((c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase())).join(""),
};

/**
 * Returns the value of a variable such as `$TXFEED_CLIENT_SECRET_CUT`.
 *
 * @returns undefined if the variable is not a tampered credential, or if the change would leave the
 * value empty or unchanged.
 */
export function tamperedCredential(
  variable: string,
  known: (variable: string) => string | undefined,
): string | undefined {
  const end = variable.lastIndexOf("_");
  const change = NEAR_MISSES[variable.slice(end + 1)];
  const value = known(variable.slice(0, end));
  const changed = value === undefined ? undefined : change?.(value);
  return changed === "" || changed === value ? undefined : changed;
}
