import type { TargetOf } from "../../generated/types.ts";
import { refuseUnknownOptions } from "../options.ts";
import { AccessTokens } from "./access-tokens.ts";
import { callerOf } from "./caller.ts";
import { Gate } from "./gate.ts";
import type { LinkLike } from "./link.ts";
import { type CallOptions, checkCall, type FeedClientOptions } from "./options.ts";
import { Requester } from "./requester.ts";
import { resourcesOf } from "./resource-methods.ts";
import type { Answered, Resources } from "./resources.ts";
import type { Failure, Result, Success } from "./result.ts";
import type { PathOf, TypedSurface } from "./surface.ts";
import { wire } from "./wiring.ts";

/** What a link's target holds, by the link's type; unknown where the contract does not say. */
export type Followed<Link> = [Target<Link>] extends [never] ? unknown : Answered<Target<Link>>;

/** What came of following a link. */
export type FollowedResult<Link> = [Target<Link>] extends [never]
  ? Success<unknown> | Failure<number>
  : Result<`GET ${Target<Link>}`>;

type Target<Link> = Extract<TargetOf<NonNullable<Link>>, PathOf<"GET">>;

/** A client of the service: the resources in plain words, the operations by path, and links. */
export interface FeedClient extends Resources, TypedSurface {
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

/**
 * Creates a client of the service. It gets access tokens itself, as they are needed (AUTH-13).
 *
 * @param options The base address, the account and the API credentials, and whatever is
 * to be other than usual.
 * @returns the client. Throws a TxfeedError `usage` at an option that makes no sense.
 */
export function createFeedClient(options: FeedClientOptions): FeedClient {
  const wiring = wire(options);
  const tokens = new AccessTokens(wiring);
  const makeCall = callerOf(wiring, { tokens, gate: new Gate(wiring.settings) });
  const requester = new Requester(wiring, makeCall);
  const send =
    (method: string, ...own: readonly string[]) =>
    async (path: string, options: AnyInit = {}) => {
      const operation = `${method} ${path}`;
      checkCall(operation, options, ...own);
      const { params = {}, ...init } = options;
      refuseUnknownOptions("params", params, ["path", "query"]);
      return requester.send(operation, params, init);
    };
  const follow = (what: string) => async (link: LinkLike, options?: CallOptions) => {
    checkCall(what, options);
    return requester.follow(link, options, what === "follow");
  };
  const client = {
    ...resourcesOf(requester),
    GET: send("GET", "params"),
    PATCH: send("PATCH", "params", "body"),
    follow: follow("follow"),
    followResult: follow("followResult"),
  };
  // What the types say of the bodies is the contract's word, which `validate` holds answers to.
  return client as unknown as FeedClient;
}

type AnyInit = CallOptions & { readonly params?: object; readonly body?: unknown };
