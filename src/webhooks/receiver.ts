import type { RecordedDelivery } from "../contract/history/delivery.ts";
import { readEvent } from "../contract/validate.ts";
import { assertKnownOptions } from "../options.ts";
import { assertInteger } from "./assert-integer.ts";
import { deliveryKey } from "./delivery-key.ts";
import { createHandle, type HandlingResult, handlerLookup } from "./handlers.ts";
import { ignoreErrors } from "./hooks.ts";
import { type ParsedDelivery, parseDelivery, type Reply } from "./parse-delivery.ts";
import type { Lease } from "./queue.ts";
import { receiveRequest } from "./receive-request.ts";
import { checkReceiverOptions, type ReceiverOptions } from "./receiver-options.ts";
import type { DeliveryResponse, Receive, Receiver } from "./request.ts";
import { contractViolation, responses } from "./responses.ts";
import type { AttemptResult } from "./retries.ts";
import { startWorker } from "./worker.ts";

/** A receiver that may have work in progress. */
export interface FeedReceiver extends Receiver {
  /**
   * Stops handling queued deliveries and waits for the running handlers. Deliveries whose handler
   * still runs after `graceMs` are released, due at once; because a handler can't be stopped, they
   * may be handled twice. Close the server before and the queue afterwards. Without a queue it does
   * nothing.
   */
  close(options?: CloseOptions): Promise<void>;
}

/** The options of closing a receiver. */
export interface CloseOptions {
  /** How long to wait for running handlers, in milliseconds; default: 10,000. */
  readonly graceMs?: number;
}

const CLOSE_OPTIONS = Object.keys({ graceMs: 0 } satisfies Record<keyof CloseOptions, 0>);
const GRACE_MS = 10_000;

const RESPONSES: Record<HandlingResult["outcome"], DeliveryResponse> = {
  handled: responses.accepted,
  ignored: responses.accepted,
  duplicate: responses.accepted,
  busy: responses.busy,
  failed: responses.failed,
};

const QUEUE_OUTCOMES = { added: "queued", requeued: "requeued", present: "duplicate" } as const;

/**
 * Creates a receiver of deliveries: a fetch handler, and `receive` for the adapters of other
 * servers. It processes a delivery in this order:
 *
 * | | status | the delivery |
 * |---|---|---|
 * | 1 | 405 | is not a POST |
 * | 2 | 415 | has a content type that is not JSON |
 * | 3 | 413 | has a body over the limit; the rest is not read |
 * |   | 408 | has a body that is incomplete or late |
 * | 4 | 401 | is refused by `verify`, which gets the body's bytes unchanged |
 * | 5 | 400 | does not name one event, or has a body that is not UTF-8 or not JSON |
 * | 6 | 422 | breaks the contract; the response lists the first findings |
 * | 7 | 503 | is a duplicate of one that is being handled |
 * | 8 | 204 | was handled, now or before, or has no handler |
 * |   | 202 | is in the queue: instead of 7 and 8 |
 * |   | 500 | could not be verified, stored or handled |
 *
 * The sender should retry after 500 and 503. Error responses are `application/problem+json`. They
 * never contain an exception or the reason why `verify` refused; `onDelivery` gets both.
 *
 * Every event is handled at least once. With `duplicates` it is handled once, unless the process
 * ends after the handler completed and before the store recorded it, or a handler outlives its
 * lease.
 *
 * With a queue, handling starts at once and `close` ends it.
 *
 * @returns the receiver. It rejects only with a TxfeedError `body-consumed`, if a framework read
 * the body before.
 * @throws {TxfeedError} `usage` if `on` is missing, a handler has an unknown name, is registered
 * twice or is not a function, or an option is unknown or has a wrong type.
 */
export function createReceiver(options: ReceiverOptions): FeedReceiver {
  checkReceiverOptions(options);
  const { queue } = options;
  const handle = createHandle(handlerLookup(options.on, options.fallback), options.duplicates);
  const onFinding = ignoreErrors(options.onFinding);
  const onQuarantine = ignoreErrors(options.onQuarantine);
  const onDelivery = ignoreErrors(options.onDelivery);

  const receive: Receive = async (incoming) => {
    const startedAt = performance.now();
    const parsed = await parseDelivery(incoming, options);
    const { response, ...report } = "response" in parsed ? parsed : await processDelivery(parsed);
    void onDelivery({ ...report, durationMs: performance.now() - startedAt });
    return response;
  };

  async function processDelivery(delivery: ParsedDelivery): Promise<Reply> {
    const { event: name, text, body, receivedAt } = delivery;
    try {
      const reading = readEvent(name, body, options);
      if (!reading.ok) {
        await onQuarantine(recorded(delivery), reading.findings);
        const response = contractViolation(name, reading.findings);
        const reason = `it breaks the contract; findings: ${reading.findings.length}`;
        return { event: name, outcome: "invalid", response, reason };
      }
      for (const finding of reading.findings) void onFinding(finding, recorded(delivery));
      if (queue) {
        const key = await deliveryKey(reading.event, delivery);
        const added = await queue.add({ key, event: name, body: text, receivedAt });
        worker?.wake();
        return { event: name, outcome: QUEUE_OUTCOMES[added], response: responses.queued };
      }
      const result = await handle(reading.event, () => deliveryKey(reading.event, delivery));
      return { event: name, ...result, response: RESPONSES[result.outcome] };
    } catch (error) {
      return { event: name, outcome: "failed", response: responses.failed, error };
    }
  }

  /** Handles a delivery from the queue. Its findings were reported when it arrived. */
  async function handleQueued(lease: Lease): Promise<AttemptResult> {
    const { event, body: text, key, receivedAt, token } = lease;
    try {
      const body: unknown = JSON.parse(text);
      const reading = readEvent(event, body, options);
      if (reading.ok) return await handle(reading.event, () => key, token);
      // An earlier version of this package accepted and stored it.
      await onQuarantine(recorded({ event, body, receivedAt }), reading.findings);
      const errors = reading.findings.filter(({ level }) => level === "error");
      throw new Error(errors.map(({ message }) => message).join("; "));
    } catch (error) {
      return { outcome: "quarantined", error };
    }
  }

  const worker = queue && startWorker(queue, { handle: handleQueued, report }, options.work);

  function report(result: AttemptResult, durationMs: number, lease?: Lease): void {
    void onDelivery({ ...result, event: lease?.event ?? null, durationMs });
  }

  const receiver = (request: Request) => receiveRequest(receive, request);
  return Object.assign(receiver, {
    receive,
    close: async (closing: CloseOptions = {}) => {
      assertKnownOptions("close", closing, CLOSE_OPTIONS);
      const { graceMs = GRACE_MS } = closing;
      assertInteger("close: graceMs", graceMs, 0);
      await worker?.close(graceMs);
    },
  });
}

function recorded({
  event,
  body,
  receivedAt,
}: Pick<ParsedDelivery, "event" | "body" | "receivedAt">): RecordedDelivery {
  return { headers: { "webhook-event-type": event }, body, receivedAt };
}
