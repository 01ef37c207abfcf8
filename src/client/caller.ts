import { sendOnce } from "./attempt.ts";
import type { Call } from "./call.ts";
import { callChannel } from "./channel.ts";
import type { ClientContext } from "./context.ts";
import { type Deadline, Interrupted } from "./deadline.ts";
import { FeedNetworkError } from "./errors.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { backoffMs, isRetryable, jitterMs, retryAfterMs } from "./retry.ts";
import type { TransportResponse } from "./transport.ts";

/** What an attempt came to that may be followed by another. */
type Outcome = TransportResponse | FeedNetworkError | Interrupted;

/**
 * Makes a call: as many attempts as it takes, in as much time as there is.
 *
 * @returns Resolves to its answer, whatever the status. Rejects with a FeedError where no answer
 * comes that counts, as the token exchange does, or with what a step of the caller's threw.
 */
export type MakeCall = (call: Call) => Promise<TransportResponse>;

/** The access tokens of calls; {@link createCaller} needs none for the token exchange itself. */
interface TokenSource {
  /** The current token, or a promise of one. */
  get(deadline: Deadline): string | Promise<string>;
  /** Records that the API accepted a token. */
  accept(accessToken: string): void;
  /** Resolves to whether the call may be sent again, with a token other than the rejected one. */
  replace(rejected: string, deadline: Deadline): Promise<boolean>;
}

/** What a call with an access token also needs. */
interface Admission {
  readonly tokens: TokenSource;
  readonly limiter: RateLimiter;
}

/** @param admission Left out of the caller that gets the tokens themselves. */
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
  // A token exchange can be repeated; of the service's requests only those that read.
  const isRepeatable = !admission || /^(?:GET|HEAD)$/.test(call.method);
  const most = 1 + (call.options.retries ?? (isRepeatable ? settings.retries : 0));
  try {
    let isResent = false;
    for (let attempt = 1; ; ) {
      const { token, outcome } = await attemptInTurn(context, admission, call, deadline);
      if (!(outcome instanceof Error)) {
        if (token !== undefined && outcome.status === 401 && !isResent) {
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
      const { operation, path, attempts } = call;
      const retry = { operation, path, attempt: attempts, delayMs: Math.round(delayMs) };
      context.log?.({ level: "warn", event: "retry", ...retry });
      await deadline.sleep(delayMs);
      attempt += 1;
    }
  } catch (error) {
    throw error instanceof Interrupted ? call.errorOf(error) : error;
  } finally {
    deadline.close();
  }
}

/** Sends the request once, in its turn. Rejects with what no further attempt can mend. */
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
      // A gateway may answer anything else without a look at the token.
      const isTaken = status < 300 || status === 403 || status === 404;
      if (token !== undefined && isTaken) admission?.tokens.accept(token);
      // Before the next in the queue gets the place.
      const askedMs = status === 429 ? retryAfterMs(headers, context.server) : undefined;
      if (askedMs !== undefined) {
        admission?.limiter.hold(Math.min(askedMs, context.settings.maxRetryAfterMs));
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

/** How long to wait before the next attempt; Infinity where the answer asks for too much. */
function delayOf({ server, settings }: ClientContext, outcome: Outcome, attempt: number): number {
  const { random, maxRetryAfterMs } = settings;
  if (outcome instanceof Error) return backoffMs(attempt, random);
  const asked = retryAfterMs(outcome.headers, server);
  if (asked === undefined) return backoffMs(attempt, random);
  return asked > maxRetryAfterMs ? Infinity : asked + jitterMs(random);
}
