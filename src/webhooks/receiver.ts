import type { FeedEvent } from "../contract/feed-event.ts";
import type { Finding } from "../contract/finding.ts";
import type { RecordedDelivery } from "../contract/history/delivery.ts";
import { readEvent } from "../contract/validate.ts";
import { hasCode, QuarantineError, reasonOf } from "../errors.ts";
import { assertDuration, assertKnownOptions } from "../options.ts";
import type { AttemptResult } from "./attempt.ts";
import {
  createKeptHeaders,
  createLaneOf,
  type Delivery,
  deliveryKey,
  NOT_STORED,
  storable,
} from "./delivery.ts";
import { type Awaitable, createDirectHandling, type GivenContext } from "./direct-handling.ts";
import { handlerLookup } from "./handlers.ts";
import { createProbes, type Health, healthOf } from "./health.ts";
import { ignoreErrors } from "./hooks.ts";
import type { Attempt } from "./lane-batch.ts";
import { type ParsedDelivery, parseDelivery } from "./parse-delivery.ts";
import { receiveRequest } from "./receive-request.ts";
import { checkReceiverOptions, type ReceiverOptions } from "./receiver-options.ts";
import type { Receive, Receiver } from "./request.ts";
import { contractViolation, type Reply, responses, responseTo } from "./responses.ts";
import { type HeadersOf, observeSteps } from "./telemetry.ts";
import { LEASE_MS, startWorker, TIMEOUT_MS, type Worker } from "./worker.ts";

/** A receiver that may have work in progress. */
export interface FeedReceiver extends Receiver {
  /**
   * Stops handling stored deliveries and waits for the running handlers. Deliveries whose handler
   * still runs after `graceMs` are released, due at once: their signal aborts, and their statements
   * in the transaction are rolled back. Close the server before and the inbox afterwards. Without a
   * worker it does nothing.
   */
  close(options?: CloseOptions): Promise<void>;
  /** Whether the receiver works, for readiness probes. Never rejects. */
  health(): Promise<Health>;
}

/** The options of closing a receiver. */
export interface CloseOptions {
  /** How long to wait for running handlers, in milliseconds; default: 10,000. */
  readonly graceMs?: number;
}

const CLOSE_OPTIONS = Object.keys({ graceMs: 0 } satisfies Record<keyof CloseOptions, 0>);
const GRACE_MS = 10_000;

/**
 * Creates a receiver of deliveries: a fetch handler, and `receive` for the adapters of other
 * servers. It processes a delivery in this order:
 *
 * | step | status | the delivery |
 * |---|---|---|
 * | 1 | 405 | is not a POST |
 * | 2 | 415 | has a content type that is not JSON, or a content coding |
 * | 3 | 413 | has a body over the limit; the rest is not read |
 * |   | 408 | has a body that is incomplete or late |
 * | 4 | 401 | is refused by `verify`, which gets the body's bytes unchanged |
 * | 5 | 400 | does not name one event, or has a body that is not UTF-8 or not JSON |
 * | 6 | 422 | breaks the contract; the response lists the first findings |
 * | 7 | 202 | is stored in the inbox, now or before |
 *
 * With `acknowledge: "handled"`, or without an inbox, step 7 is:
 *
 * | step | status | the delivery |
 * |---|---|---|
 * | 7 | 204 | was handled, now or before, or has no handler |
 * |   | 503 | is delayed by its handler, or by another process that handles the same resource |
 * |   | 422 | is one that its handler refuses with a QuarantineError |
 *
 * A delivery that could not be verified, stored or handled gets a 500, and a 503 if too many others
 * wait to be stored or handled. The sender should retry after 500 and 503. Error responses are
 * `application/problem+json`. They never contain an exception or the reason why `verify` refused;
 * `onDelivery` gets both.
 *
 * Deliveries of one resource are handled one after another, in order of receipt; see
 * `work.orderBy`. Every stored delivery is handled at least once; what its handler writes in `tx`
 * takes effect exactly once.
 *
 * With an inbox, handling starts at once and `close` ends it.
 *
 * @returns the receiver. It rejects only with a TxfeedError `body-consumed`, if a framework read
 * the body before.
 * @throws {TxfeedError} `usage` if `on` is missing, a handler has an unknown name, is registered
 * twice or is not a function, or an option is unknown or has a wrong type.
 */
