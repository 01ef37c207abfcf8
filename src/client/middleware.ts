import type { TransportResponse } from "./transport.ts";

/** One attempt of a call, as passed to middleware. It does not contain the access token. */
export interface FeedRequest {
  /** Method and path template, such as `GET /cards/{id}`; `GET /*` if no template matches. */
  readonly operation: string;
  readonly method: string;
  /** The absolute address. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** 1 for the first attempt of a call. */
  readonly attempt: number;
}

/** Sends an attempt. A middleware may call it more than once. */
export type Next = (request: FeedRequest) => Promise<TransportResponse>;

/**
 * Runs around every attempt of a call: it may change the request, respond without sending it, or
 * read the response. Its errors reject the call without a retry. An address outside of the base
 * address is refused. The token exchange bypasses middleware, because it sends the secret.
 */
export type Middleware = (request: FeedRequest, next: Next) => Promise<TransportResponse>;
