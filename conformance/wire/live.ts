import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { retryAfterMs } from "../../src/client/retry.ts";
import { reasonOf } from "../../src/errors.ts";
import { counted, shortened } from "../../src/text.ts";
import type { Driver, Verb, VerbParams, VerbResult } from "../driver.ts";
import { orSkip, Skip } from "../skip.ts";
import { deadline } from "./deadline.ts";
import { type Entry, FairQueue, type Recording, RUN_SCOPE, skipOf } from "./evidence.ts";
import type {
  Delivery,
  Exchange,
  RecordedRequest,
  RecordedResponse,
  Transport,
  Variable,
} from "./exchange.ts";
import { HttpClient, type HttpClientOptions, type Outcome } from "./http-client.ts";
import { Inbox } from "./receiver.ts";
import { TokenRenewer } from "./tokens.ts";

/** Options of a live transport. The patience also limits the waiting for deliveries. */
interface LiveTransportOptions extends HttpClientOptions {
  readonly driver: Driver;
  readonly record: Recording;
  /** Maximum number of concurrent requests. */
  readonly concurrency: number;
  /** Maximum number of requests in a second; default: no limit. */
  readonly rate?: number | undefined;
}

/** Stop waiting for deliveries after this many empty waits. */
const MAX_EMPTY_WAITS = 3;

/**
 * The longest wait, and the longest of all waits together, if the driver has `settle` and
 * `advance`. Then no delivery is due, and only an API that lags needs time. The limits keep a
 * failing run short.
 */
const SETTLED_WAIT_MS = 2_000;
const SETTLED_WAITS_MS = 6_000;

/** The run's receiver for deliveries. The secret store has the address. */
const RECEIVER = { url: "$TXFEED_RECEIVER" };

/** Sends requests with secrets filled in, and records each with its redacted response. */
export class LiveTransport implements Transport {
  readonly #options: LiveTransportOptions;
  readonly #inbox = new Inbox();
  readonly #slots: Semaphore;
  readonly #turns = new FairQueue();
  readonly #http: HttpClient;
  readonly #pace: Pace;
  readonly #renewals: TokenRenewer;
  #nr = 0;
  #undelivered: string | undefined;
  #vainWaits = 0;
  #settledWaitsMs = SETTLED_WAITS_MS;
  #hasAdvanced = false;

