import type { Settings } from "./options.ts";
import { Scope } from "./scope.ts";
import { isSendable } from "./token-exchange.ts";
import type { StoredToken, TokenStore } from "./token-store.ts";

/** How a client comes by a token. */
interface Sources<Token extends StoredToken> {
  /** Takes a token of the store; undefined if it is of no use any more. */
  take(stored: StoredToken): Token | undefined;
  /** Exchanges a token. */
  mint(): Promise<Token>;
  /** Reports that the store failed. */
  onFailure(what: string, error: unknown): void;
}

/**
 * Takes the token of a store, or exchanges one and puts it there.
 *
 * @returns Resolves as soon as there is a token: the write goes on. Rejects as the exchange does;
 * the client does without a store that fails.
 */
export function shareToken<Token extends StoredToken>(
  settings: Settings,
  store: TokenStore,
  { take, mint, onFailure }: Sources<Token>,
): Promise<Token> {
  /** Does something with the store, in a sixth of the time of a call. */
  const attempt = async <T>(what: string, task: () => Promise<T>, isDone = () => false) => {
    try {
      return await new Scope(settings.clock, settings.timeoutMs / 6, undefined).wait(task());
    } catch (error) {
      if (!isDone()) onFailure(what, error);
      return undefined;
    }
  };
  return new Promise((resolve, reject) => {
    let isBegun = false;
    const task = async () => {
      if (isBegun) return;
      isBegun = true;
      const read = async () => asToken(await store.read());
      const stored = await attempt("the token store can't be read", read);
      const taken = stored && take(stored);
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

/** What a store has, if it is a token that can be sent and has its times. */
function asToken(stored: StoredToken | undefined): StoredToken | undefined {
  const { accessToken, expiresAt, lifetimeSeconds } = stored ?? {};
  const isTimed = [expiresAt, lifetimeSeconds].every((at) => typeof at === "number" && at > 0);
  return isTimed && isSendable(accessToken) ? stored : undefined;
}
