import { compactVerify, SignJWT } from "jose";
import type { Engine } from "../engine.ts";
import { type Keys, keysOf } from "./keys.ts";

/** The scope of a token: the interface, or only card enrollment (AUTH-11). */
export type Scope = "api" | "sdk";

/** The account and the scope of a token. */
interface Bearer {
  readonly accountId: string;
  readonly scope: Scope;
}

/** The reason why a token is invalid. */
interface RefusedToken {
  /** The end of a sentence about the token. */
  readonly refused: string;
}

/** AUTH-02, AUTH-09 */
export const TOKEN_LIFETIME_SECONDS = 300;

const ALGORITHM = "ES256";
const ISSUER = "urn:txfeed:sandbox";

/** The most verified tokens in the cache. */
const REMEMBERED = 1_000;

interface VerifiedToken extends Bearer {
  readonly expiresMs: number;
}

/** Issues and verifies access tokens. They are stateless (AUTH-10): none is stored. */
class AccessTokens {
  readonly #engine: Engine;
  readonly #keys: Keys;
  /** Verified tokens. To verify a signature takes longer than the rest of a request. */
  readonly #verified = new Map<string, VerifiedToken>();
  /** The `replacements` of the engine when they were verified. */
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

  /** Verifies a token, and returns its account and scope, or why it is invalid. */
  async authenticate(token: string): Promise<Bearer | RefusedToken> {
    if (this.#replacements !== this.#engine.replacements) this.#forget();
    const verified = this.#verified.get(token) ?? (await this.#verify(token));
    if ("refused" in verified) return verified;
    // AUTH-09: checked each time, by the sandbox's clock.
    if (this.#engine.clock.now() < verified.expiresMs) return verified;
    return { refused: `has expired after ${TOKEN_LIFETIME_SECONDS} s; request a new one` };
  }

  /** Checks that the sandbox signed a token, and that its account exists. */
  async #verify(token: string): Promise<VerifiedToken | RefusedToken> {
    const foreign = { refused: "was not signed by this sandbox" };
    // Decoders ignore the last four bits, so that several texts would be the same signature.
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
    if (!account) return { refused: "belongs to an account that no longer exists" };
    const verified = { accountId, scope, expiresMs: exp * 1000 };
    this.#remember(token, verified);
    return verified;
  }

  /** Clears the cache when the state was replaced: it may have other accounts. */
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
