import { reasonOf, TxfeedError } from "../errors.ts";
import type { Call } from "./call.ts";
import type { ClientContext } from "./context.ts";
import { type Deadline, Interrupted } from "./deadline.ts";
import { FeedContractError, FeedNetworkError } from "./errors.ts";
import { withoutAuthorization } from "./headers.ts";
import type { FeedRequest, Middleware, Next } from "./middleware.ts";
import { ResponseTooLong, type TransportRequest, type TransportResponse } from "./transport.ts";

/** The requests in state of one attempt: middleware may send more than one. */
class AttemptState {
  /** Whether the attempt was cancelled: nothing more may be sent. */
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
 * Makes one attempt of a call: runs the middleware, adds the token, applies the attempt's timeout.
 *
 * @param token The access token; undefined for the token exchange.
 * @returns Resolves to the response, with any status.
 * @throws {FeedError} `network`, `contract` or `refused-link`
 * @throws {Interrupted} if the attempt takes too long, or the call ends
 * @throws any error that middleware throws
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
    const state = new AttemptState();
    const send = (request: Sendable) => transmit(context, call, token, state, request);
    // The token exchange bypasses middleware: it sends the secret and receives the token.
    const isPlain = !token || middleware.length === 0;
    (isPlain ? send(call) : passThrough(middleware, call, send)).then(resolve, reject);
    return () => state.cancel();
  }, call.options.attemptTimeoutMs ?? attemptTimeoutMs);
}

type Sendable = Pick<FeedRequest, "method" | "url" | "headers" | "body">;

/** Sends the request through the middleware, the first one outermost. */
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
  const response = await next({ operation, method, url, headers, body, attempt });
  call.status = response.status;
  return response;
}

async function transmit(
  context: ClientContext,
  call: Call,
  token: string | undefined,
  state: AttemptState,
  request: Sendable,
): Promise<TransportResponse> {
  const { settings, base, server } = context;
  if (state.isOver) throw new Interrupted("aborted");
  // Middleware may change the address, but only to one below the base address.
  const url = request.url === call.url ? request.url : base.resolve(request.url, call);
  // Middleware may have added an `authorization` header, in upper or lower case.
  const { headers: given } = request;
  const others = given === call.headers ? given : withoutAuthorization(given);
  const headers = token ? { ...others, authorization: `Bearer ${token}` } : others;
  const { method, body } = request;
  const { onCancel } = state;
  let controller: AbortController | undefined;
  const attempt: TransportRequest = {
    method,
    url,
    headers,
    body,
    onCancel,
    maxBytes: settings.maxResponseBytes,
    // Created on first use, because an AbortController is expensive.
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
    const response = await settings.transport(attempt);
    call.status = response.status;
    server.learn(response.headers.get("date"), call.sentAt);
    logAttempt(context, call, attempt, response);
    return response;
  } catch (error) {
    const failure = state.isOver
      ? new FeedNetworkError("cancelled", { call })
      : failureOf(context, call, error);
    logAttempt(context, call, attempt, failure);
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

/** The system's error code, such as `ECONNREFUSED`; fetch puts it into `cause`. */
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
  { settings, secrets, redaction, log }: ClientContext,
  call: Call,
  request: TransportRequest,
  outcome: TransportResponse | TxfeedError,
): void {
  log?.({
    ...(outcome instanceof TxfeedError
      ? { level: "warn", event: "failure", reason: outcome.message }
      : {
          level: "debug",
          event: "answer",
          status: outcome.status,
          // Those of the token exchange may repeat the token, which is not known yet.
          answerHeaders: redaction.headers(request.headers.authorization ? outcome.headers : {}),
        }),
    operation: call.operation,
    path: call.path,
    attempt: call.attempts,
    query: redaction.query(request.url, secrets),
    durationMs: settings.clock.now() - call.sentAt,
    requestHeaders: redaction.headers(request.headers),
  });
}