  constructor(options: LiveTransportOptions) {
    this.#options = options;
    this.#slots = new Semaphore(options.concurrency);
    this.#http = new HttpClient(options);
    this.#pace = new Pace(options.signal, options.rate);
    this.#renewals = new TokenRenewer((request, keepAs) =>
      this.#exchange("renewal", request, keepAs),
    );
  }

  /** Returns the number of the next entry to record. */
  readonly nextNr = (): number => {
    this.#nr += 1;
    return this.#nr;
  };

  send(scope: string, request: RecordedRequest, keepAs?: Variable): Promise<Exchange> {
    const nr = this.nextNr();
    return this.#slots.run(async () => {
      const exchange = await this.#exchange(scope, request, keepAs, nr);
      if (keepAs !== undefined) this.#renewals.note(request, keepAs, exchange);
      return exchange;
    });
  }

  /** Sends a request and records the last outcome. */
  async #exchange(
    scope: string,
    request: RecordedRequest,
    keepAs?: Variable,
    nr = this.nextNr(),
  ): Promise<Exchange> {
    const { record } = this.#options;
    let start = 0;
    try {
      const outcome = await this.#pace.send(request, async () => {
        // Renew only now: the request may have waited longer than a token's lifetime.
        await this.#renewals.renewFor(request);
        start = performance.now();
        return this.#http.send(request, keepAs);
      });
      const durationMs = Math.round(performance.now() - start);
      const exchange: Exchange = { nr, request, ...outcome, durationMs };
      await this.#turns.take();
      record({ kind: "exchange", scope, ...exchange });
      return exchange;
    } catch (error) {
      if (!(error instanceof Skip)) throw error;
      await this.#turns.take();
      record({ kind: "unsent", nr, scope, request, reason: error.reason });
      throw error;
    }
  }

  /** Throws a TxfeedError `unreachable` if there were requests and never a response. */
  refuseUnreachable(): void {
    this.#http.refuseUnreachable();
  }

  /** Adds and records a delivery. */
  receive(delivery: Delivery): void {
    this.#inbox.add(delivery);
    const { json, ...recorded } = delivery;
    this.#options.record({ kind: "delivery", ...recorded });
  }

  async deliveries(
    scope: string,
    isEnough: (deliveries: readonly Delivery[]) => boolean = () => true,
  ): Promise<readonly Delivery[]> {
    const { signal, record } = this.#options;
    if (this.#undelivered !== undefined) throw new Skip(this.#undelivered);
    const start = performance.now();
    const deliveries = await this.#inbox.waitFor(isEnough, this.#patienceMs(), signal);
    this.#settledWaitsMs -= performance.now() - start;
    if (deliveries.length > 0) this.#vainWaits = 0;
    else if (!isEnough(deliveries)) this.#vainWaits += 1;
    await this.#turns.take();
    record({ kind: "mark", scope, deliveries: deliveries.length });
    return deliveries;
  }

  /** The timeout for due deliveries. */
  #patienceMs(): number {
    const { driver, patienceMs } = this.#options;
    if (this.#vainWaits >= MAX_EMPTY_WAITS) return 0;
    if (!driver.settle || !driver.advance) return patienceMs;
    return Math.max(0, Math.min(patienceMs, SETTLED_WAIT_MS, Math.ceil(this.#settledWaitsMs)));
  }

  async drive<V extends Verb>(
    scope: string,
    verb: V,
    params: VerbParams<V>,
  ): Promise<VerbResult<V>> {
    const { record, signal } = this.#options;
    const outcome = await callVerb(this.#options, verb, params, { signal });
    // A restored clock goes back only if it was advanced.
    if (verb === "advance" || (verb === "restore" && this.#hasAdvanced)) this.#renewals.forgetAll();
    if (verb === "advance" || verb === "restore") this.#hasAdvanced = verb === "advance";
    const done = { kind: "verb", scope, verb, params, ...outcome } as const;
    await this.#turns.take();
    record(done);
    const skipped = skipOf(done);
    if (skipped) throw skipped;
    return done.result as VerbResult<V>;
  }

  /** Subscribes with the driver. If that fails, checks that read deliveries are skipped. */
  async subscribe(): Promise<void> {
    const done = await orSkip(this.drive(RUN_SCOPE, "subscribe", RECEIVER));
    if (done instanceof Skip) this.#undelivered = done.reason;
  }

  /** Unsubscribes, even after the run was aborted. A refusal is recorded and otherwise ignored. */
  async unsubscribe(): Promise<void> {
    const { record, patienceMs } = this.#options;
    const outcome = await callVerb(this.#options, "unsubscribe", RECEIVER, { ms: patienceMs });
    record({ kind: "verb", scope: RUN_SCOPE, verb: "unsubscribe", params: RECEIVER, ...outcome });
  }
}

/** The most attempts of a request, and the longest that it waits for all of them together. */
const MAX_ATTEMPTS = 5;
const MAX_WAIT_MS = 60_000;

/** The pause after the first response without `Retry-After`; it doubles with each attempt. */
const FIRST_WAIT_MS = 250;

/** The time between requests after the first pause, and its limit. */
const FIRST_GAP_MS = 20;
const MAX_GAP_MS = 1_000;

/** By how much each accepted request shortens the time between requests. */
const EASE = 0.99;

/**
 * Sends the requests of a run no faster than allowed: by the user, and by a target that responds
 * with 429, or with 503 and `Retry-After`. Such a response says nothing about a requirement.
 */
class Pace {
  readonly #signal: AbortSignal;
  readonly #leastGapMs: number;
  #gapMs: number;
  #nextAt = 0;
  #slowedAt = 0;
  /** The kinds of request whose last one was never accepted. The next ones are sent once. */
  readonly #hopeless = new Set<string>();

  /**
   * @param signal Ends all pauses.
   * @param rate The maximum number of requests in a second; default: no limit.
   */
  constructor(signal: AbortSignal, rate?: number) {
    this.#signal = signal;
    this.#leastGapMs = rate === undefined ? 0 : 1_000 / rate;
    this.#gapMs = this.#leastGapMs;
  }

  /**
   * Sends a request, and again while the target throttles it.
   *
   * @returns Resolves to the first other response, or to a failure if there was none in time.
   */
  async send(request: RecordedRequest, attempt: () => Promise<Outcome>): Promise<Outcome> {
    const kind = kindOf(request);
    let waitedMs = 0;
    for (let attempts = 1; ; attempts++) {
      const sentAt = await this.#turn();
      const outcome = await attempt();
      const { response } = outcome;
      if (!response) return outcome;
      if (!isThrottled(response)) {
        this.#hopeless.delete(kind);
        this.#gapMs = Math.max(this.#leastGapMs, this.#gapMs < 1 ? 0 : this.#gapMs * EASE);
        return outcome;
      }
      const waitMs = waitMsOf(response, attempts);
      waitedMs += waitMs;
      if (attempts === MAX_ATTEMPTS || waitedMs > MAX_WAIT_MS || this.#hopeless.has(kind)) {
        this.#hopeless.add(kind);
        const times = counted(attempts, "time");
        return { failure: `the target answered ${response.status} ${times}`, throttled: true };
      }
      this.#nextAt = Math.max(this.#nextAt, performance.now() + waitMs);
      // A single path that refuses everything must not slow down the others.
      if (attempts === 1) this.#slowDown(sentAt);
    }
  }

  /** Resolves to the time at which the next request may be sent. */
  async #turn(): Promise<number> {
    for (;;) {
      const now = performance.now();
      const waitMs = this.#nextAt - now;
      // A timer takes at least a millisecond.
      if (waitMs < 1 || this.#signal.aborted) {
        this.#nextAt = Math.max(this.#nextAt, now) + this.#gapMs;
        return now;
      }
      await sleep(waitMs, undefined, { signal: this.#signal }).catch(() => {});
    }
  }

  /** Doubles the time between requests, once for all that were sent before the last time. */
  #slowDown(sentAt: number): void {
    if (sentAt < this.#slowedAt) return;
    this.#slowedAt = performance.now();
    this.#gapMs = Math.min(MAX_GAP_MS, Math.max(FIRST_GAP_MS, this.#gapMs * 2));
  }
}

/** A path without ids: a target may limit each endpoint by itself. */
function kindOf({ url }: RecordedRequest): string {
  const [, first, ...rest] = new URL(url).pathname.split("/");
  return `${first} ${rest.length}`;
}

function isThrottled({ status, headers }: RecordedResponse): boolean {
  return status === 429 || (status === 503 && headers["retry-after"] !== undefined);
}

function waitMsOf({ headers }: RecordedResponse, attempts: number): number {
  const now = Date.parse(headers["date"] ?? "");
  const server = { now: () => (Number.isNaN(now) ? Date.now() : now) };
  const asked = retryAfterMs({ get: (name) => headers[name] ?? null }, server);
  return asked ?? FIRST_WAIT_MS * 2 ** (attempts - 1);
}

/** Limits the number of concurrent tasks. */
class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

/** Timeout of a verb. */
const VERB_PATIENCE_MS = 120_000;

/** Maximum length of a reason: a driver may pass a target's whole response. */
const MAX_REASON = 2_000;

/** The outcome of a verb. */
type VerbOutcome = Pick<Entry<"verb">, "result" | "refusal" | "brokenOff">;

/**
 * Calls a verb of a driver, which may throw, return anything, or never resolve. Secrets are filled
 * in, and redacted in the outcome. A timeout or an aborted signal ends the waiting, not the verb.
 *
 * @param params The verb's parameters, as JSON.
 * @returns Never rejects: errors are part of the outcome.
 */
async function callVerb(
  { driver, secretStore }: Pick<LiveTransportOptions, "driver" | "secretStore">,
  verb: Verb,
  params: unknown,
  { signal, ms = VERB_PATIENCE_MS }: { signal?: AbortSignal; ms?: number } = {},
): Promise<VerbOutcome> {
  const verbs = driver as Record<Verb, (params: unknown) => unknown>;
  const call = async () => verbs[verb](asJson(params, (text) => secretStore.fillIn(text)));
  const late = () => new Error(`it took longer than ${ms / 1_000} s`);
  const { signal: over, clear } = deadline(ms, late, signal);
  try {
    over.throwIfAborted();
    const isOver = once(over, "abort").then(() => Promise.reject(over.reason));
    const result = await Promise.race([call(), isOver]);
    if (result === undefined) return {};
    return { result: asJson(result, (text) => secretStore.redact(text)) };
  } catch (error) {
    if (signal?.aborted) return { brokenOff: reasonOf(signal.reason) };
    const reason = error instanceof Skip ? error.reason : reasonOf(error);
    return { refusal: shortened(secretStore.redact(reason), MAX_REASON) };
  } finally {
    clear();
  }
}

function asJson<T>(value: T, change: (text: string) => string): T {
  return value === undefined ? value : JSON.parse(change(JSON.stringify(value)));
}
