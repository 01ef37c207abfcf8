import type { TracingChannel } from "./channel.ts";
import { type CallTrace, runInSpan, type SpanTracer } from "./spans.ts";

/** What watches the calls of a client. */
export interface Watchers {
  readonly channel: TracingChannel | null;
  readonly tracer: SpanTracer | undefined;
  /** Scheme, host and port of the service. */
  readonly origin: string;
}

/** Runs a call in sight of the channel's subscribers, and in a span. */
export async function watch<T>(
  call: CallTrace,
  { channel, tracer, origin }: Watchers,
  run: () => Promise<T>,
): Promise<T> {
  const { operation, method, path } = call;
  const trace = { operation, method, path, attempts: 0, status: call.status };
  let result: T | undefined;
  // What the call resolves to is kept from those who look: it has a body.
  const quiet = async () => {
    try {
      result = await run();
    } finally {
      trace.attempts = call.attempts;
      trace.status = call.status;
    }
  };
  const seen = () => (channel?.hasSubscribers ? channel.tracePromise(quiet, trace) : quiet());
  if (tracer) await runInSpan(tracer, origin, trace, seen);
  else await seen();
  return result as T;
}
