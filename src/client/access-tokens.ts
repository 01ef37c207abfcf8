import { FeedError } from "./errors.ts";
import { Scope } from "./scope.ts";
import { tokenExchange } from "./token-exchange.ts";
import type { StoredToken, TokenStore } from "./token-store.ts";
import type { Wiring } from "./wiring.ts";

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
  readonly #wiring: Wiring;
  readonly #exchange: () => Promise<StoredToken>;
  #held: HeldToken | undefined;
  #renewal: Promise<HeldToken> | undefined;
  #restUntil = 0;

  constructor(wiring: Wiring) {
    this.#wiring = wiring;
    this.#exchange = tokenExchange(wiring);
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
    const now = this.#wiring.server.now();
    if (held === undefined || now >= held.expiresAt) {
      return scope.wait(this.#renew(undefined)).then(({ accessToken }) => accessToken);
    }
    if (now >= held.refreshAt && this.#wiring.settings.clock.now() >= this.#restUntil) {
      this.#renewInBackground(held);
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

  #isJustMinted({ isProven, expiresAt, lifetimeSeconds }: HeldToken): boolean {
    const mintedAt = expiresAt - lifetimeSeconds * 1000;
    return !isProven && this.#wiring.server.now() - mintedAt < JUST_MINTED_MS;
  }

  #renewInBackground(old: HeldToken): void {
    if (this.#renewal) return;
    this.#renew(old.accessToken).catch((error) => {
      this.#restUntil = this.#wiring.settings.clock.now() + REST_MS;
      this.#tell("renewed yet", error);
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
    const store = this.#wiring.settings.tokenStore;
    if (!store) return this.#mint();
    let outcome: Promise<HeldToken> | undefined;
    const task = () => {
      outcome ??= this.#share(store, old);
      return outcome;
    };
    // A failure of the exchange itself is told by the task.
    await this.#try("locked", async () =>
      store.exclusively?.(task).catch((error) => {
        if (!outcome) throw error;
      }),
    );
    return task();
  }

  /** Takes what another process has put into the store, or puts a new token there. */
  async #share(store: TokenStore, old: string | undefined): Promise<HeldToken> {
    const stored = await this.#try("read", async () => store.read());
    if (stored && stored.accessToken !== old) {
      const token = this.#hold(stored, true);
      if (this.#wiring.server.now() < token.refreshAt) return token;
    }
    const token = await this.#mint();
    const { accessToken, expiresAt, lifetimeSeconds } = token;
    const copy = { accessToken, expiresAt, lifetimeSeconds };
    await this.#try("written", async () => store.write(copy));
    return token;
  }

  async #mint(): Promise<HeldToken> {
    return this.#hold(await this.#exchange(), false);
  }

  #hold(token: StoredToken, isProven: boolean): HeldToken {
    this.#wiring.secrets.addToken(token.accessToken);
    const marginMs = Math.min(30_000, token.lifetimeSeconds * 100);
    return { ...token, refreshAt: token.expiresAt - marginMs, isProven };
  }

  /** Does something with the store, in the time of an attempt; a failure is only told. */
  async #try<T>(what: string, task: () => Promise<T>): Promise<T | undefined> {
    const { clock, attemptTimeoutMs } = this.#wiring.settings;
    try {
      return await new Scope(clock, attemptTimeoutMs, undefined).wait(task());
    } catch (error) {
      this.#tell(what, error);
      return undefined;
    }
  }

  /** Tells of a failure that nobody has to be stopped by. */
  #tell(what: string, error: unknown): void {
    // A store's own words could hold the token.
    const why = error instanceof FeedError ? error.message : "an error of its store";
    const reason = `the token can't be ${what}: ${why}`;
    this.#wiring.log?.({ level: "warn", event: "soft-failure", reason });
  }
}
