import type { AttemptResult } from "./attempt.ts";
import type { Delivery } from "./delivery.ts";
import { type DeliveryReport, type Hooks, ignoreErrors } from "./hooks.ts";
import type { InboxStatus } from "./inbox.ts";
import type { DeliveryRequest, DeliveryResponse } from "./request.ts";
import type { Reply } from "./responses.ts";
import type { WorkerState } from "./worker.ts";

/**
 * Records metrics and spans, such as `openTelemetry()` of `txfeed/webhooks/opentelemetry`. Errors
 * of its functions are ignored: they never fail a delivery.
 */
export interface Telemetry {
  /** Called once by each receiver, when it is created. */
  readonly observe: (receiver: ObservedReceiver) => Observer;
}

/** What a receiver shows of its state. */
export interface ObservedReceiver {
  /** Whether deliveries are stored before they are handled. */
  readonly isStored: boolean;
  /** The numbers of its inbox; null without an inbox. */
  readonly status: (() => Promise<InboxStatus>) | null;
  /** The state of its worker; undefined without a worker. */
  readonly worker: () => WorkerState | undefined;
}

/** Gets the events of a receiver. Functions that get `work` must call it once, synchronously. */
export interface Observer {
  /** A request arrived. */
  receipt(request: DeliveryRequest): Receipt;
  /** The handler of a delivery is to run. `attempt` is 1 for the first one. */
  handle(delivery: Delivery, attempt: number, work: () => Promise<unknown>): void;
  /** An attempt was recorded, with or without a handler. Called with the object of `handle`. */
  attempted(delivery: Delivery, result: AttemptResult): void;
  /** A poll of the worker failed, or a transaction without a delivery. */
  workerFailed(error: unknown): void;
  /** A lane is handled whose previous lease expired: its worker stalled or ended. */
  interrupted(): void;
  /** The receiver was closed. */
  close(): void;
}

/** The receipt of a request. */
export interface Receipt {
  /** The request is to be processed. */
  run(work: () => Promise<unknown>): void;
  /** The headers to store with a delivery, instead of `delivery.headers`. */
  headers(delivery: Delivery): Readonly<Record<string, string>>;
  /** The request was processed. The status is that of the response; undefined without one. */
  end(report: DeliveryReport, status?: number): void;
}

/** Returns the headers to store with a delivery. */
export type HeadersOf = Receipt["headers"];

/**
 * Starts to observe a receiver. The functions run the steps of a delivery, and report them to the
 * telemetry and to `onDelivery`, whose errors are ignored.
 */
export function observeSteps(
  options: Pick<Hooks, "onDelivery"> & { readonly telemetry?: Telemetry },
  receiver: ObservedReceiver,
) {
  const { telemetry } = options;
  const observer = telemetry && resultOr(undefined, () => telemetry.observe(receiver));
  const onDelivery = ignoreErrors(options.onDelivery);
  const notify = (call: (observer: Observer) => unknown): void => {
    if (observer) quietly(() => call(observer));
  };
  return {
    /** Receives a request. Rejects with the error of `work`. */
    receive(
      request: DeliveryRequest,
      work: (headersOf: HeadersOf) => Promise<Reply>,
    ): Promise<DeliveryResponse> {
      const startedAt = performance.now();
      const receipt = observer && resultOr(undefined, () => observer.receipt(request));
      const headersOf: HeadersOf = (delivery) =>
        resultOr(undefined, () => receipt?.headers(delivery)) ?? delivery.headers;
      const end = (result: Omit<DeliveryReport, "durationMs">, status?: number) => {
        const report = { ...result, durationMs: performance.now() - startedAt };
        if (receipt) quietly(() => receipt.end(report, status));
        return report;
      };
      return runWithin(receipt && ((once) => receipt.run(once)), async () => {
        try {
          const { response, ...result } = await work(headersOf);
          void onDelivery(end(result, response.status));
          return response;
        } catch (error) {
          end({ event: null, outcome: "failed", error });
          throw error;
        }
      });
    },
    /** Runs a handler. The result is a promise only if that of `work` is one, or with telemetry. */
    handle(delivery: Delivery, attempt: number, work: () => unknown): unknown {
      if (!observer) return work();
      return runWithin(
        (once) => observer.handle(delivery, attempt, once),
        async () => work(),
      );
    },
    /** Reports an attempt that was made before the response. */
    attempted: (delivery: Delivery, result: AttemptResult) =>
      notify((to) => to.attempted(delivery, result)),
    /** The worker recorded an attempt; without a delivery, a poll failed. */
    report(result: AttemptResult, durationMs: number, delivery?: Delivery) {
      notify((to) => (delivery ? to.attempted(delivery, result) : to.workerFailed(result.error)));
      void onDelivery({ ...result, event: delivery?.event ?? null, durationMs });
    },
    interrupted: () => notify((to) => to.interrupted()),
    close: () => notify((to) => to.close()),
  };
}

/** Runs `work` once, within `around` if that calls it. */
function runWithin<T>(
  around: ((once: () => Promise<T>) => unknown) | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (!around) return work();
  let running: Promise<T> | undefined;
  const once = () => {
    running ??= work();
    return running;
  };
  quietly(() => around(once));
  return once();
}

function quietly(call: () => unknown): void {
  void ignoreErrors(call)();
}

function resultOr<T>(fallback: T, get: () => T): T {
  try {
    return get();
  } catch {
    return fallback;
  }
}
