import {
  type Attributes,
  type BatchObservableResult,
  type Context,
  context,
  createTraceState,
  isSpanContextValid,
  type Meter,
  metrics,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { eventNames } from "../../generated/events.ts";
import { reasonOf } from "../errors.ts";
import { assertKnownOptions } from "../options.ts";
import { Abandoned } from "./attempt.ts";
import type { Delivery } from "./delivery.ts";
import type { Outcome } from "./hooks.ts";
import type { InboxStatus } from "./inbox.ts";
import { eventNameIn } from "./request.ts";
import type { ObservedReceiver, Observer, Telemetry } from "./telemetry.ts";
import type { WorkerState } from "./worker.ts";

/** The options of OpenTelemetry. */
export interface OpenTelemetryOptions {
  /** Default: the meter `txfeed` of the global meter provider when the receiver is created. */
  readonly meter?: Meter;
  /** Default: the tracer `txfeed` of the global tracer provider. */
  readonly tracer?: Tracer;
  /**
   * Attributes of each metric and span, such as a name for each receiver of a process that has
   * several: the gauges of receivers with equal attributes replace each other.
   */
  readonly attributes?: Attributes;
}

const OPTIONS: (keyof OpenTelemetryOptions)[] = ["meter", "tracer", "attributes"];

/**
 * Records the metrics and spans of a receiver by `@opentelemetry/api`. Start the SDK before the
 * receiver is created. The names follow the semantic conventions for messaging; an event is the
 * destination of its messages. Each metric has bounded attributes: names of events that the
 * contract does not know are `unknown`.
 *
 * Each request has a span: of kind PRODUCER if deliveries are stored, INTERNAL within the span of
 * an HTTP server, SERVER otherwise. Its parent is that span, or else the sender's `traceparent`.
 * Each attempt to handle a delivery has a span of kind CONSUMER, which is active in the handler.
 * That of a stored delivery starts a trace and links to the span of its request, whose
 * `traceparent` and `tracestate` are stored with the delivery in place of the sender's.
 *
 * @throws {TxfeedError} `usage` if an option is unknown.
 * @example createReceiver({ on, inbox, telemetry: openTelemetry() });
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Telemetry {
  assertKnownOptions("openTelemetry", options, OPTIONS);
  return { observe: (receiver) => createObserver(receiver, options) };
}

/** An attempt whose handler was started. Times are those of `performance.now()`. */
interface Started {
  readonly span: Span;
  readonly startedAt: number;
  endedAt?: number;
}

function createObserver(receiver: ObservedReceiver, options: OpenTelemetryOptions): Observer {
  const { meter = metrics.getMeter("txfeed"), tracer = trace.getTracer("txfeed") } = options;
  const { attributes: common = {} } = options;
  const { isStored } = receiver;
  const counters = createCounters(meter);
  const gauges = { meter, attributes: common };
  // Apart, so that an inbox that does not respond does not hide the worker.
  const stops = [
    observeState({ ...gauges, part: "inbox" }, INBOX_GAUGES, () => receiver.status?.()),
    observeState({ ...gauges, part: "worker" }, WORKER_GAUGES, receiver.worker),
  ];
  const errorType = createErrorTypes();
  const attempts = new WeakMap<Delivery, Started>();

  const about = (event: string | null): Attributes => ({
    ...common,
    [DESTINATION]: isEventName(event) ? event : "unknown",
  });

  function end(span: Span, { outcome, error }: Ended, at?: number): void {
    span.setAttribute(OUTCOME, outcome);
    if (isFailure(outcome)) {
      const message = reasonOf(error);
      const type = errorType(error);
      span.setAttribute("error.type", type);
      span.recordException({ name: type, message, ...stackOf(error) });
      span.setStatus({ code: SpanStatusCode.ERROR, message });
    }
    span.end(at);
  }

  return {
    receipt(request) {
      const active = context.active();
      const isNested = trace.getSpanContext(active) !== undefined;
      const sender = isNested ? undefined : remoteContext((name) => request.headers.get(name));
      const parent = sender ? trace.setSpanContext(active, sender) : active;
      const attributes = about(eventNameIn(request));
      const operation = isStored ? "store" : "receive";
      const span = tracer.startSpan(
        `${operation} ${attributes[DESTINATION]}`,
        {
          kind: isStored ? SpanKind.PRODUCER : isNested ? SpanKind.INTERNAL : SpanKind.SERVER,
          attributes: {
            ...attributes,
            "messaging.system": "txfeed",
            "messaging.operation.name": operation,
            ...(isStored && { "messaging.operation.type": "send" }),
          },
        },
        parent,
      );
      return {
        run: (work) => void context.with(trace.setSpan(parent, span), work),
        headers({ headers, deliveryId }) {
          if (deliveryId !== null) span.setAttribute(MESSAGE_ID, deliveryId);
          const own = span.spanContext();
          return isSpanContextValid(own) ? withTraceContext(headers, own) : headers;
        },
        end(report, status) {
          counters.deliveries.add(1, { ...about(report.event), [OUTCOME]: report.outcome });
          if (status !== undefined) span.setAttribute("http.response.status_code", status);
          end(span, report);
        },
      };
    },

    handle(delivery, attempt, work) {
      const { event, headers, deliveryId } = delivery;
      const stored = isStored ? remoteContext((name) => headers[name]) : undefined;
      const parent: Context = isStored ? ROOT_CONTEXT : context.active();
      const attributes = about(event);
      const span = tracer.startSpan(
        `process ${attributes[DESTINATION]}`,
        {
          kind: SpanKind.CONSUMER,
          links: stored ? [{ context: stored }] : [],
          attributes: {
            ...attributes,
            ...PROCESS,
            "messaging.operation.type": "process",
            "txfeed.attempt": attempt,
            ...(deliveryId !== null && { [MESSAGE_ID]: deliveryId }),
            ...(delivery.lane !== null && { "txfeed.lane": delivery.lane }),
            ...("id" in delivery && { "txfeed.delivery.id": Number(delivery.id) }),
          },
        },
        parent,
      );
      const started: Started = { span, startedAt: performance.now() };
      attempts.set(delivery, started);
      const ended = () => {
        started.endedAt = performance.now();
      };
      context.with(trace.setSpan(parent, span), work).then(ended, ended);
    },

    attempted(delivery, result) {
      const attributes = about(delivery.event);
      counters.attempts.add(1, { ...attributes, [OUTCOME]: result.outcome });
      const started = attempts.get(delivery);
      if (!started) return;
      attempts.delete(delivery);
      // Without an end, the handler was given up and still runs.
      const { span, startedAt, endedAt = performance.now() } = started;
      counters.duration.record((endedAt - startedAt) / 1000, {
        ...attributes,
        ...PROCESS,
        ...(isFailure(result.outcome) && { "error.type": errorType(result.error) }),
      });
      end(span, result, endedAt);
    },

    workerFailed: (error) => counters.errors.add(1, { ...common, "error.type": errorType(error) }),
    interrupted: () => counters.interruptions.add(1, common),
    close() {
      for (const stop of stops) stop();
    },
  };
}

interface Ended {
  readonly outcome: Outcome;
  readonly error?: unknown;
}

const DESTINATION = "messaging.destination.name";
const MESSAGE_ID = "messaging.message.id";
const OUTCOME = "txfeed.outcome";
const PROCESS = { "messaging.system": "txfeed", "messaging.operation.name": "process" };

const isFailure = (outcome: Outcome) => outcome === "failed" || outcome === "quarantined";

const isEventName = (name: string | null): name is string =>
  (eventNames as readonly (string | null)[]).includes(name);

function createCounters(meter: Meter) {
  const counter = (name: string, unit: string, description: string) =>
    meter.createCounter(`txfeed.${name}`, { unit, description });
  const seconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
  return {
    deliveries: counter("receiver.deliveries", "{delivery}", "Requests received, by outcome"),
    attempts: counter(
      "receiver.attempts",
      "{attempt}",
      "Attempts to handle a delivery, by outcome",
    ),
    interruptions: counter(
      "worker.interruptions",
      "{lane}",
      "Lanes taken over from a worker that stalled or ended",
    ),
    errors: counter(
      "worker.errors",
      "{error}",
      "Failed polls, and transactions without a delivery",
    ),
    duration: meter.createHistogram("messaging.process.duration", {
      unit: "s",
      description: "Duration of the handler of a delivery",
      advice: { explicitBucketBoundaries: seconds },
    }),
  };
}

/** A gauge: its name, unit and description, and its value. */
type Gauge<State> = readonly [string, string, string, (state: State) => number];

const INBOX_GAUGES: readonly Gauge<InboxStatus>[] = [
  ["waiting", "{delivery}", "Deliveries that are not handled yet", ({ waiting }) => waiting],
  ["quarantined", "{delivery}", "Deliveries in quarantine", ({ quarantined }) => quarantined],
  ["running", "{lane}", "Lanes that a worker handles", ({ running }) => running],
  ["delayed", "{lane}", "Lanes that wait for a retry", ({ delayed }) => delayed],
  ["stalled", "{lane}", "Lanes whose worker stalled or ended", ({ stalled }) => stalled],
  ["oldest_age", "s", "Age of the first waiting delivery", (now) => (now.oldestAgeMs ?? 0) / 1000],
  ["lag", "s", "How long a due lane has waited for a worker", (now) => (now.lagMs ?? 0) / 1000],
];

const WORKER_GAUGES: readonly Gauge<WorkerState>[] = [
  [
    "longest_run",
    "s",
    "Duration of the longest running transaction",
    ({ longestRunMs }) => longestRunMs / 1000,
  ],
  ["poll_age", "s", "Time since the last successful poll", ({ sincePollMs }) => sincePollMs / 1000],
];

/**
 * Creates the gauges of a state, which `read` returns; none are observed while it is undefined.
 *
 * They are gauges, not sums: each process that shares an inbox reports the same numbers.
 *
 * @returns a function that removes them.
 */
function observeState<State>(
  { meter, attributes, part }: { meter: Meter; attributes: Attributes; part: string },
  rows: readonly Gauge<State>[],
  read: () => Promise<State> | State | undefined,
): () => void {
  const values = new Map(
    rows.map(([name, unit, description, value]) => [
      meter.createObservableGauge(`txfeed.${part}.${name}`, { unit, description }),
      value,
    ]),
  );
  const gauges = [...values.keys()];
  const observe = async (result: BatchObservableResult) => {
    const state = await read();
    if (!state) return;
    for (const [gauge, value] of values) result.observe(gauge, value(state), attributes);
  };
  meter.addBatchObservableCallback(observe, gauges);
  return () => meter.removeBatchObservableCallback(observe, gauges);
}

type Headers = Readonly<Record<string, string>>;

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/**
 * Reads the context of a span from headers; undefined if there is none or it is invalid.
 *
 * @see W3C Trace Context, 3
 */
function remoteContext(
  header: (name: string) => string | null | undefined,
): SpanContext | undefined {
  const [, version, traceId = "", spanId = "", flags = "", more] =
    TRACEPARENT.exec(header("traceparent")?.trim() ?? "") ?? [];
  if (version === "ff" || (version === "00" && more)) return undefined;
  const state = header("tracestate");
  const traceState = state ? { traceState: createTraceState(state) } : {};
  const traceFlags = Number.parseInt(flags, 16);
  const remote = { traceId, spanId, traceFlags, isRemote: true, ...traceState };
  return isSpanContextValid(remote) ? remote : undefined;
}

/** Replaces the context of a span in headers. */
function withTraceContext(
  { traceparent: _parent, tracestate: _state, ...headers }: Headers,
  { traceId, spanId, traceFlags, traceState }: SpanContext,
): Headers {
  const flags = traceFlags.toString(16).padStart(2, "0");
  const tracestate = traceState?.serialize();
  const traceparent = `00-${traceId}-${spanId}-${flags}`;
  return { ...headers, traceparent, ...(tracestate && { tracestate }) };
}

/** The most types of errors, because each makes metrics of its own. */
const MAX_TYPES = 50;
const OTHER_TYPE = "_OTHER";

/**
 * Creates the function that names the type of an error: its code, or else its class. After 50
 * types, new ones are `_OTHER`. The function never throws.
 */
function createErrorTypes(): (error: unknown) => string {
  const types = new Set<string>();
  return (error) => {
    const type = errorType(error);
    if (types.size < MAX_TYPES) types.add(type);
    return types.has(type) ? type : OTHER_TYPE;
  };
}

function errorType(error: unknown): string {
  try {
    if (error instanceof Abandoned) return error.because;
    if (!(error instanceof Error)) return OTHER_TYPE;
    const { code } = error as { readonly code?: unknown };
    return String(typeof code === "string" ? code : error.constructor.name).slice(0, 100);
  } catch {
    return OTHER_TYPE;
  }
}

/** The stack of an error, if it has one. Accepts any thrown value and never throws. */
function stackOf(error: unknown): { stack?: string } {
  try {
    return error instanceof Error && error.stack ? { stack: String(error.stack) } : {};
  } catch {
    return {};
  }
}
