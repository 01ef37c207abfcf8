import { compactVerify, SignJWT } from "jose";
import type { Engine } from "../engine.ts";
import { type Keys, keysOf } from "./keys.ts";

/** What a token is good for: the interface, or card enrollment alone (AUTH-11). */
export type Scope = "api" | "sdk";

/** Whose token it is, and what it opens. */
export interface Bearer {
  readonly accountId: string;
  readonly scope: Scope;
}

/** What is said of a token that opens nothing. */
export interface RefusedToken {
  /** Why, as the end of a sentence about it. */
  readonly refused: string;
}

/** AUTH-02, AUTH-09 */
export const TOKEN_LIFETIME_SECONDS = 300;

const ALGORITHM = "ES256";
const ISSUER = "urn:txfeed:sandbox";

/** How many tokens are remembered whose signature was verified. */
const REMEMBERED = 1_000;

interface VerifiedToken extends Bearer {
  readonly expiresMs: number;
}

/** Issues access tokens and verifies them. They are stateless (AUTH-10): none is kept anywhere. */
export class AccessTokens {
  readonly #engine: Engine;
  readonly #keys: Keys;
  /** So that a signature is verified once: that takes longer than all the rest of a request. */
  readonly #verified = new Map<string, VerifiedToken>();
  /** Which of the engine's states they were verified in. */
  #replacements = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#keys = keysOf(engine);
  }

  /** Issues a token. Its times are whole seconds of the sandbox's clock, rounded down. */
  async issue({ accountId, scope }: Bearer, clientId: string): Promise<string> {
    const issuedSeconds = Math.floor(this.#engine.clock.now() / 1000);
    return new SignJWT({ account: accountId, scope })
      .setProtectedHeader({ alg: ALGORITHM, typ: "JWT", kid: this.#keys.published.kid })
      .setIssuer(ISSUER)
      .setSubject(clientId)
      .setIssuedAt(issuedSeconds)
      .setExpirationTime(issuedSeconds + TOKEN_LIFETIME_SECONDS)
      .sign(this.#keys.signing);
  }

  /** Tells what a token opens now, or why nothing. */
  async judge(token: string): Promise<Bearer | RefusedToken> {
    if (this.#replacements !== this.#engine.replacements) this.#forget();
    const verified = this.#verified.get(token) ?? (await this.#verify(token));
    if ("refused" in verified) return verified;
    // AUTH-09: by the sandbox's clock, each time.
    if (this.#engine.clock.now() < verified.expiresMs) return verified;
    return { refused: `has expired: it lives ${TOKEN_LIFETIME_SECONDS} s; ask for a new one` };
  }

  /** Tells whether a token is the sandbox's own, and of an account that is there. */
  async #verify(token: string): Promise<VerifiedToken | RefusedToken> {
    const foreign = { refused: "is none that this sandbox has signed" };
    // Four bits of the last character stand for nothing, and decoders let them be anything.
    const signature = token.slice(token.lastIndexOf(".") + 1);
    if (Buffer.from(signature, "base64url").toString("base64url") !== signature) return foreign;
    let payload: Uint8Array;
    try {
      ({ payload } = await compactVerify(token, this.#keys.verifying, { algorithms: [ALGORITHM] }));
    } catch {
      return foreign;
    }
    const claims = JSON.parse(new TextDecoder().decode(payload));
    const { account: accountId, scope, exp } = claims;
    const account = this.#engine.store.sql("SELECT 1 FROM accounts WHERE id = ?").get(accountId);
    if (!account) return { refused: "is of an account that is no more" };
    const verified = { accountId, scope, expiresMs: exp * 1000 };
    this.#remember(token, verified);
    return verified;
  }

  /** Another state may have other accounts; within one, none goes. */
  #forget(): void {
    this.#verified.clear();
    this.#replacements = this.#engine.replacements;
  }

  #remember(token: string, verified: VerifiedToken): void {
    const [oldest] = this.#verified.keys();
    if (this.#verified.size >= REMEMBERED && oldest) this.#verified.delete(oldest);
    this.#verified.set(token, verified);
  }
}

const known = new WeakMap<Engine, AccessTokens>();

/** The tokens of a sandbox. */
export function tokensOf(engine: Engine): AccessTokens {
  const tokens = known.get(engine) ?? new AccessTokens(engine);
  known.set(engine, tokens);
  return tokens;
}