export function createReceiver<Tx = undefined>(options: ReceiverOptions<Tx>): FeedReceiver {
  checkReceiverOptions(options);
  const { inbox, acknowledge = inbox ? "stored" : "handled" } = options;
  const { orderBy, timeoutMs = TIMEOUT_MS, leaseMs = LEASE_MS } = options.work || {};
  const laneOf = createLaneOf(orderBy);
  const keptHeaders = createKeptHeaders(options.keepHeaders);
  const lookup = handlerLookup(options.on, options.fallback);
  const handleDirectly = createDirectHandling(inbox, { timeoutMs, leaseMs });
  const [onFinding, onInvalid] = [ignoreErrors(options.onFinding), ignoreErrors(options.onInvalid)];
  const probes = inbox ? createProbes(inbox) : null;
  const steps = observeSteps(options, {
    isStored: acknowledge === "stored",
    status: probes?.status ?? null,
    worker: () => worker?.state(),
  });
  let waitingBytes = 0;
  let worker: Worker | undefined;

  const receive: Receive = (incoming) =>
    steps.receive(incoming.request, async (headersOf) => {
      const parsed = await parseDelivery(incoming, options);
      if ("response" in parsed) return parsed;
      return admit(parsed, () => accept(parsed, incoming, headersOf));
    });

  /**
   * Processes a delivery, unless those that wait have too many bytes. The result is a promise only
   * if there is something to wait for. Never fails.
   */
  function admit({ event, bytes }: ParsedDelivery, work: () => Awaitable<Reply>): Awaitable<Reply> {
    if (waitingBytes > 0 && waitingBytes + bytes > MAX_WAITING_BYTES) {
      const reason = `deliveries that wait have ${waitingBytes} bytes`;
      return { event, outcome: "busy", response: responses.overloaded, reason };
    }
    const failed = (error: unknown): Reply => {
      if (!hasCode(error, "body-incomplete")) {
        return { event, outcome: "failed", response: responses.failed, error };
      }
      // The sender closed its connection, so it does not get the response.
      return { event, outcome: "refused", response: responses.brokenOff, reason: error.message };
    };
    try {
      const reply = work();
      if (!(reply instanceof Promise)) return reply;
      waitingBytes += bytes;
      return reply.catch(failed).finally(() => {
        waitingBytes -= bytes;
      });
    } catch (error) {
      return failed(error);
    }
  }

  /** Validates a delivery, and stores or handles it. */
  function accept(
    parsed: ParsedDelivery,
    { request, isGone }: Incoming,
    headersOf: HeadersOf,
  ): Awaitable<Reply> {
    const { event: name, text, body, receivedAt, deliveryId } = parsed;
    const reading = readEvent(name, body, options);
    if (!reading.ok) return refuseInvalid(parsed, reading.findings);
    for (const finding of reading.findings) void onFinding(finding, recorded(parsed));
    const { event } = reading;
    const received: Delivery = {
      ...NOT_STORED,
      key: null,
      lane: laneOf(event),
      event: name,
      body: text,
      headers: keptHeaders(request.headers),
      deliveryId: deliveryId === undefined ? null : storable(deliveryId),
      receivedAt,
    };
    const delivery = { ...received, headers: headersOf(received) };
    if (!inbox) return handleNow(event, delivery);
    return deliveryKey(event, deliveryId, text).then(async (key) => {
      const keyed = { ...delivery, key };
      if (acknowledge === "handled") return handleNow(event, keyed);
      const added = await inbox.add(keyed, isGone);
      worker?.wake();
      return { event: name, outcome: STORED_OUTCOMES[added], response: responses.stored };
    });
  }

  async function refuseInvalid(
    parsed: ParsedDelivery,
    findings: readonly Finding[],
  ): Promise<Reply> {
    const { event } = parsed;
    await onInvalid(recorded(parsed), findings);
    const response = contractViolation(event, findings);
    const reason = `it breaks the contract; findings: ${findings.length}`;
    return { event, outcome: "invalid", response, reason };
  }

  /** The handler of a delivery; undefined if there is none. */
  function handlerOf(event: FeedEvent, delivery: Delivery) {
    const handler = lookup(event);
    if (!handler) return undefined;
    const { deliveryId, receivedAt, headers } = delivery;
    return (given: GivenContext<Tx>) =>
      steps.handle(delivery, given.attempt, () =>
        handler(event, { deliveryId, receivedAt, headers, ...given }),
      );
  }

  function handleNow(event: FeedEvent, delivery: Delivery): Awaitable<Reply> {
    const reply = (result: AttemptResult): Reply => {
      steps.attempted(delivery, result);
      return { event: delivery.event, ...result, response: responseTo(result) };
    };
    const handler = handlerOf(event, delivery);
    if (!handler) return reply({ outcome: "ignored" });
    const handling = handleDirectly(delivery, handler);
    return handling instanceof Promise ? handling.then(reply) : reply(handling);
  }

  /** Handles a stored delivery. Its findings were reported when it arrived. */
  async function handleStored({
    delivery,
    number: attempt,
    ...given
  }: Attempt<Tx>): Promise<AttemptResult> {
    const handler = handlerOf(await storedEvent(delivery), delivery);
    if (!handler) return { outcome: "ignored" };
    await handler({ attempt, ...given });
    return { outcome: "handled" };
  }

  /** @throws {TxfeedError} `quarantine` if an earlier contract accepted the event. */
  async function storedEvent({ event, receivedAt, body: text }: Delivery): Promise<FeedEvent> {
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch (cause) {
      throw new QuarantineError(`the stored body is not JSON: ${reasonOf(cause)}`, { cause });
    }
    const reading = readEvent(event, body, options);
    if (reading.ok) return reading.event;
    await onInvalid(recorded({ event, body, receivedAt }), reading.findings);
    const errors = reading.findings.filter(({ level }) => level === "error");
    throw new QuarantineError(errors.map(({ message }) => message).join("; "));
  }

  if (inbox && acknowledge === "stored" && options.work !== false) {
    const { report, interrupted } = steps;
    worker = startWorker(inbox, { handle: handleStored, report, interrupted }, options.work);
  }

  return Object.assign((request: Request) => receiveRequest(receive, request), {
    receive,
    health: () => healthOf(probes, worker),
    close: async (closing: CloseOptions = {}) => {
      assertKnownOptions("close", closing, CLOSE_OPTIONS);
      const { graceMs = GRACE_MS } = closing;
      assertDuration("close: graceMs", graceMs, 0);
      await worker?.close(graceMs);
      steps.close();
    },
  });
}

type Incoming = Parameters<Receive>[0];

/** The most bytes of bodies that wait. In memory, each takes about four times as much. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

const STORED_OUTCOMES = {
  added: "stored",
  replayed: "replayed",
  waiting: "duplicate",
  handled: "duplicate",
} as const;

function recorded({
  event,
  body,
  receivedAt,
}: Pick<ParsedDelivery, "event" | "body" | "receivedAt">): RecordedDelivery {
  return { headers: { "webhook-event-type": event }, body, receivedAt };
}
