import type { StoredToken, TokenStore } from "./token-store.ts";

/** How a client comes by a token. */
interface Sources<Token extends StoredToken> {
  /** Takes a token of the store; undefined if it is of no use. */
  take(stored: StoredToken): Token | undefined;
  /** Exchanges a token. */
  mint(): Promise<Token>;
  /**
   * Does something with the store in a limited time. It reports a failure as `what`, unless
   * `isDone` says that it no longer matters, and then resolves to undefined.
   */
  attempt<T>(what: string, task: () => Promise<T>, isDone?: () => boolean): Promise<T | undefined>;
}

/**
 * Takes the token of a store, or exchanges one and puts it there.
 *
 * @returns Resolves as soon as there is a token: the write goes on. Rejects as the exchange does;
 * the client does without a store that fails.
 */
export function shareToken<Token extends StoredToken>(
  store: TokenStore,
  { take, mint, attempt }: Sources<Token>,
): Promise<Token> {
  return new Promise((resolve, reject) => {
    let isBegun = false;
    const task = async () => {
      if (isBegun) return;
      isBegun = true;
      const read = async () => {
        const stored = await store.read();
        return stored && isTimed(stored) ? take(stored) : undefined;
      };
      const taken = await attempt("the token store can't be read", read);
      if (taken) return resolve(taken);
      try {
        const token = await mint();
        resolve(token);
        // The lock lasts until it is there; the call does not wait for it.
        const { accessToken, expiresAt, lifetimeSeconds } = token;
        const copy = { accessToken, expiresAt, lifetimeSeconds };
        await attempt("the token store can't be written", async () => store.write(copy));
      } catch (error) {
        reject(error);
      }
    };
    const locked = async () => (store.exclusively ? store.exclusively(task) : task());
    attempt("the token store can't be locked", locked, () => isBegun).then(task);
  });
}

/** Whether a store, which may hold anything, has a token with its times. */
function isTimed({ expiresAt, lifetimeSeconds }: StoredToken): boolean {
  return [expiresAt, lifetimeSeconds].every((at) => typeof at === "number" && at > 0);
}
