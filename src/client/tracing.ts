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

/** What a subscriber of the channel `txfeed:call` sees; it is filled in as the call goes on. */
export interface CallTrace {
  /** Method and path template, such as `GET /cards/{id}`. */
  readonly operation: string;
  readonly method: string;
  /** The path below the base address. */
  readonly path: string;
  /** How often the request was sent so far. */
  attempts: number;
  /** The status of the last answer; undefined where none came. */
  status: number | undefined;
}

/** As much of `node:diagnostics_channel` as the client uses. */
interface TracingChannel {
  readonly hasSubscribers?: boolean;
  tracePromise<T>(run: () => Promise<T>, trace: object): Promise<T>;
}

interface Builtins {
  getBuiltinModule?(name: string): { tracingChannel?(name: string): TracingChannel } | undefined;
}

/** The channel `txfeed:call`, where the platform has `node:diagnostics_channel`. */
const channel = (globalThis as { process?: Builtins }).process
  ?.getBuiltinModule?.("node:diagnostics_channel")
  ?.tracingChannel?.("txfeed:call");

// Of OpenTelemetry's SpanKind and SpanStatusCode.
const CLIENT = 2;
const ERROR = 2;

/** Shows calls to those who asked to see them; who asked for nothing pays nothing. */
export class Tracing {
  readonly #tracer: SpanTracer | undefined;
  readonly #server: { "server.address": string; "server.port": number };

  constructor(tracer: SpanTracer | undefined, origin: string) {
    this.#tracer = tracer;
    const { hostname, port, protocol } = new URL(origin);
    const usual = protocol === "https:" ? 443 : 80;
    this.#server = { "server.address": hostname, "server.port": Number(port) || usual };
  }

  /** Whether anybody looks. */
  get isOn(): boolean {
    return this.#tracer !== undefined || channel?.hasSubscribers === true;
  }

  /**
   * Runs a call in sight of the channel's subscribers and of a span.
   *
   * @param nameOf Names an error by its code.
   */
  async run<T>(trace: CallTrace, call: () => Promise<T>, nameOf: (error: unknown) => string) {
    let result: T | undefined;
    // What the call resolves to is kept from the subscribers: it has a body.
    const quiet = async () => {
      result = await call();
    };
    const traced = channel?.hasSubscribers ? () => channel.tracePromise(quiet, trace) : quiet;
    await this.#inSpan(trace, traced, nameOf);
    return result as T;
  }

  /** @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-client */
  async #inSpan(trace: CallTrace, run: () => Promise<void>, nameOf: (error: unknown) => string) {
    const { operation, method } = trace;
    const span = this.#tracer?.startSpan(operation, {
      kind: CLIENT,
      attributes: {
        "http.request.method": method,
        "url.template": operation.slice(method.length + 1),
        ...this.#server,
      },
    });
    if (!span) return run();
    let failure: string | undefined;
    try {
      await run();
      if (trace.status !== undefined && trace.status >= 400) failure = String(trace.status);
    } catch (error) {
      failure = nameOf(error);
      throw error;
    } finally {
      span.setAttributes({
        "http.request.resend_count": Math.max(0, trace.attempts - 1),
        ...(trace.status !== undefined && { "http.response.status_code": trace.status }),
        ...(failure !== undefined && { "error.type": failure }),
      });
      if (failure !== undefined) span.setStatus({ code: ERROR });
      span.end();
    }
  }
}
