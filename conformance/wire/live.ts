import { memberOf } from "../../src/contract/pointer.ts";
import { reasonOf, TxfeedError, UnreachableError, UsageError } from "../../src/errors.ts";
import type { Driver, Verb, VerbParams, VerbResult } from "../driver.ts";
import { Aborted, Skip } from "../run/skip.ts";
import { RequestBudget } from "./budget.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import { FairQueue, Semaphore } from "./concurrency.ts";
import type { Delivery } from "./delivery.ts";
import { DriverClient } from "./driver-client.ts";
import { type Recording, RUN_SCOPE, skipOf } from "./evidence.ts";
import type { Variable } from "./exchange.ts";
import {
  type Exchange,
  parseJson,
  type RecordedRequest,
  type RecordedResponse,
  storedBody,
} from "./exchange.ts";
import { type BufferedResponse, fetchBuffered } from "./fetch-buffered.ts";
import { Inbox } from "./receiver.ts";
import type { SecretStore } from "./secret-store.ts";
import { TokenRenewer } from "./tokens.ts";
import type { Transport } from "./transport.ts";

/** Options of a live transport. */
interface LiveTransportOptions {
  /** The target's address, without a trailing slash. */
  readonly baseUrl: string;
  readonly secretStore: SecretStore;
  readonly driver: Driver;
  readonly record: Recording;
  /** Maximum number of concurrent requests. */
  readonly concurrency: number;
  /** Timeout for a response, and for expected deliveries. */
  readonly patienceMs: number;
  /** Aborted when the run is aborted. */
  readonly signal: AbortSignal;
  /** Aborts the run. */
  readonly breakOff: (reason: Error) => void;
}

/** Stop waiting for deliveries after this many empty waits. */
const MAX_EMPTY_WAITS = 3;

/** The run's receiver for deliveries. The secret store has the address. */
const RECEIVER = { url: "$TXFEED_RECEIVER" };

/** The outcome of a request. */
type Outcome = Pick<Exchange, "response" | "failure">;

/** Sends requests with secrets filled in, and records each with its redacted response. */
export class LiveTransport implements Transport {
  readonly #options: LiveTransportOptions;
  readonly #driver: DriverClient;
  readonly #inbox = new Inbox();
  readonly #slots: Semaphore;
  readonly #turns = new FairQueue();
  readonly #deadlines: CircuitBreaker;
  readonly #allowance = new RequestBudget();
  readonly #renewals: TokenRenewer;
  #nr = 0;
  #lastFailure = "";
  #undelivered: string | undefined;
  #vainWaits = 0;
  #hasAdvanced = false;

