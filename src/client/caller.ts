import { sendOnce } from "./attempt.ts";
import type { Call } from "./call.ts";
import { callChannel } from "./channel.ts";
import { FeedNetworkError } from "./errors.ts";
import type { Gate } from "./gate.ts";
import { backoffMs, isPassing, retryAfterMs, spreadMs } from "./retry.ts";
import { Ended, type Scope } from "./scope.ts";
import type { TransportAnswer } from "./transport.ts";
import type { Wiring } from "./wiring.ts";

/** What an attempt came to that may be followed by another. */
type Outcome = TransportAnswer | FeedNetworkError | Ended;

/**
 * Makes a call: as many attempts as it takes, in as much time as there is.
 *
 * @returns Resolves to its answer, whatever the status. Rejects with a FeedError where no answer
 * comes that counts, as the token exchange does, or with what a step of the caller's threw.
 */
export type MakeCall = (call: Call) => Promise<TransportAnswer>;

/** The access tokens of a client, as a call uses them. */
interface TokenSource {
  get(scope: Scope): string | Promise<string>;
  accept(accessToken: string): void;
  replace(rejected: string, scope: Scope): Promise<boolean>;
}

/** What a call with an access token needs besides. */
interface Admission {
  readonly tokens: TokenSource;
  readonly gate: Gate;
}

/** @param admission Left out of the caller that gets the tokens themselves. */
export function callerOf(wiring: Wiring, admission?: Admission): MakeCall {
  const { base, settings } = wiring;
  const { tracer } = settings;
  const run = (call: Call) => runCall(wiring, admission, call);
  return (call) => {
    const channel = callChannel();
    if (!tracer && !channel?.hasSubscribers) return run(call);
    const watchers = { channel, tracer, origin: base.origin };
    return import("./tracing.ts").then(({ watch }) => watch(call, watchers, () => run(call)));
  };
}

async function runCall(
  wiring: Wiring,
  admission: Admission | undefined,
  call: Call,
): Promise<TransportAnswer> {
  const { settings } = wiring;
  const { scope } = call;
  // A token exchange can be repeated; of the service's requests only those that read.
  const isRepeatable = !admission || /^(?:GET|HEAD)$/.test(call.method);
  const most = 1 + (call.options.retries ?? (isRepeatable ? settings.retries : 0));
  try {
    let isResent = false;
    for (let attempt = 1; ; ) {
      const { token, outcome } = await attemptInTurn(wiring, admission, call, scope);
      if (!(outcome instanceof Error)) {
        if (token !== undefined && outcome.status === 401 && !isResent) {
          isResent = true;
          if (await admission?.tokens.replace(token, scope)) continue;
        }
        if (!isPassing(outcome.status)) return outcome;
      }
      const delayMs = delayOf(wiring, outcome, attempt);
      if (attempt >= most || delayMs >= scope.remainingMs) {
        if (outcome instanceof Error) throw outcome;
        return outcome;
      }
      const { operation, path, attempts } = call;
      const told = { operation, path, attempt: attempts, delayMs: Math.round(delayMs) };
      wiring.log?.({ level: "warn", event: "retry", ...told });
      await scope.sleep(delayMs);
      attempt += 1;
    }
  } catch (error) {
    throw error instanceof Ended ? call.errorOf(error) : error;
  } finally {
    scope.close();
  }
}

/** Sends the request once, in its turn. Rejects with what no further attempt can mend. */
async function attemptInTurn(
  wiring: Wiring,
  admission: Admission | undefined,
  call: Call,
  scope: Scope,
): Promise<{ token: string | undefined; outcome: Outcome }> {
  scope.check();
  const turn = admission?.gate.enter(scope);
  if (turn) await turn;
  try {
    const got = admission?.tokens.get(scope);
    const token = typeof got === "object" ? await got : got;
    try {
      const outcome = await sendOnce(wiring, call, token, scope);
      const { status, headers } = outcome;
      // A gateway may answer anything else without a look at the token.
      const isTaken = status < 300 || status === 403 || status === 404;
      if (token !== undefined && isTaken) admission?.tokens.accept(token);
      // Before the next in the queue gets the place.
      const askedMs = status === 429 ? retryAfterMs(headers, wiring.server) : undefined;
      if (askedMs !== undefined) {
        admission?.gate.hold(Math.min(askedMs, wiring.settings.maxRetryAfterMs));
      }
      return { token, outcome };
    } catch (error) {
      if (error instanceof FeedNetworkError) return { token, outcome: error };
      if (error instanceof Ended && error.ending === "attempt") return { token, outcome: error };
      throw error;
    }
  } finally {
    admission?.gate.leave();
  }
}

/** How long to wait before the next attempt; Infinity where the answer asks for too much. */
function delayOf({ server, settings }: Wiring, outcome: Outcome, attempt: number): number {
  const { random, maxRetryAfterMs } = settings;
  if (outcome instanceof Error) return backoffMs(attempt, random);
  const asked = retryAfterMs(outcome.headers, server);
  if (asked === undefined) return backoffMs(attempt, random);
  return asked > maxRetryAfterMs ? Infinity : asked + spreadMs(random);
}
