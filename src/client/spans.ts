import { TxfeedError } from "../errors.ts";

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

/** As much of an OpenTelemetry span as the client uses. */
export interface Span {
  setAttributes(attributes: Record<string, string | number>): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** As much of an OpenTelemetry tracer as the client uses. */
export interface SpanTracer {
  startSpan(
    name: string,
    options: { kind: number; attributes: Record<string, string | number> },
  ): Span;
}

// Of OpenTelemetry's SpanKind and SpanStatusCode.
const CLIENT = 2;
const ERROR = 2;

/**
 * Runs a call in a span.
 *
 * @param origin Scheme, host and port of the service.
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-client
 */
export async function runInSpan(
  tracer: SpanTracer,
  origin: string,
  trace: CallTrace,
  run: () => Promise<void>,
): Promise<void> {
  const { operation, method } = trace;
  const { hostname, port, protocol } = new URL(origin);
  const span = quietly(() =>
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
    quietly(() => {
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

/** Runs what must not end a call, nor hide how it ended: a tracer that fails has nobody to tell. */
function quietly<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
