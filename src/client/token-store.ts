/** An access token as processes share it. It is a secret. */
export interface StoredToken {
  readonly accessToken: string;
  /** When it expires, in milliseconds since the epoch by the server's clock. */
  readonly expiresAt: number;
  /** How long it was valid when it was new, in seconds. */
  readonly lifetimeSeconds: number;
}

/**
 * Where several processes keep one access token of one set of credentials (AUTH-13). A store that
 * fails is done without, and so is a lock or a read that takes a sixth of `timeoutMs`: the client
 * then exchanges a token of its own.
 */
export interface TokenStore {
  /** Resolves to the token that was put there last, or undefined. */
  read(): Promise<StoredToken | undefined>;
  /** Puts a token there. */
  write(token: StoredToken): Promise<void>;
  /**
   * Runs a task while no other process runs one, and resolves to what it does. Without it,
   * processes that start at the same moment may exchange a token each.
   */
  exclusively?<T>(task: () => Promise<T>): Promise<T>;
}