  constructor(options: LiveTransportOptions) {
    this.#options = options;
    this.#driver = new DriverClient(options.driver, options.secretStore);
    this.#slots = new Semaphore(options.concurrency);
    this.#deadlines = new CircuitBreaker(options.baseUrl, options.patienceMs);
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
      // Renew only now: the request may have waited longer than a token's lifetime.
      let refusal: Skip | undefined;
      await this.#renewals.renewFor(request).catch((error) => {
        if (!(error instanceof Skip)) throw error;
        refusal = error;
      });
      const exchange = await this.#exchange(scope, request, keepAs, { nr, refusal });
      if (keepAs !== undefined) this.#renewals.note(request, keepAs, exchange);
      return exchange;
    });
  }

  /**
   * Sends a request and records the outcome.
   *
   * @param early The request's number if it already has one, and the reason if it is not sent.
   */
  async #exchange(
    scope: string,
    request: RecordedRequest,
    keepAs?: Variable,
    { nr = this.nextNr(), refusal }: { nr?: number; refusal?: Skip | undefined } = {},
  ): Promise<Exchange> {
    const { record } = this.#options;
    const start = performance.now();
    try {
      if (refusal) throw refusal;
      const outcome = await this.#fetch(request, keepAs);
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

  async #fetch(request: RecordedRequest, keepAs: Variable | undefined): Promise<Outcome> {
    const { secretStore, signal, patienceMs } = this.#options;
    this.#checkEnd();
    const refusal = this.#deadlines.refusalOf(request);
    if (refusal !== undefined) throw new Aborted(refusal);
    const filled = fillIn(request, secretStore);
    this.#allowance.noteRequest(request);
    try {
      const reply = await fetchBuffered(filled, { deadlineMs: patienceMs, signal });
      this.#deadlines.noteResponse(request);
      this.#allowance.noteReceived(reply.body);
      const response = this.#withoutSecrets(reply, keepAs);
      this.#noteKept(response);
      return { response };
    } catch (error) {
      this.#checkEnd();
      return { failure: this.#describeFailure(error, request) };
    }
  }

  #withoutSecrets(
    { status, headers, body }: BufferedResponse,
    keepAs: Variable | undefined,
  ): RecordedResponse {
    const { secretStore } = this.#options;
    if (keepAs !== undefined) {
      const token = memberOf(parseJson(body), "access_token");
      if (typeof token === "string") secretStore.addToken(token, keepAs);
    }
    const clean = Object.entries(headers).map(([name, value]) => [
      secretStore.redact(name),
      name === "set-cookie" ? "(dropped)" : secretStore.redact(value),
    ]);
    return { status, headers: Object.fromEntries(clean), ...storedBody(secretStore.redact(body)) };
  }

  /** Returns the reason why there was no response. Throws if it ends the run. */
  #describeFailure(error: unknown, request: RecordedRequest): string {
    // OpenSSL's reasons end with a line feed.
    const reason = reasonOf(error)
      .replace(/\p{Cc}/gu, " ")
      .trim();
    const failure = this.#options.secretStore.redact(reason);
    if (failure === "bad port") {
      const { origin } = new URL(request.url);
      const message = `the port of ${origin} is reserved for another protocol; use another port`;
      this.#options.breakOff(new UsageError(message));
    }
    this.#lastFailure = failure;
    this.#deadlines.noteFailure(request, error);
    this.#checkEnd();
    return failure;
  }

  /** Throws a TxfeedError `unreachable` if there were requests and never a response. */
  refuseUnreachable(): void {
    if (!this.#deadlines.hasNeverResponded) return;
    const { origin } = new URL(this.#options.baseUrl);
    throw new UnreachableError(`can't reach ${origin}: ${this.#lastFailure}`);
  }

  /** Throws if the run was aborted. */
  #checkEnd(): void {
    const { signal } = this.#options;
    if (!signal.aborted) return;
    const { reason } = signal;
    throw reason instanceof TxfeedError ? reason : new Aborted(reasonOf(reason));
  }

  #noteKept({ headers, body, json }: RecordedResponse): void {
    for (const [name, value] of Object.entries(headers)) this.#allowance.noteText(name + value);
    this.#allowance.noteText(body, json !== undefined);
    const { excess } = this.#allowance;
    if (excess !== undefined) this.#options.breakOff(new Error(excess));
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
    const { patienceMs, signal, record } = this.#options;
    if (this.#undelivered !== undefined) throw new Skip(this.#undelivered);
    const waited = this.#vainWaits < MAX_EMPTY_WAITS ? patienceMs : 0;
    const deliveries = await this.#inbox.waitFor(isEnough, waited, signal);
    if (deliveries.length > 0) this.#vainWaits = 0;
    else if (!isEnough(deliveries)) this.#vainWaits += 1;
    await this.#turns.take();
    record({ kind: "mark", scope, deliveries: deliveries.length });
    return deliveries;
  }

  async drive<V extends Verb>(
    scope: string,
    verb: V,
    params: VerbParams<V>,
  ): Promise<VerbResult<V>> {
    const { record, signal } = this.#options;
    const outcome = await this.#driver.call(verb, params, { signal });
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
    try {
      await this.drive(RUN_SCOPE, "subscribe", RECEIVER);
    } catch (error) {
      if (!(error instanceof Skip)) throw error;
      this.#undelivered = error.reason;
    }
  }

  /** Unsubscribes, even after the run was aborted. A refusal is recorded and otherwise ignored. */
  async unsubscribe(): Promise<void> {
    const { record, patienceMs } = this.#options;
    const outcome = await this.#driver.call("unsubscribe", RECEIVER, { ms: patienceMs });
    record({
      ...{ kind: "verb", scope: RUN_SCOPE, verb: "unsubscribe", params: RECEIVER },
      ...outcome,
    });
  }
}

/** Fills in a request's variables, only where the suite put them. */
function fillIn(request: RecordedRequest, secretStore: SecretStore): RecordedRequest {
  const { headers, url, body } = request;
  const { authorization } = headers;
  const isForToken = headers["content-type"] === "application/x-www-form-urlencoded";
  const inPlace = (text: string, encode?: typeof encodeURIComponent) =>
    isForToken
      ? secretStore.fillIn(text, encodeURIComponent)
      : secretStore.restoreIds(text, encode);
  return {
    ...request,
    url: inPlace(url, encodeURIComponent),
    headers: {
      ...headers,
      ...(authorization !== undefined && { authorization: secretStore.fillIn(authorization) }),
    },
    ...(body !== undefined && { body: inPlace(body) }),
  };
}
