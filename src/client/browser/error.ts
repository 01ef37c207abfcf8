/**
 * The reason for an AccessTokenError.
 *
 * | code | meaning |
 * |---|---|
 * | `usage` | an option is invalid |
 * | `http` | the route responded with a status other than 200 |
 * | `network` | the route is unreachable, its response is incomplete, or it redirects |
 * | `timeout` | the route took longer than `timeoutMs` |
 * | `contract` | the route responded with 200, but not with a token |
 */
export type AccessTokenErrorCode = "usage" | "http" | "network" | "timeout" | "contract";

/** The error of `getAccessToken`: match on `code`. It never contains a token. */
export class AccessTokenError extends Error {
  readonly code: AccessTokenErrorCode;
  /** The status of the route's response; undefined if there is none. */
  readonly status: number | undefined;

  constructor(code: AccessTokenErrorCode, message: string, status?: number) {
    super(message);
    this.name = "AccessTokenError";
    this.code = code;
    this.status = status;
  }
}
