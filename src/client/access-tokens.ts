import { steadyNow } from "./clock.ts";
import type { ClientContext } from "./context.ts";
import { Deadline, Interrupted } from "./deadline.ts";
import { FeedError, FeedHttpError } from "./errors.ts";
import { isSendable, tokenExchange } from "./token-exchange.ts";
import type { StoredToken } from "./token-store.ts";

/** A token that nothing has been asked with is no older than this when it counts as just minted. */
const JUST_MINTED_MS = 10_000;

/** How long after a background exchange failed the next one may begin. */
const REST_MS = 5000;

/** A token with what the client knows of it. */
interface HeldToken extends StoredToken {
  /** When to begin to get the next one, by the server's clock. */
  readonly refreshAt: number;
  /** Whether an answer other than 401 has come to it, here or where it was shared from. */
  isProven: boolean;
}

/** The one access token of a client (AUTH-13): cached, and renewed before it expires (AUTH-09). */
export class AccessTokens {
  readonly #context: ClientContext;
  readonly #exchange: () => Promise<StoredToken>;
  #held: HeldToken | undefined;
  #renewal: Promise<HeldToken> | undefined;
  /** Until when no token is renewed in the background, by the steady clock. */
  #restUntil = 0;
  /** What the token endpoint said when it asked to wait, and until when. */
  #refusal: { readonly error: unknown; readonly until: number } | undefined;

  constructor(context: ClientContext) {
    this.#context = context;
    this.#exchange = tokenExchange(context);
  }

  /**
   * Gives the token to send. In the last tenth of its life, at most 30 seconds, the next one is
   * got in the background; until it is there, this one does.
   *
   * @returns the token, or a promise of it where there is none that is good. Rejects as the
   * exchange does, or with Ended where the call ends first.
   */
  get(deadline: Deadline): string | Promise<string> {
    const held = this.#held;
    const now = this.#context.server.now();
    if (held === undefined || now >= held.expiresAt) {
      return deadline.wait(this.renew()).then(({ accessToken }) => accessToken);
    }
    const steady = steadyNow(this.#context.settings.clock);
    if (now >= held.refreshAt && !this.#renewal && steady >= this.#restUntil) {
      this.renew(held.accessToken).catch((error) => {
        this.#restUntil = steady + REST_MS;
        this.#tell("the token can't be renewed yet", error);
      });
    }
    return held.accessToken;
  }

  /** The token that is held, whether or not it is still good; undefined before the first. */
  get held(): StoredToken | undefined {
    return this.#held;
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
  async replace(rejected: string, deadline: Deadline): Promise<boolean> {
    const held = this.#held;
    if (held?.accessToken !== rejected) return true;
    if (this.#isJustMinted(held)) return false;
    await deadline.wait(this.renew(rejected));
    return this.#held?.accessToken !== rejected;
  }

  #isJustMinted({ isProven, expiresAt, lifetimeSeconds }: HeldToken): boolean {
    const mintedAt = expiresAt - lifetimeSeconds * 1000;
    return !isProven && this.#context.server.now() - mintedAt < JUST_MINTED_MS;
  }

  /**
   * Gets one token for all who wait. It goes on where they give up: the next call needs it.
   *
   * @param old The token to replace: a token store may still have it.
   */
  renew(old?: string): Promise<HeldToken> {
    const { clock, maxRetryAfterMs } = this.#context.settings;
    const { error, until = 0 } = this.#refusal ?? {};
    if (steadyNow(clock) < until) return Promise.reject(error);
    this.#renewal ??= this.#obtain(old)
      .then((token) => {
        this.#held = token;
        return token;
      })
      .catch((error) => {
        const askedMs = (error instanceof FeedHttpError && error.retryAfterMs) || 0;
        this.#refusal = { error, until: steadyNow(clock) + Math.min(askedMs, maxRetryAfterMs) };
        throw error;
      })
      .finally(() => {
        this.#renewal = undefined;
      });
    return this.#renewal;
  }

  /** Exchanges a token, or takes what another process has put into the store. */
  async #obtain(old: string | undefined): Promise<HeldToken> {
    const mint = async () => this.#hold(await this.#exchange(), false);
    const { server, settings } = this.#context;
    const { clock, timeoutMs, tokenStore } = settings;
    if (!tokenStore) return mint();
    const { shareToken } = await import("./shared-token.ts");
    const take = (stored: StoredToken) => {
      if (!isSendable(stored.accessToken) || stored.accessToken === old) return undefined;
      const held = this.#hold(stored, true);
      return server.now() < held.refreshAt ? held : undefined;
    };
    /** In a sixth of the time of a call. */
    const attempt = async <T>(what: string, task: () => Promise<T>, isDone?: () => boolean) => {
      try {
        return await new Deadline(clock, timeoutMs / 6, undefined).wait(task());
      } catch (error) {
        if (!isDone?.()) this.#tell(what, error);
        return undefined;
      }
    };
    return shareToken(tokenStore, { take, mint, attempt });
  }

  #hold(token: StoredToken, isProven: boolean): HeldToken {
    this.#context.secrets.addToken(token.accessToken);
    const marginMs = Math.min(30_000, token.lifetimeSeconds * 100);
    return { ...token, refreshAt: token.expiresAt - marginMs, isProven };
  }

  #tell(what: string, error: unknown): void {
    // A store's own words could hold the token.
    const why = error instanceof FeedError ? error.message : "an error of its own";
    const reason = `${what}: ${error instanceof Interrupted ? "it took too long" : why}`;
    this.#context.log?.({ level: "warn", event: "soft-failure", reason });
  }
}
