import { reasonOf, UsageError } from "../../errors.ts";
import { assertKnownOptions } from "../../options.ts";
import { AccessTokens } from "../access-tokens.ts";
import { EXPIRES_IN, REFUSED_TOKEN, TOKEN_ID } from "../browser/token-headers.ts";
import { type ClientContext, createContext } from "../context.ts";
import { Deadline, Interrupted } from "../deadline.ts";
import { FeedTimeoutError } from "../errors.ts";
import type { FeedClientOptions } from "../options.ts";
import { RefusedTokens, tokenIdOf } from "./refused-tokens.ts";

/** Less than the 5 seconds of the SDK (SDK-03), to allow for network latency. */
const MAX_MS = 4000;

/** Leaves time for a second attempt if one hangs. */
const ATTEMPT_MS = 2000;

/** The options that have the same meaning for a client. */
type Shared = Pick<
  FeedClientOptions,
  "baseUrl" | "accountId" | "retries" | "tokenStore" | "fetch" | "transport" | "clock" | "random"
>;

/** The names of {@link SdkTokenHandlerOptions}. */
const OPTIONS = [
  ...["baseUrl", "accountId", "sdkClientId", "sdkClientSecret", "authorize", "timeoutMs"],
  ...["attemptTimeoutMs", "retries", "tokenStore", "fetch", "transport", "clock", "random", "log"],
] as const;

/** The options of {@link createSdkTokenHandler}. */
export interface SdkTokenHandlerOptions extends Shared {
  /** The client id of the SDK credentials, which differ from the API credentials. */
  readonly sdkClientId: string;
  /** The client secret of the SDK credentials. */
  readonly sdkClientSecret: string;
  /**
   * Decides whether the sender of a request may have a token, for example by your own session.
   * Only `true` permits it. For a public route, pass `() => true`.
   */
  readonly authorize: (request: Request) => boolean | Promise<boolean>;
  /**
   * The time limit of the route, including `authorize` and all attempts (default and maximum:
   * 4,000, because the SDK waits 5 seconds, SDK-03).
   */
  readonly timeoutMs?: number;
  /** The time limit of one attempt of the exchange (default: 2,000). */
  readonly attemptTimeoutMs?: number;
  /**
   * Receives the entries of the token exchange, and a `failure` with `status` and reason for each
   * response of 500, 502 or 504 (default: no log).
   */
  readonly log?: FeedClientOptions["log"];
}

/**
 * Creates the token route of the enrollment SDK, as a handler from `Request` to `Response`. It
 * exchanges the SDK credentials and sends the browser only the token (SDK-04, AUTH-14). The token
 * is cached, and concurrent requests share one exchange (AUTH-13).
 *
 * The service may refuse a token before it expires by this server's clock. The page then sends the
 * token's `x-token-id` as `x-refused-token` (`createGetAccessToken` does), and the route renews the
 * token if it is still the cached one: at most 3 times in a burst, then once every 10 seconds.
 *
 * | status | condition |
 * |---|---|
 * | 200 | the body is the token; `x-token-expires-in` has its remaining seconds |
 * | 403 | `authorize` did not return `true` |
 * | 405 | the method is not POST |
 * | 500 | `authorize` threw |
 * | 502 | the exchange was refused, or failed |
 * | 504 | `authorize` and the exchange together took too long |
 *
 * Only 200 has a body, and responses must not be cached. The reason of a failure is only logged.
 * There are no CORS headers, so pages of other origins can't read the token.
 *
 * @param options The base address, the account, the SDK credentials (not the API's), `authorize`.
 * @returns the handler, which never rejects.
 * @throws {TxfeedError} `usage` if an option is invalid
 */
export function createSdkTokenHandler(
  options: SdkTokenHandlerOptions,
): (request: Request) => Promise<Response> {
  check(options ?? {});
  const { sdkClientId, sdkClientSecret, authorize, ...others } = options;
  const { timeoutMs = MAX_MS, attemptTimeoutMs = ATTEMPT_MS } = options;
  const context = createContext({
    ...others,
    clientId: sdkClientId,
    clientSecret: sdkClientSecret,
    timeoutMs,
    attemptTimeoutMs,
  });
  const tokens = new AccessTokens(context);
  const refusedTokens = new RefusedTokens(context, tokens);
  return async (request) => {
    if (request.method !== "POST") return respond(405, { allow: "POST" });
    const deadline = new Deadline(context.settings.clock, timeoutMs, undefined);
    try {
      const verdict = await checkAuthorization(authorize, request, deadline, context);
      if (verdict !== true) return verdict;
      const refused = request.headers.get(REFUSED_TOKEN);
      if (refused !== null) await refusedTokens.report(refused, deadline);
      return await issueToken(tokens, deadline, context);
    } finally {
      deadline.close();
    }
  };
}

/** Runs `authorize`; returns true, or the response that denies the token. */
async function checkAuthorization(
  authorize: SdkTokenHandlerOptions["authorize"],
  request: Request,
  deadline: Deadline,
  context: ClientContext,
): Promise<true | Response> {
  try {
    const isAllowed = await deadline.wait(Promise.resolve(request).then(authorize));
    return isAllowed === true || respond(403);
  } catch (error) {
    if (error instanceof Interrupted) return fail(504, "authorize took too long", context);
    return fail(500, `authorize threw: ${reasonOf(error)}`, context);
  }
}

async function issueToken(
  tokens: AccessTokens,
  deadline: Deadline,
  context: ClientContext,
): Promise<Response> {
  try {
    const token = await tokens.get(deadline);
    const headers = {
      "content-type": "text/plain; charset=utf-8",
      [EXPIRES_IN]: String(secondsLeft(token, tokens, context)),
      [TOKEN_ID]: await tokenIdOf(token),
    };
    return respond(200, headers, token);
  } catch (error) {
    if (error instanceof Interrupted) return fail(504, "no token before the deadline", context);
    return fail(error instanceof FeedTimeoutError ? 504 : 502, reasonOf(error), context);
  }
}

/** The remaining lifetime in whole seconds; 0 if the token was just replaced. */
function secondsLeft(token: string, { cached }: AccessTokens, { server }: ClientContext): number {
  if (cached?.accessToken !== token) return 0;
  return Math.max(0, Math.floor((cached.expiresAt - server.now()) / 1000));
}

/** Responds with the status, and logs the reason. */
function fail(status: 500 | 502 | 504, reason: string, { log, secrets }: ClientContext): Response {
  log?.({ level: "warn", event: "failure", status, reason: secrets.scrub(reason) });
  return respond(status);
}

function respond(status: number, headers: Record<string, string> = {}, body?: string): Response {
  return new Response(body ?? null, {
    status,
    headers: { ...headers, "cache-control": "no-store", "x-content-type-options": "nosniff" },
  });
}

function check(options: Partial<SdkTokenHandlerOptions>): void {
  // One object may contain all credentials of an account, such as those of a sandbox.
  const known = [...OPTIONS, "clientId", "clientSecret"];
  assertKnownOptions("createSdkTokenHandler", options, known);
  const { authorize, timeoutMs = MAX_MS } = options;
  for (const name of ["sdkClientId", "sdkClientSecret"] as const) {
    const value: unknown = options[name];
    if (typeof value !== "string" || value === "") {
      throw new UsageError(`${name} is missing: set it to the value from your SDK credentials`);
    }
  }
  if (typeof authorize !== "function") {
    throw new UsageError("authorize must be a function that decides who may have a token");
  }
  if (!(timeoutMs > 0 && timeoutMs <= MAX_MS)) {
    throw new UsageError(`timeoutMs must be above 0 and at most ${MAX_MS}`);
  }
}
