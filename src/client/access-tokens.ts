import { steadyNow } from "./clock.ts";
import type { ClientContext } from "./context.ts";
import { Deadline, Interrupted } from "./deadline.ts";
import { FeedError, FeedHttpError } from "./errors.ts";
import { isSendable, tokenExchange } from "./token-exchange.ts";
import type { StoredToken } from "./token-store.ts";

/** An unused token younger than this counts as fresh: replacing it would not help. */
const FRESH_MS = 10_000;

/** The delay between a failed background renewal and the next one. */
const RENEWAL_PAUSE_MS = 5000;

/** A token with its renewal time and whether the API has accepted it. */
interface CachedToken extends StoredToken {
  /** When to start the renewal, by the server's clock. */
  readonly refreshAt: number;
  /** Whether the API accepted it, in this process or in the process that shared it. */
  isProven: boolean;
}

/** The one access token of a client (AUTH-13): cached, and renewed before it expires (AUTH-09). */
export class AccessTokens {
  readonly #context: ClientContext;
  readonly #exchange: () => Promise<StoredToken>;
  #cached: CachedToken | undefined;
  #renewal: Promise<CachedToken> | undefined;
  /** The end of the pause after a failed background renewal, by the monotonic clock. */
  #pausedUntil = 0;
  /** The error of the last failed exchange, and the end of its `Retry-After`. */
  #failure: { readonly error: unknown; readonly until: number } | undefined;

  constructor(context: ClientContext) {
    this.#context = context;
    this.#exchange = tokenExchange(context);
  }

  /**
   * Returns the token to send. In the last tenth of its lifetime (at most 30 seconds) the token
   * is renewed in the background.
   *
   * @returns the cached token if it is valid, otherwise a promise of a new one.
   * @throws {FeedError} as the token exchange does
   * @throws {Interrupted} if the call ends first
   */
  get(deadline: Deadline): string | Promise<string> {
    const cached = this.#cached;
    const now = this.#context.server.now();
    if (!cached || now >= cached.expiresAt) {
      return deadline.wait(this.renew()).then(({ accessToken }) => accessToken);
    }
    const steady = steadyNow(this.#context.settings.clock);
    if (now >= cached.refreshAt && !this.#renewal && steady >= this.#pausedUntil) {
      this.renew(cached.accessToken).catch((error) => {
        this.#pausedUntil = steady + RENEWAL_PAUSE_MS;
        this.#warn("the token can't be renewed yet", error);
      });
    }
    return cached.accessToken;
  }

  /** The cached token, possibly expired; undefined before the first exchange. */
  get cached(): StoredToken | undefined {
    return this.#cached;
  }

  /** Records that the API accepted a token. */
  accept(accessToken: string): void {
    if (this.#cached?.accessToken === accessToken) this.#cached.isProven = true;
  }

  /**
   * Renews a token that the API rejected, unless it is fresh: a new one would be rejected too.
   *
   * @returns Resolves to whether a different token is available.
   * @throws as {@link get} does
   */
  async replace(rejected: string, deadline: Deadline): Promise<boolean> {
    const cached = this.#cached;
    if (cached?.accessToken !== rejected) return true;
    if (this.#isFresh(cached)) return false;
    await deadline.wait(this.renew(rejected));
    return this.#cached?.accessToken !== rejected;
  }

  #isFresh({ isProven, expiresAt, lifetimeSeconds }: CachedToken): boolean {
    const mintedAt = expiresAt - lifetimeSeconds * 1000;
    return !isProven && this.#context.server.now() - mintedAt < FRESH_MS;
  }

  /**
   * Obtains a new token; concurrent callers share one exchange. The exchange continues if its
   * callers give up, because the next call needs the token.
   *
   * @param old The token to replace; a token in the store is ignored if it is this one.
   */
  renew(old?: string): Promise<CachedToken> {
    const { clock, maxRetryAfterMs } = this.#context.settings;
    const { error, until = 0 } = this.#failure ?? {};
    if (steadyNow(clock) < until) return Promise.reject(error);
    this.#renewal ??= this.#obtain(old)
      .then((token) => {
        this.#cached = token;
        return token;
      })
      .catch((error) => {
        const askedMs = (error instanceof FeedHttpError && error.retryAfterMs) || 0;
        this.#failure = { error, until: steadyNow(clock) + Math.min(askedMs, maxRetryAfterMs) };
        throw error;
      })
      .finally(() => {
        this.#renewal = undefined;
      });
    return this.#renewal;
  }

  /** Obtains a token from the store, or by an exchange. */
  async #obtain(old: string | undefined): Promise<CachedToken> {
    const mint = async () => this.#cache(await this.#exchange(), false);
    const { server, settings } = this.#context;
    const { clock, timeoutMs, tokenStore } = settings;
    if (!tokenStore) return mint();
    const { shareToken } = await import("./shared-token.ts");
    const take = (stored: StoredToken) => {
      if (!isSendable(stored.accessToken) || stored.accessToken === old) return undefined;
      const cached = this.#cache(stored, true);
      return server.now() < cached.refreshAt ? cached : undefined;
    };
    // The token store may take a sixth of the time of a call.
    const attempt = async <T>(what: string, task: () => Promise<T>, isDone?: () => boolean) => {
      try {
        return await new Deadline(clock, timeoutMs / 6, undefined).wait(task());
      } catch (error) {
        if (!isDone?.()) this.#warn(what, error);
        return undefined;
      }
    };
    return shareToken(tokenStore, { take, mint, attempt });
  }

  #cache(token: StoredToken, isProven: boolean): CachedToken {
    this.#context.secrets.addToken(token.accessToken);
    const marginMs = Math.min(30_000, token.lifetimeSeconds * 100);
    return { ...token, refreshAt: token.expiresAt - marginMs, isProven };
  }

  #warn(what: string, error: unknown): void {
    // The message of another error could contain the token.
    const why = error instanceof FeedError ? error.message : "an unexpected error";
    const reason = `${what}: ${error instanceof Interrupted ? "it took too long" : why}`;
    this.#context.log?.({ level: "warn", event: "soft-failure", reason });
  }
}
