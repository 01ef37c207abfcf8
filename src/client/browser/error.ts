/**
 * Why there is no access token:
 *
 * | code | meaning |
 * |---|---|
 * | `usage` | an option makes no sense |
 * | `http` | the route answered another status than 200 |
 * | `network` | the route can't be reached, its answer broke off, or it redirects |
 * | `timeout` | the route took longer than `timeoutMs` |
 * | `contract` | the route answered 200, and with something that is no token |
 */
export type AccessTokenErrorCode = "usage" | "http" | "network" | "timeout" | "contract";

/** What `getAccessToken` rejects with: match on `code`. It never holds a token. */
export class AccessTokenError extends Error {
  readonly code: AccessTokenErrorCode;
  /** The status of the route's answer; undefined where none came. */
  readonly status: number | undefined;

  constructor(code: AccessTokenErrorCode, message: string, status?: number) {
    super(message);
    this.name = "AccessTokenError";
    this.code = code;
    this.status = status;
  }
}
