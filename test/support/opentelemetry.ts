import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Context,
  type ContextManager,
  context,
  type Meter,
  ROOT_CONTEXT,
  type Tracer,
} from "@opentelemetry/api";
import {
  type DataPoint,
  MeterProvider,
  type MetricCollectOptions,
  MetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";

/** Records metrics and spans in memory. */
export interface Recorder {
  readonly meter: Meter;
  readonly tracer: Tracer;
  /** The ended spans. */
  spans(): readonly ReadableSpan[];
  /** Forgets the ended spans. */
  reset(): void;
  /** Collects the numbers, by names such as `name` or `name{event,outcome}`. */
  values(options?: MetricCollectOptions): Promise<Record<string, number>>;
  /** Collects the points of a metric. */
  points(name: string): Promise<readonly DataPoint<unknown>[]>;
  close(): Promise<void>;
}

/** Records metrics and spans until it is closed; spans of the current async context are active. */
export function recordTelemetry(): Recorder {
  context.setGlobalContextManager(new AsyncContextManager());
  const exporter = new InMemorySpanExporter();
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const reader = new Reader();
  const meters = new MeterProvider({ readers: [reader] });
  const collect = async (options?: MetricCollectOptions) => {
    const { resourceMetrics } = await reader.collect(options);
    return resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
  };
  return {
    meter: meters.getMeter("test"),
    tracer: tracers.getTracer("test"),
    spans: () => exporter.getFinishedSpans(),
    reset: () => exporter.reset(),
    async values(options) {
      const all = (await collect(options)).flatMap(({ descriptor, dataPoints }) =>
        dataPoints.flatMap(({ attributes, value }) => {
          if (typeof value !== "number") return [];
          const labels = LABELS.map((name) => attributes[name]).filter((label) => label);
          const suffix = labels.length > 0 ? `{${labels.join(",")}}` : "";
          return [[`${descriptor.name}${suffix}`, value] as const];
        }),
      );
      return Object.fromEntries(all);
    },
    async points(name) {
      const found = (await collect()).filter(({ descriptor }) => descriptor.name === name);
      return found.flatMap(({ dataPoints }): DataPoint<unknown>[] => [...dataPoints]);
    },
    async close() {
      context.disable();
      await tracers.shutdown();
      await meters.shutdown();
    },
  };
}

const LABELS = ["messaging.destination.name", "txfeed.outcome", "error.type"];

class Reader extends MetricReader {
  protected override async onShutdown(): Promise<void> {}
  protected override async onForceFlush(): Promise<void> {}
}

/** As the one of `@opentelemetry/context-async-hooks`. */
class AsyncContextManager implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT;
  }

  with<Args extends unknown[], Run extends (...args: Args) => ReturnType<Run>>(
    active: Context,
    run: Run,
    self?: ThisParameterType<Run>,
    ...args: Args
  ): ReturnType<Run> {
    return this.#storage.run(active, () => run.call(self as never, ...args));
  }

  bind<T>(active: Context, target: T): T {
    if (typeof target !== "function") return target;
    return ((...args: unknown[]) => this.#storage.run(active, () => target(...args))) as T;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    this.#storage.disable();
    return this;
  }
}
