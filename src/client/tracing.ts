import { TxfeedError } from "../errors.ts";
import type { TracingChannel } from "./channel.ts";

/** The subset of an OpenTelemetry span that the client uses. */
export interface Span {
  setAttributes(attributes: Record<string, string | number>): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** The subset of an OpenTelemetry tracer that the client uses. */
export interface SpanTracer {
  startSpan(
    name: string,
    options: { kind: number; attributes: Record<string, string | number> },
  ): Span;
}

/**
 * The message that the channel `txfeed:call` publishes. `attempts` and `status` are final when the
 * call ends.
 */
export interface CallTrace {
  /** Method and path template, such as `GET /cards/{id}`. */
  readonly operation: string;
  readonly method: string;
  /** The path below the base address. */
  readonly path: string;
  /** The number of times that the request was sent. */
  readonly attempts: number;
  /** The status of the last response; undefined if none came. */
  readonly status: number | undefined;
}

/** The channel and the tracer that observe the calls of a client. */
export interface Watchers {
  readonly channel: TracingChannel | null;
  readonly tracer: SpanTracer | undefined;
  /** Scheme, host and port of the service. */
  readonly origin: string;
}

/** Runs a call, publishes it on the channel, and records it as a span. */
export async function watch<T>(
  call: CallTrace,
  { channel, tracer, origin }: Watchers,
  run: () => Promise<T>,
): Promise<T> {
  const { operation, method, path } = call;
  const trace = { operation, method, path, attempts: 0, status: call.status };
  let result: T | undefined;
  // Does not return the result: subscribers must not see the body.
  const runWithoutResult = async () => {
    try {
      result = await run();
    } finally {
      trace.attempts = call.attempts;
      trace.status = call.status;
    }
  };
  const published = () =>
    channel?.hasSubscribers ? channel.tracePromise(runWithoutResult, trace) : runWithoutResult();
  if (tracer) await runInSpan(tracer, origin, trace, published);
  else await published();
  return result as T;
}

// Values of OpenTelemetry's SpanKind and SpanStatusCode.
const CLIENT = 2;
const ERROR = 2;

/**
 * Records a call as a span.
 *
 * @param origin Scheme, host and port of the service.
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-client
 */
async function runInSpan(
  tracer: SpanTracer,
  origin: string,
  trace: CallTrace,
  run: () => Promise<void>,
): Promise<void> {
  const { operation, method } = trace;
  const { hostname, port, protocol } = new URL(origin);
  const span = ignoreErrors(() =>
    tracer.startSpan(operation, {
      kind: CLIENT,
      attributes: {
        "http.request.method": method,
        "url.template": operation.slice(method.length + 1),
        "server.address": hostname,
        "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
      },
    }),
  );
  let failure: string | undefined;
  try {
    await run();
    if (trace.status !== undefined && trace.status >= 400) failure = String(trace.status);
  } catch (error) {
    failure = error instanceof TxfeedError ? error.code : "error";
    throw error;
  } finally {
    ignoreErrors(() => {
      span?.setAttributes({
        ...(trace.attempts > 1 && { "http.request.resend_count": trace.attempts - 1 }),
        ...(trace.status !== undefined && { "http.response.status_code": trace.status }),
        ...(failure !== undefined && { "error.type": failure }),
      });
      if (failure !== undefined) span?.setStatus({ code: ERROR });
      span?.end();
    });
  }
}

/** Ignores errors of the tracer, which must not change the outcome of a call. */
function ignoreErrors<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
