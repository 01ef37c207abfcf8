import { reasonOf, TxfeedError } from "../errors.ts";
import type { Call } from "./call.ts";
import type { ClientContext } from "./context.ts";
import { type Deadline, Interrupted } from "./deadline.ts";
import { FeedContractError, FeedNetworkError } from "./errors.ts";
import { withoutAuthorization } from "./headers.ts";
import type { FeedRequest, Middleware, Next } from "./middleware.ts";
import { ResponseTooLong, type TransportRequest, type TransportResponse } from "./transport.ts";

/** What one attempt of a call has under way: a step may send it more than once. */
class Flight {
  /** Whether it was broken off: nothing may be sent any more. */
  isOver = false;
  readonly #cancels: (() => void)[] = [];

  readonly onCancel = (run: () => void): void => {
    if (this.isOver) run();
    else this.#cancels.push(run);
  };

  cancel(): void {
    this.isOver = true;
    for (const cancel of this.#cancels) cancel();
  }
}

/**
 * Sends a call once: through the caller's middleware, with the token, in the time of an attempt.
 *
 * @param token Left out of the token exchange.
 * @returns Resolves to the answer. Rejects with a FeedError, with Ended where time is up, or with
 * what a step threw.
 */
export function sendOnce(
  context: ClientContext,
  call: Call,
  token: string | undefined,
  deadline: Deadline,
): Promise<TransportResponse> {
  const { middleware, attemptTimeoutMs } = context.settings;
  return deadline.run((resolve, reject) => {
    call.attempts += 1;
    const flight = new Flight();
    const send = (request: Sendable) => transmit(context, call, token, flight, request);
    // The token exchange sends the secret, and its answer is the token: no step sees them.
    const isPlain = token === undefined || middleware.length === 0;
    (isPlain ? send(call) : passThrough(middleware, call, send)).then(resolve, reject);
    return () => flight.cancel();
  }, call.options.attemptTimeoutMs ?? attemptTimeoutMs);
}

type Sendable = Pick<FeedRequest, "method" | "url" | "headers" | "body">;

/** Sends the request through the caller's middleware, the first one outermost. */
async function passThrough(
  middleware: readonly Middleware[],
  call: Call,
  last: Next,
): Promise<TransportResponse> {
  const { operation, method, url, headers, body, attempts: attempt } = call;
  const next = middleware.reduceRight<Next>(
    (inner, outer) => (request) => outer(request, inner),
    last,
  );
  const answer = await next({ operation, method, url, headers, body, attempt });
  call.status = answer.status;
  return answer;
}

async function transmit(
  context: ClientContext,
  call: Call,
  token: string | undefined,
  flight: Flight,
  request: Sendable,
): Promise<TransportResponse> {
  const { settings, base, server } = context;
  if (flight.isOver) throw new Interrupted("aborted");
  // A step may send a request elsewhere below the base address, and nowhere else.
  const url = request.url === call.url ? request.url : base.resolve(request.url, call);
  // Headers that a step changed may have an authorization of their own, in any case.
  const { headers: given } = request;
  const others = given === call.headers ? given : withoutAuthorization(given);
  const headers = token === undefined ? others : { ...others, authorization: `Bearer ${token}` };
  const { method, body } = request;
  const { onCancel } = flight;
  let controller: AbortController | undefined;
  const attempt: TransportRequest = {
    ...{ method, url, headers, body, onCancel, maxBytes: settings.maxResponseBytes },
    // An AbortController costs, so it is made when the transport asks for its signal.
    get signal() {
      if (!controller) {
        controller = new AbortController();
        onCancel(() => controller?.abort());
      }
      return controller.signal;
    },
  };
  call.sentAt = settings.clock.now();
  try {
    const answer = await settings.transport(attempt);
    call.status = answer.status;
    server.learn(answer.headers.get("date"), call.sentAt);
    if (context.log) logAttempt(context, call, attempt, answer);
    return answer;
  } catch (error) {
    const failure = flight.isOver
      ? new FeedNetworkError("broken off", { call })
      : failureOf(context, call, error);
    if (context.log) logAttempt(context, call, attempt, failure);
    throw failure;
  }
}

function failureOf({ settings, secrets }: ClientContext, call: Call, error: unknown): TxfeedError {
  if (error instanceof TxfeedError) return error;
  if (error instanceof ResponseTooLong) {
    const most = settings.maxResponseBytes;
    return new FeedContractError(`the response exceeds maxResponseBytes, ${most}`, { call });
  }
  const reason = secrets.scrub(reasonOf(error)).replace(/\s+/g, " ");
  return new FeedNetworkError(reason, { call, systemCode: systemCodeOf(error) });
}

/** What the system calls a failure; fetch hides it behind a cause. */
function systemCodeOf(error: unknown): string | undefined {
  try {
    const { code, cause } = Object(error) as { code?: unknown; cause?: { code?: unknown } };
    const name = code ?? cause?.code;
    return typeof name === "string" && /^[A-Z][A-Z\d_]{2,40}$/.test(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

function logAttempt(
  { settings, redaction, log }: ClientContext,
  { operation, path, attempts: attempt, sentAt }: Call,
  request: TransportRequest,
  outcome: TransportResponse | TxfeedError,
): void {
  const isFailure = outcome instanceof TxfeedError;
  log?.({
    level: isFailure ? "warn" : "debug",
    event: isFailure ? "failure" : "answer",
    ...{ operation, path, query: redaction.query(request.url), attempt },
    durationMs: settings.clock.now() - sentAt,
    requestHeaders: redaction.headers(request.headers),
    ...(isFailure
      ? { reason: outcome.message }
      : { status: outcome.status, answerHeaders: redaction.headers(outcome.headers) }),
  });
}
