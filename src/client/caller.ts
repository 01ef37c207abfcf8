import { sendOnce } from "./attempt.ts";
import type { Call } from "./call.ts";
import { callChannel } from "./channel.ts";
import type { ClientContext } from "./context.ts";
import { type Deadline, Interrupted } from "./deadline.ts";
import { FeedNetworkError } from "./errors.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { backoffMs, isRetryable, jitterMs, retryAfterMs } from "./retry.ts";
import type { TransportResponse } from "./transport.ts";

/** The outcome of an attempt that may be retried. */
type Outcome = TransportResponse | FeedNetworkError | Interrupted;

/**
 * Sends a call, and retries it until its deadline.
 *
 * @returns Resolves to the response, with any status.
 * @throws {FeedError} if there is no valid response, or the token exchange fails
 * @throws any error that middleware throws
 */
export type MakeCall = (call: Call) => Promise<TransportResponse>;

/** The access tokens of calls. The token exchange itself needs none. */
interface TokenSource {
  /** The current token, or a promise of one. */
  get(deadline: Deadline): string | Promise<string>;
  /** Records that the API accepted a token. */
  accept(accessToken: string): void;
  /** Replaces a rejected token. Resolves to whether a different one is available. */
  replace(rejected: string, deadline: Deadline): Promise<boolean>;
}

/** The tokens and the rate limiter of API calls. The token exchange uses neither. */
interface Admission {
  readonly tokens: TokenSource;
  readonly limiter: RateLimiter;
}

/** @param admission Omitted for the token exchange. */
export function createCaller(context: ClientContext, admission?: Admission): MakeCall {
  const { base, settings } = context;
  const { tracer } = settings;
  const run = (call: Call) => runCall(context, admission, call);
  return (call) => {
    const channel = callChannel();
    if (!tracer && !channel?.hasSubscribers) return run(call);
    const watchers = { channel, tracer, origin: base.origin };
    return import("./tracing.ts").then(({ watch }) => watch(call, watchers, () => run(call)));
  };
}

async function runCall(
  context: ClientContext,
  admission: Admission | undefined,
  call: Call,
): Promise<TransportResponse> {
  const { settings } = context;
  const { deadline } = call;
  // Token exchanges, GET and HEAD are safe to repeat.
  const isRepeatable = !admission || /^(?:GET|HEAD)$/.test(call.method);
  const most = 1 + (call.options.retries ?? (isRepeatable ? settings.retries : 0));
  try {
    let isResent = false;
    for (let attempt = 1; ; ) {
      const { token, outcome } = await attemptInTurn(context, admission, call, deadline);
      if (!(outcome instanceof Error)) {
        if (token && outcome.status === 401 && !isResent) {
          isResent = true;
          if (await admission?.tokens.replace(token, deadline)) continue;
        }
        if (!isRetryable(outcome.status)) return outcome;
      }
      const delayMs = delayOf(context, outcome, attempt);
      if (attempt >= most || delayMs >= deadline.remainingMs) {
        if (outcome instanceof Error) throw outcome;
        return outcome;
      }
      context.log?.({
        level: "warn",
        event: "retry",
        operation: call.operation,
        path: call.path,
        attempt: call.attempts,
        delayMs: Math.round(delayMs),
      });
      await deadline.sleep(delayMs);
      attempt += 1;
    }
  } catch (error) {
    throw error instanceof Interrupted ? call.errorOf(error) : error;
  } finally {
    deadline.close();
  }
}

/**
 * Makes one attempt when the rate limiter permits it.
 *
 * @throws any error that a retry can't fix
 */
async function attemptInTurn(
  context: ClientContext,
  admission: Admission | undefined,
  call: Call,
  deadline: Deadline,
): Promise<{ token: string | undefined; outcome: Outcome }> {
  deadline.check();
  const turn = admission?.limiter.acquire(deadline);
  if (turn) await turn;
  try {
    const got = admission?.tokens.get(deadline);
    const token = typeof got === "object" ? await got : got;
    try {
      const outcome = await sendOnce(context, call, token, deadline);
      const { status, headers } = outcome;
      // Other statuses may come from a gateway that did not check the token.
      const isAccepted = status < 300 || status === 403 || status === 404;
      if (token && isAccepted) admission?.tokens.accept(token);
      // Pause before `release` lets the next request start.
      const askedMs = status === 429 ? retryAfterMs(headers, context.server) : undefined;
      if (askedMs !== undefined) {
        admission?.limiter.pause(Math.min(askedMs, context.settings.maxRetryAfterMs));
      }
      return { token, outcome };
    } catch (error) {
      const isLate = error instanceof Interrupted && error.ending === "attempt";
      if (isLate || error instanceof FeedNetworkError) return { token, outcome: error };
      throw error;
    }
  } finally {
    admission?.limiter.release();
  }
}

/** The delay before the next attempt; Infinity if `Retry-After` exceeds the maximum. */
function delayOf({ server, settings }: ClientContext, outcome: Outcome, attempt: number): number {
  const { random, maxRetryAfterMs } = settings;
  const retryAfter = outcome instanceof Error ? undefined : retryAfterMs(outcome.headers, server);
  if (retryAfter === undefined) return backoffMs(attempt, random);
  return retryAfter > maxRetryAfterMs ? Infinity : retryAfter + jitterMs(random);
}
