import type { TransportResponse } from "./transport.ts";

/** One attempt of a call as the middleware sees it. The access token is not in it. */
export interface FeedRequest {
  /** Method and path template, such as `GET /cards/{id}`; `GET /*` for a link of no template. */
  readonly operation: string;
  readonly method: string;
  /** The absolute address. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** 1 for the first attempt of a call. */
  readonly attempt: number;
}

/** Sends an attempt on its way; a step may do so more than once. */
export type Next = (request: FeedRequest) => Promise<TransportResponse>;

/**
 * Something of the caller's own that runs around every attempt: it may change the request, answer
 * in its place, or look at the answer. What it throws, the call rejects with, and nothing is tried
 * again. An address outside of the base address is refused. The token exchange goes through no middleware: it
 * sends the secret.
 */
export type Middleware = (request: FeedRequest, next: Next) => Promise<TransportResponse>;
