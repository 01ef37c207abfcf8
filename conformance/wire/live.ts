import { once } from "node:events";
import { reasonOf } from "../../src/errors.ts";
import { shortened } from "../../src/text.ts";
import type { Driver, Verb, VerbParams, VerbResult } from "../driver.ts";
import { orSkip, Skip } from "../skip.ts";
import { deadline } from "./deadline.ts";
import { type Entry, FairQueue, type Recording, RUN_SCOPE, skipOf } from "./evidence.ts";
import type { Delivery, Exchange, RecordedRequest, Transport, Variable } from "./exchange.ts";
import { HttpClient, type HttpClientOptions } from "./http-client.ts";
import { Pace } from "./pace.ts";
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
