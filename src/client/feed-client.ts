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

/** The resource that a link leads to, by the link's type; unknown if the contract does not say. */
export type Followed<Link> = [Target<Link>] extends [never] ? unknown : ResourceAt<Target<Link>>;

/** The result of following a link. */
export type FollowedResult<Link> = [Target<Link>] extends [never]
  ? Success<unknown> | OtherFailure<200>
  : Result<`GET ${Target<Link>}`>;

type Target<Link> = Extract<TargetOf<NonNullable<Link>>, PathOf>;

/**
 * A client of the service: resource methods, a `fetch`, and openapi-fetch's `GET` and `PATCH`.
 *
 * `GET` and `PATCH` resolve to openapi-fetch's `{ data, error, response }` with any status.
 * They accept the options of openapi-fetch and of {@link FetchInit}, and ignore unknown options.
 * They reject as `fetch` does, which refuses an id with one of `/ \ ; ? # % { }`, and with a
 * TxfeedError `usage` if an id is empty or consists of dots. A 200 that is not JSON rejects with
 * openapi-fetch's SyntaxError unless the response is validated.
 */
export interface FeedClient extends Resources, OpenapiClient {
  /**
   * Fetches an address below the base address, with the client's tokens, deadlines, retries and
   * limits. A path such as `/cards` is relative to the base address. Pass it to a library that
   * takes a `fetch`; the library's base address must be the client's.
   *
   * GET and HEAD are retried as the client's own calls are, other methods only if `retries` is set.
   * Redirects are never followed, and the access token replaces an `authorization` header. A body
   * is sent as UTF-8 text. The promise resolves when the whole response is read; the response's
   * `type` is `default`.
   *
   * @returns Resolves to a `Response`, with any status.
   * @throws {FeedLinkError} `refused-link` before sending, if the address is not below the base
   * @throws {FeedError} any other code except `http` and `authentication` for a status
   * @throws {TypeError} if the arguments are not a valid request
   */
  readonly fetch: FeedFetch;
  /**
   * Follows a link of a response or an event.
   *
   * @param link The link, or its `href`; it must lead below the base address.
   * @returns Resolves to the resource: a card for `_links.card`, unknown if the contract does not
   * specify the target.
   * @throws {FeedLinkError} `refused-link` before sending, if it leads elsewhere
   * @throws {FeedHttpError} `http` for a status other than 200
   * @throws {FeedError} any other code
   */
  follow<Link extends LinkLike>(link: Link, options?: CallOptions): Promise<Followed<Link>>;
  /**
   * Follows a link, and accepts any status.
   *
   * @returns Resolves to the result: match on `status`.
   * @throws as {@link follow} does, except for a status
   */
  followResult<Link extends LinkLike>(
    link: Link,
    options?: CallOptions,
  ): Promise<FollowedResult<Link>>;
}

type OpenapiMethods = Record<keyof OpenapiClient, (...args: unknown[]) => Promise<unknown>>;

/**
 * Creates a client of the service. It fetches and caches access tokens as needed (AUTH-13).
 *
 * @param options The base address, the account, the API credentials, and optional settings.
 * @returns the client.
 * @throws {TxfeedError} `usage` if an option is invalid
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
  // The types of the bodies come from the contract; only `validate` checks them at run time.
  return client as unknown as FeedClient;
}
