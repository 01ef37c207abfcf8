import type { AttemptResult } from "./attempt.ts";
import type { Delivery } from "./delivery.ts";
import { type DeliveryReport, ignoreErrors } from "./hooks.ts";
import type { InboxStatus } from "./inbox.ts";
import type { DeliveryRequest } from "./request.ts";
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

/** An observer that never fails, whose functions return the result of `work`. */
export interface SafeObserver extends Omit<Observer, "receipt" | "handle"> {
  receipt(request: DeliveryRequest): SafeReceipt;
  /** The result is a promise only if that of `work` is one, or with telemetry. */
  handle(delivery: Delivery, attempt: number, work: () => unknown): unknown;
}

/** A receipt that never fails, and whose `run` returns the result of `work`. */
export interface SafeReceipt extends Omit<Receipt, "run"> {
  run<T>(work: () => Promise<T>): Promise<T>;
}

const NO_RECEIPT: SafeReceipt = {
  run: (work) => work(),
  headers: ({ headers }) => headers,
  end() {},
};

const NO_OBSERVER: SafeObserver = {
  receipt: () => NO_RECEIPT,
  handle: (_delivery, _attempt, work) => work(),
  attempted() {},
  workerFailed() {},
  interrupted() {},
  close() {},
};

/** Starts to observe a receiver. Errors of the telemetry are ignored. */
export function observe(
  telemetry: Telemetry | undefined,
  receiver: ObservedReceiver,
): SafeObserver {
  const observer = telemetry && resultOr(undefined, () => telemetry.observe(receiver));
  if (!observer) return NO_OBSERVER;
  return {
    receipt(request) {
      const receipt = resultOr(NO_RECEIPT, () => observer.receipt(request));
      return {
        run: (work) => runWithin((once) => receipt.run(once), work),
        headers: (delivery) => resultOr(delivery.headers, () => receipt.headers(delivery)),
        end: safely((report, status) => receipt.end(report, status)),
      };
    },
    handle: (delivery, attempt, work) =>
      runWithin(
        (once) => observer.handle(delivery, attempt, once),
        async () => work(),
      ),
    attempted: safely((delivery, result) => observer.attempted(delivery, result)),
    workerFailed: safely((error) => observer.workerFailed(error)),
    interrupted: safely(() => observer.interrupted()),
    close: safely(() => observer.close()),
  };
}

/** Runs `work` once, within `around` if that calls it. */
function runWithin<T>(
  around: (once: () => Promise<T>) => unknown,
  work: () => Promise<T>,
): Promise<T> {
  let running: Promise<T> | undefined;
  const once = () => {
    running ??= work();
    return running;
  };
  safely(around)(once);
  return once();
}

function safely<Args extends unknown[]>(call: (...args: Args) => unknown): (...args: Args) => void {
  const safe = ignoreErrors(call);
  return (...args) => void safe(...args);
}

function resultOr<T>(fallback: T, get: () => T): T {
  try {
    return get();
  } catch {
    return fallback;
  }
}
