import { assertKnownOptions } from "../options.ts";
import { handling, storing } from "./accept.ts";
import { assertInteger } from "./assert-integer.ts";
import { createHandle } from "./handle.ts";
import { handlerLookup } from "./handlers.ts";
import { ignoreErrors } from "./ignore-errors.ts";
import { type DeliveryResult, type ParsedDelivery, parseDelivery } from "./parse-delivery.ts";
import { receiveRequest } from "./receive-request.ts";
import { checkReceiverOptions, type ReceiverOptions } from "./receiver-options.ts";
import type { DeliveryResponse, Incoming, Receiver } from "./request.ts";
import { contractViolation, responses } from "./responses.ts";
import { validateWith } from "./validate.ts";
import { workWith } from "./work.ts";
import { startWorker } from "./worker.ts";

/** A receiver that may have work in progress. */
export interface FeedReceiver extends Receiver {
  /**
   * Ends the work on the queue: takes nothing more from it and waits for the running handlers.
   * Deliveries whose handler still runs after `graceMs` are given back to the queue, due at once;
   * because nothing can stop the handler, they may be handled twice. Close the server before and
   * the queue afterwards. Without a queue it does nothing.
   */
  close(options?: CloseOptions): Promise<void>;
}

/** How a receiver is closed. */
export interface CloseOptions {
  /** How long running handlers may take, in milliseconds; default: 10,000. */
  readonly graceMs?: number;
}

const CLOSE_OPTIONS = Object.keys({ graceMs: 0 } satisfies Record<keyof CloseOptions, 0>);
const GRACE_MS = 10_000;

/**
 * Makes a receiver of deliveries: a handler for any server that speaks fetch, and `receive` for
 * the adapters of those that do not. It looks at a delivery in this order:
 *
 * | | status | the delivery |
 * |---|---|---|
 * | 1 | 405 | does not come by POST |
 * | 2 | 415 | is not JSON by its content type |
 * | 3 | 413 | has a body over the limit, which is read no further |
 * |   | 408 | has a body that does not come in full, or not in time |
 * | 4 | 401 | is refused by `verify`, which sees the bytes as they came |
 * | 5 | 400 | does not name one event, or has a body that is not UTF-8 or not JSON |
 * | 6 | 422 | breaks the contract; the first of its findings are in the answer |
 * | 7 | 503 | is the duplicate of one that is being handled just now |
 * | 8 | 204 | was handled, now or before; or nobody has registered for its event |
 * |   | 202 | is in the queue: instead of 7 and 8 |
 * |   | 500 | could not be verified, stored or handled |
 *
 * After 500 and 503 a sender is to try again. Refusals come as `application/problem+json` and tell
 * nothing of what was thrown, nor why `verify` refused; `onDelivery` does.
 *
 * Every event is handled at least once. With `duplicates` it is handled once, unless the process
 * ends between the end of the handler and the store's record of it, or a handler outlives its
 * lease.
 *
 * With a queue, work on what is in it starts here: `close` ends it.
 *
 * @returns the receiver. It rejects only with the TxfeedError that says that a framework has read
 * the body before.
 * @throws {TxfeedError} `usage` if `on` is missing, a handler has a wrong name, is there twice or
 * is not a function, or an option is unknown or has a wrong type.
 */
export function createReceiver(options: ReceiverOptions): FeedReceiver {
  checkReceiverOptions(options);
  const { queue } = options;
  const judge = validateWith(options);
  const handle = createHandle(handlerLookup(options.on, options.fallback), options.duplicates);
  const onDelivery = ignoreErrors(options.onDelivery);
  const worker = queue && startWorker(queue, workWith(handle, options), options.work);
  const accept = worker ? storing(queue, worker.wake) : handling(handle);

  async function settle(received: ParsedDelivery): Promise<DeliveryResult> {
    const { event } = received;
    try {
      const reading = await judge(received);
      if (reading.ok) return { event, ...(await accept(reading.event, received)) };
      const reason = `it breaks the contract; findings: ${reading.findings.length}`;
      const answer = contractViolation(event, reading.findings);
      return { event, outcome: "invalid", response: answer, reason };
    } catch (error) {
      return { event, outcome: "failed", response: responses.failed, error };
    }
  }

  async function receive(incoming: Incoming): Promise<DeliveryResponse> {
    const startedAt = performance.now();
    const received = await parseDelivery(incoming, options);
    const { response: answer, ...report } =
      "response" in received ? received : await settle(received);
    void onDelivery({ ...report, durationMs: performance.now() - startedAt });
    return answer;
  }

  const receiver = (request: Request) => receiveRequest(receive, request);
  return Object.assign(receiver, {
    receive,
    close: async (ending: CloseOptions = {}) => {
      assertKnownOptions("close", ending, CLOSE_OPTIONS);
      const { graceMs = GRACE_MS } = ending;
      assertInteger("close: graceMs", graceMs, 0);
      await worker?.close(graceMs);
    },
  });
}
