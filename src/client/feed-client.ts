import type { TargetOf } from "../../generated/types.ts";
import { AccessTokens } from "./access-tokens.ts";
import { createCaller } from "./caller.ts";
import { createContext } from "./context.ts";
import { type FeedFetch, fetchesOf } from "./feed-fetch.ts";
import type { LinkLike } from "./link.ts";
import type { OpenapiClient } from "./openapi-client.ts";
import { type CallOptions, checkCall, type FeedClientOptions } from "./options.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { Requester } from "./requester.ts";
import { resourcesOf } from "./resource-methods.ts";
import type { PathOf, ResourceAt, Resources } from "./resources.ts";
import type { OtherFailure, Result, Success } from "./result.ts";

/** What a link's target holds, by the link's type; unknown where the contract does not say. */
export type Followed<Link> = [Target<Link>] extends [never] ? unknown : ResourceAt<Target<Link>>;

/** What came of following a link. */
export type FollowedResult<Link> = [Target<Link>] extends [never]
  ? Success<unknown> | OtherFailure<200>
  : Result<`GET ${Target<Link>}`>;

type Target<Link> = Extract<TargetOf<NonNullable<Link>>, PathOf>;

/**
 * A client of the service: resource methods, a `fetch`, and openapi-fetch's `GET` and `PATCH`.
 *
 * `GET` and `PATCH` resolve to openapi-fetch's `{ data, error, response }` whatever the status.
 * They take the options of {@link FetchInit} beside openapi-fetch's own, and ignore a name that is
 * none. They reject as `fetch` does, which refuses an id with one of `/ \ ; ? # % { }`, and with a
 * TxfeedError `usage` at an empty id or one of dots. A 200 that is not JSON rejects with
 * openapi-fetch's SyntaxError unless the response is validated.
 */
export interface FeedClient extends Resources, OpenapiClient {
  /**
   * Fetches an address below the base address, with the client's tokens, deadlines, retries and
   * limits. A path such as `/cards` is relative to the base address. Pass it to a library that
   * takes a `fetch`; the library's base address must be the client's.
   *
   * A GET or HEAD is retried as the client's own calls are, any other method only if `retries` says
   * so. Redirects are not followed, whatever `redirect` says, and an `authorization` header is
   * replaced by the access token. A body is sent as UTF-8 text. The response has been read to its
   * end when the promise resolves; its `type` is `default`.
   *
   * @returns Resolves to a `Response`, whatever the status. Rejects with a FeedLinkError before
   * anything is sent if the address is not below the base address, and with every other FeedError
   * except for a status; with a TypeError if the arguments make no request.
   */
  readonly fetch: FeedFetch;
  /**
   * Follows a link of an answer or an event, where it leads below the base address.
   *
   * @param link The link, or its `href`.
   * @returns Resolves to what it leads to: `_links.card` gives a card; unknown where the contract
   * does not say. Rejects with a FeedLinkError before anything is sent where it leads elsewhere,
   * with a FeedHttpError at any status but 200, and with every other FeedError.
   */
  follow<Link extends LinkLike>(link: Link, options?: CallOptions): Promise<Followed<Link>>;
  /**
   * Follows a link, whatever is answered.
   *
   * @returns Resolves to the answer: match on `status`. Rejects as {@link follow} does, but for a
   * status.
   */
  followResult<Link extends LinkLike>(
    link: Link,
    options?: CallOptions,
  ): Promise<FollowedResult<Link>>;
}

type OpenapiMethods = Record<keyof OpenapiClient, (...args: unknown[]) => Promise<unknown>>;

/**
 * Creates a client of the service. It gets access tokens itself, as they are needed (AUTH-13).
 *
 * @param options The base address, the account and the API credentials, and whatever is
 * to be other than usual.
 * @returns the client. Throws a TxfeedError `usage` at an option that makes no sense.
 */
export function createFeedClient(options: FeedClientOptions): FeedClient {
  const context = createContext(options);
  const tokens = new AccessTokens(context);
  const makeCall = createCaller(context, { tokens, limiter: new RateLimiter(context.settings) });
  const requester = new Requester(context, makeCall);
  const { fetch, sendText } = fetchesOf(context, requester);
  // openapi-fetch is a fifth of the client: it is loaded by the first call that needs it.
  let openapi: OpenapiMethods | undefined;
  const load = async () => {
    const { createOpenapiClient } = await import("./openapi-client.ts");
    openapi = createOpenapiClient(context.base.href, fetch, sendText) as OpenapiMethods;
    return openapi;
  };
  const byPath =
    (method: keyof OpenapiClient) =>
    (...args: unknown[]) =>
      openapi ? openapi[method](...args) : load().then((loaded) => loaded[method](...args));
  const follow = (what: string) => async (link: LinkLike, options?: CallOptions) => {
    checkCall(what, options);
    return requester.follow(link, options, what === "follow");
  };
  const client = {
    ...resourcesOf(requester),
    GET: byPath("GET"),
    PATCH: byPath("PATCH"),
    fetch,
    follow: follow("follow"),
    followResult: follow("followResult"),
  };
  // What the types say of the bodies is the contract's word, which `validate` holds answers to.
  return client as unknown as FeedClient;
}
