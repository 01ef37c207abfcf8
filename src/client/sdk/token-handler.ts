import { reasonOf, UsageError } from "../../errors.ts";
import { assertKnownOptions } from "../../options.ts";
import { AccessTokens } from "../access-tokens.ts";
import { EXPIRES_IN, REFUSED_TOKEN, TOKEN_ID } from "../browser/token-headers.ts";
import { type ClientContext, createContext } from "../context.ts";
import { Deadline, Interrupted } from "../deadline.ts";
import { FeedTimeoutError } from "../errors.ts";
import type { FeedClientOptions } from "../options.ts";
import { RefusedTokens, tokenIdOf } from "./refused-tokens.ts";

/** SDK-03: the browser has 5 seconds, of which the way to it and back takes some. */
const MOST_MS = 4000;

/** One attempt that hangs leaves time for another. */
const ATTEMPT_MS = 2000;

/** What is the same as of a client, and means the same. */
type Shared = Pick<
  FeedClientOptions,
  "baseUrl" | "accountId" | "retries" | "tokenStore" | "fetch" | "transport" | "clock" | "random"
>;

/** The names of {@link SdkTokenHandlerOptions}. */
const OPTIONS = [
  ...["baseUrl", "accountId", "sdkClientId", "sdkClientSecret", "authorize", "timeoutMs"],
  ...["attemptTimeoutMs", "retries", "tokenStore", "fetch", "transport", "clock", "random", "log"],
] as const;

/** What the token route needs to know. */
export interface SdkTokenHandlerOptions extends Shared {
  /** Of the SDK credentials, which are not those of the API. */
  readonly sdkClientId: string;
  /** Of the SDK credentials. */
  readonly sdkClientSecret: string;
  /**
   * Tells whether whoever sends a request may have a token: your own session, say. Nothing but
   * `true` lets it in. A route that is to be open to everybody says so: `() => true`.
   */
  readonly authorize: (request: Request) => boolean | Promise<boolean>;
  /**
   * How long the route may take, `authorize` and all attempts included: 4,000 unless set, and no
   * more than that, so that the browser's 5 seconds hold (SDK-03).
   */
  readonly timeoutMs?: number;
  /** How long one attempt of the exchange may take: 2,000 unless set. */
  readonly attemptTimeoutMs?: number;
  /**
   * Gets the entries of the token exchange, and a `failure` for each request that is answered 500,
   * 502 or 504, with that `status` and the reason. Nothing is logged unless set.
   */
  readonly log?: FeedClientOptions["log"];
}

/**
 * Creates the token route of the enrollment SDK, for any server that speaks fetch: it exchanges the
 * SDK credentials and hands the browser the token alone (SDK-04, AUTH-14). The token is cached, and
 * calls at the same time share one exchange (AUTH-13).
 *
 * The service may refuse a token before it expires by this server's clock. The page then sends the
 * token's `x-token-id` as `x-refused-token` (`createGetAccessToken` does), and the route renews the
 * token if it is still the cached one: at most 3 times at once, and once more every 10 seconds.
 *
 * | answer | when |
 * |---|---|
 * | 200 | the body is the token alone; `x-token-expires-in` has its remaining seconds |
 * | 403 | `authorize` did not say `true` |
 * | 405 | the method is not POST |
 * | 500 | `authorize` threw |
 * | 502 | the exchange was refused, or failed |
 * | 504 | `authorize` and the exchange together took too long |
 *
 * None but 200 has a body, and none may be stored. Why is told to `log` alone. There are no CORS
 * headers, so pages of other origins can't read the token.
 *
 * @param options The base address, the account, the SDK credentials (not the API's), and who may.
 * @returns the handler, which never rejects. Throws a TxfeedError `usage` at an option that makes
 * no sense.
 */
export function createSdkTokenHandler(
  options: SdkTokenHandlerOptions,
): (request: Request) => Promise<Response> {
  check(options ?? {});
  const { sdkClientId, sdkClientSecret, authorize, ...others } = options;
  const { timeoutMs = MOST_MS, attemptTimeoutMs = ATTEMPT_MS } = options;
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
      const verdict = await ask(authorize, request, deadline, context);
      if (verdict !== true) return verdict;
      const refused = request.headers.get(REFUSED_TOKEN);
      if (refused !== null) await refusedTokens.report(refused, deadline);
      return await issueToken(tokens, deadline, context);
    } finally {
      deadline.close();
    }
  };
}

/** Whether a request may have a token; the answer to it where not. */
async function ask(
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
    if (error instanceof Interrupted) return fail(504, "there was no token in time", context);
    return fail(error instanceof FeedTimeoutError ? 504 : 502, reasonOf(error), context);
  }
}

/** Whole seconds that a token is good for; 0 where another has just taken its place. */
function secondsLeft(token: string, { cached }: AccessTokens, { server }: ClientContext): number {
  if (cached?.accessToken !== token) return 0;
  return Math.max(0, Math.floor((cached.expiresAt - server.now()) / 1000));
}

/** Whoever asks learns the status, and the log alone the reason. */
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
  // One object may have all credentials of an account, as those of a sandbox do.
  const known = [...OPTIONS, "clientId", "clientSecret"];
  assertKnownOptions("createSdkTokenHandler", options, known);
  const { authorize, timeoutMs = MOST_MS } = options;
  for (const name of ["sdkClientId", "sdkClientSecret"] as const) {
    const value: unknown = options[name];
    if (typeof value !== "string" || value === "") {
      throw new UsageError(`${name} is missing: give the one of your SDK credentials`);
    }
  }
  if (typeof authorize !== "function") {
    throw new UsageError("authorize is missing: give what tells who may have a token");
  }
  if (!(timeoutMs > 0 && timeoutMs <= MOST_MS)) {
    throw new UsageError(`timeoutMs takes milliseconds above 0, at most ${MOST_MS}`);
  }
}
