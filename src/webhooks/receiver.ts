import { handling, storing } from "./accept.ts";
import { answers, brokenContract } from "./answers.ts";
import { handleWith } from "./handle.ts";
import { lookupIn } from "./handlers.ts";
import { harmless } from "./harmless.ts";
import { type Received, type Settled, takeIn } from "./intake.ts";
import { judgeWith } from "./judge.ts";
import { readBody } from "./read-body.ts";
import type { ReceiverOptions } from "./receiver-options.ts";
import type { Answer, Incoming, Receiver } from "./request.ts";
import { checkWholeNumber } from "./whole-number.ts";
import { workWith } from "./work.ts";
import { startWorker } from "./worker.ts";

/** A receiver that may have work in progress. */
export interface FeedReceiver extends Receiver {
  /**
   * Ends the work on the queue: takes nothing more from it and waits for the handlers that run.
   * What is not through after `graceMs` (10 s unless set) is given back to the queue, due at once;
   * since nothing can stop its handler, it may be handled twice. Close the server before and the
   * queue afterwards. Without a queue there is nothing to end.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

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
 * | 4 | 401 | is not genuine, says `verify`, which sees the bytes as they came |
 * | 5 | 400 | does not name one event, or has a body that is not UTF-8 or not JSON |
 * | 6 | 422 | breaks the contract; the first of its findings are in the answer |
 * | 7 | 503 | has the content of one that is being handled just now |
 * | 8 | 204 | was handled, now or before; or nobody has registered for its event |
 * |   | 202 | is in the queue: instead of 7 and 8 |
 * |   | 500 | could not be verified, stored or handled |
 *
 * After 500 and 503 a sender is to try again. Refusals come as `application/problem+json` and tell
 * nothing of what was thrown; `onDelivery` does.
 *
 * Every event is handled at least once. With `duplicates` it is handled once, unless the process
 * ends between the end of the handler and the store's record of it, or a handler outlives its
 * lease.
 *
 * With a queue, work on what is in it starts here: `close` ends it.
 *
 * @returns the receiver. It rejects only with the TxfeedError that says that a framework has read
 * the body before.
 * @throws TxfeedError `usage` where a handler has a wrong name, is there twice or is no function,
 * or the limit or a number of `work` is none.
 */
export function createReceiver(options: ReceiverOptions): FeedReceiver {
  const { limitBytes, queue, now = Date.now } = options;
  if (limitBytes !== undefined) checkWholeNumber("createReceiver: limitBytes", limitBytes);
  const judge = judgeWith(options);
  const handle = handleWith(lookupIn(options.on, options.fallback), options.duplicates);
  const onDelivery = harmless(options.onDelivery);
  const worker = queue && startWorker(queue, workWith(handle, options), now, options.work);
  const accept = worker ? storing(queue, worker.wake) : handling(handle);

  async function settle(received: Received): Promise<Settled> {
    const { event } = received;
    try {
      const reading = await judge(received);
      if (reading.ok) return { event, ...(await accept(reading.event, received)) };
      return { event, outcome: "invalid", answer: brokenContract(event, reading.findings) };
    } catch (error) {
      return { event, outcome: "failed", answer: answers.failed, error };
    }
  }

  async function receive(incoming: Incoming): Promise<Answer> {
    const startedAt = performance.now();
    const received = await takeIn(incoming, options);
    const { answer, ...report } = "answer" in received ? received : await settle(received);
    void onDelivery({ ...report, durationMs: performance.now() - startedAt });
    return answer;
  }

  const receiver = async (request: Request): Promise<Response> => {
    const answer = await receive({ request, readBody: (limit) => readBody(request, limit) });
    const { status, headers, body } = answer;
    return new Response(body || null, { status, headers });
  };
  return Object.assign(receiver, {
    receive,
    close: async ({ graceMs = GRACE_MS } = {}) => worker?.close(graceMs),
  });
}
