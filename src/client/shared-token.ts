import type { StoredToken, TokenStore } from "./token-store.ts";

/** The operations of a client that obtain a token. */
interface Sources<Token extends StoredToken> {
  /** Checks a token of the store; returns undefined if it is unusable. */
  take(stored: StoredToken): Token | undefined;
  /** Obtains a token by an exchange. */
  mint(): Promise<Token>;
  /**
   * Runs an operation of the store with a time limit. If it fails, logs `what`, unless `isDone`
   * returns true, and resolves to undefined.
   */
  attempt<T>(what: string, task: () => Promise<T>, isDone?: () => boolean): Promise<T | undefined>;
}

/**
 * Reads the token of a store, or obtains one by an exchange and stores it. Failures of the store
 * are logged and otherwise ignored.
 *
 * @returns Resolves to the token; does not wait until it is stored.
 * @throws {FeedError} as the exchange does
 */
export function shareToken<Token extends StoredToken>(
  store: TokenStore,
  { take, mint, attempt }: Sources<Token>,
): Promise<Token> {
  return new Promise((resolve, reject) => {
    let hasStarted = false;
    const task = async () => {
      if (hasStarted) return;
      hasStarted = true;
      const read = async () => {
        const stored = await store.read();
        return stored && hasTimes(stored) ? take(stored) : undefined;
      };
      const taken = await attempt("the token store can't be read", read);
      if (taken) return resolve(taken);
      try {
        const token = await mint();
        resolve(token);
        // The lock lasts until the token is stored; the call does not wait for that.
        const { accessToken, expiresAt, lifetimeSeconds } = token;
        const copy = { accessToken, expiresAt, lifetimeSeconds };
        await attempt("the token store can't be written", async () => store.write(copy));
      } catch (error) {
        reject(error);
      }
    };
    const locked = async () => (store.exclusively ? store.exclusively(task) : task());
    attempt("the token store can't be locked", locked, () => hasStarted).then(task);
  });
}

/** Whether a stored value, which may be anything, has valid times. */
function hasTimes({ expiresAt, lifetimeSeconds }: StoredToken): boolean {
  return [expiresAt, lifetimeSeconds].every((at) => typeof at === "number" && at > 0);
}
