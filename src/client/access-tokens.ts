import type { Clock, ServerClock } from "./clock.ts";
import type { Scope } from "./scope.ts";
import type { StoredToken, TokenStore } from "./token-store.ts";

/** A token that nothing has been asked with is no older than this when it counts as just minted. */
const JUST_MINTED_MS = 10_000;

/** How long after a background exchange failed the next one may begin. */
const REST_MS = 5000;

/** A token with what the client knows of it. */
interface HeldToken extends StoredToken {
  /** When to begin to get the next one, by the server's clock. */
  readonly refreshAt: number;
  /** When this client exchanged it, by the server's clock; undefined where another process did. */
  readonly mintedAt: number | undefined;
  /** Whether an answer other than 401 has come to it. */
  isProven: boolean;
}

/** What gets tokens, and what it needs to know when. */
export interface TokenSource {
  /** Exchanges the credentials for a token. */
  readonly exchange: () => Promise<StoredToken>;
  readonly store: TokenStore | undefined;
  readonly clock: Clock;
  readonly server: ServerClock;
  /** Told of a failure that nobody has to be stopped by. */
  readonly onSoftFailure: (what: string, error: unknown) => void;
}

/** The one access token of a client (AUTH-13): cached, and renewed before it expires (AUTH-12). */
export class AccessTokens {
  readonly #source: TokenSource;
  #held: HeldToken | undefined;
  #renewal: Promise<HeldToken> | undefined;
  #restUntil = 0;

  constructor(source: TokenSource) {
    this.#source = source;
  }

  /**
   * Gives the token to send. In the last tenth of its life, at most 30 seconds, the next one is
   * got in the background; until it is there, this one does.
   *
   * @returns the token, or a promise of it where there is none that is good. Rejects as the
   * exchange does, or with Ended where the call ends first.
   */
  get(scope: Scope): string | Promise<string> {
    const held = this.#held;
    const now = this.#source.server.now();
    if (held === undefined || now >= held.expiresAt) {
      return scope.wait(this.#renew(undefined)).then(({ accessToken }) => accessToken);
    }
    if (now >= held.refreshAt && this.#source.clock.now() >= this.#restUntil) {
      this.#renewInBackground(held);
    }
    return held.accessToken;
  }

  /** Learns that the API took a token. */
  accept(accessToken: string): void {
    if (this.#held?.accessToken === accessToken) this.#held.isProven = true;
  }

  /**
   * Learns that the API refused a token, and gets another unless that can't help: one that was just
   * minted would be followed by its like.
   *
   * @returns Resolves to whether there is another now. Rejects as {@link get} does.
   */
  async replace(rejected: string, scope: Scope): Promise<boolean> {
    const held = this.#held;
    if (held?.accessToken === rejected) {
      if (this.#isJustMinted(held)) return false;
      await scope.wait(this.#renew(rejected));
    } else if (held === undefined) {
      await scope.wait(this.#renew(rejected));
    }
    return this.#held?.accessToken !== rejected;
  }

  #isJustMinted({ isProven, mintedAt }: HeldToken): boolean {
    if (isProven || mintedAt === undefined) return false;
    return this.#source.server.now() - mintedAt < JUST_MINTED_MS;
  }

  #renewInBackground(old: HeldToken): void {
    if (this.#renewal) return;
    this.#renew(old.accessToken).catch((error) => {
      this.#restUntil = this.#source.clock.now() + REST_MS;
      this.#source.onSoftFailure("the token is not renewed yet", error);
    });
  }

  /** Gets one token for all who wait. It goes on where they give up: the next call needs it. */
  #renew(old: string | undefined): Promise<HeldToken> {
    this.#renewal ??= this.#obtain(old)
      .then((token) => {
        this.#held = token;
        return token;
      })
      .finally(() => {
        this.#renewal = undefined;
      });
    return this.#renewal;
  }

  async #obtain(old: string | undefined): Promise<HeldToken> {
    const { store } = this.#source;
    if (!store) return this.#mint();
    const task = () => this.#share(store, old);
    if (!store.exclusively) return task();
    let outcome: Promise<HeldToken> | undefined;
    try {
      await store.exclusively(() => {
        outcome = task();
        return outcome;
      });
    } catch (error) {
      if (!outcome) this.#source.onSoftFailure("the token store can't be locked", error);
    }
    return outcome ?? task();
  }

  /** Takes what another process has put into the store, or puts a new token there. */
  async #share(store: TokenStore, old: string | undefined): Promise<HeldToken> {
    try {
      const stored = await store.read();
      if (stored && stored.accessToken !== old) {
        const token = this.#hold(stored, undefined);
        if (this.#source.server.now() < token.refreshAt) return token;
      }
    } catch (error) {
      this.#source.onSoftFailure("the token store can't be read", error);
    }
    const token = await this.#mint();
    const { accessToken, expiresAt, lifetimeSeconds } = token;
    try {
      await store.write({ accessToken, expiresAt, lifetimeSeconds });
    } catch (error) {
      this.#source.onSoftFailure("the token store can't be written", error);
    }
    return token;
  }

  async #mint(): Promise<HeldToken> {
    const token = await this.#source.exchange();
    return this.#hold(token, token.expiresAt - token.lifetimeSeconds * 1000);
  }

  #hold(token: StoredToken, mintedAt: number | undefined): HeldToken {
    const marginMs = Math.min(30_000, token.lifetimeSeconds * 100);
    return { ...token, refreshAt: token.expiresAt - marginMs, mintedAt, isProven: false };
  }
}
