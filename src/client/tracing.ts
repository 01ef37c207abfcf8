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

/** What a subscriber of the channel `txfeed:call` sees; the last two are there at the call's end. */
export interface CallTrace {
  /** Method and path template, such as `GET /cards/{id}`. */
  readonly operation: string;
  readonly method: string;
  /** The path below the base address. */
  readonly path: string;
  /** How often the request was sent. */
  readonly attempts: number;
  /** The status of the last answer; undefined where none came. */
  readonly status: number | undefined;
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
   * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-client
   */
  async run<T>(call: CallTrace, run: () => Promise<T>, nameOf: (error: unknown) => string) {
    const { operation, method, path } = call;
    const span = this.#tracer?.startSpan(operation, {
      kind: CLIENT,
      attributes: {
        "http.request.method": method,
        "url.template": operation.slice(method.length + 1),
        ...this.#server,
      },
    });
    const trace = { operation, method, path, attempts: 0, status: call.status };
    let result: T | undefined;
    let failure: string | undefined;
    // What the call resolves to is kept from the subscribers: it has a body.
    const quiet = async () => {
      try {
        result = await run();
        if (call.status !== undefined && call.status >= 400) failure = String(call.status);
      } catch (error) {
        failure = nameOf(error);
        throw error;
      } finally {
        trace.attempts = call.attempts;
        trace.status = call.status;
      }
    };
    try {
      await (channel?.hasSubscribers ? channel.tracePromise(quiet, trace) : quiet());
      return result as T;
    } finally {
      span?.setAttributes({
        "http.request.resend_count": Math.max(0, call.attempts - 1),
        ...(call.status !== undefined && { "http.response.status_code": call.status }),
        ...(failure !== undefined && { "error.type": failure }),
      });
      if (failure !== undefined) span?.setStatus({ code: ERROR });
      span?.end();
    }
  }
}
