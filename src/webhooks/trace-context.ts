/** The context of a span, as headers transport it. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** A byte. */
  readonly traceFlags: number;
  /** Vendors' data; undefined if there is none. */
  readonly state: string | undefined;
}

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/**
 * Reads the context of a span from headers; undefined if there is none or it is malformed.
 *
 * @see W3C Trace Context, 3
 */
export function readTraceContext(
  header: (name: string) => string | null | undefined,
): TraceContext | undefined {
  const [, version, traceId, spanId, flags, more] =
    TRACEPARENT.exec(header("traceparent")?.trim() ?? "") ?? [];
  if (!traceId || !spanId || !flags) return undefined;
  if (version === "ff" || (version === "00" && more)) return undefined;
  const state = header("tracestate") || undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), state };
}

/** Replaces the context of a span in headers. */
export function withTraceContext(
  { traceparent: _parent, tracestate: _state, ...headers }: Readonly<Record<string, string>>,
  { traceId, spanId, traceFlags, state }: TraceContext,
): Record<string, string> {
  const flags = traceFlags.toString(16).padStart(2, "0");
  const traceparent = `00-${traceId}-${spanId}-${flags}`;
  return { ...headers, traceparent, ...(state && { tracestate: state }) };
}
