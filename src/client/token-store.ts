/** An access token that processes share. It is a secret. */
export interface StoredToken {
  readonly accessToken: string;
  /** When it expires, in milliseconds since the epoch by the server's clock. */
  readonly expiresAt: number;
  /** Its lifetime when it was issued, in seconds. */
  readonly lifetimeSeconds: number;
}

/**
 * Shares the access token of one set of credentials between processes (AUTH-13). If the store
 * fails, or its lock or read takes longer than a sixth of `timeoutMs`, the client obtains its own
 * token.
 */
export interface TokenStore {
  /** Resolves to the token that was written last, or undefined. */
  read(): Promise<StoredToken | undefined>;
  /** Stores a token. */
  write(token: StoredToken): Promise<void>;
  /**
   * Runs a task under a lock that all processes share, and resolves to its result. Without this
   * method, processes that start at the same time may each obtain a token.
   */
  exclusively?<T>(task: () => Promise<T>): Promise<T>;
}
