import { memberOf } from "../../src/contract/pointer.ts";
import { reasonOf, TxfeedError } from "../../src/errors.ts";
import type { Delivery } from "../deliveries/delivery.ts";
import type { Inbox } from "../deliveries/inbox.ts";
import type { Driver, Verb, VerbParams, VerbResult } from "../driver.ts";
import { Unseen } from "../unseen.ts";
import { Deadlines } from "./deadlines.ts";
import type { Evidence } from "./evidence.ts";
import { type Exchange, parseJson, type RecordedRequest } from "./exchange.ts";
import { fetchWhole } from "./fetch-whole.ts";
import { Renewals } from "./renewals.ts";
import { Slots } from "./slots.ts";
import type { Variable, Vault } from "./vault.ts";
import type { Wire } from "./wire.ts";

/** What a live wire works with. */
export interface LiveWireOptions {
  readonly vault: Vault;
  readonly inbox: Inbox;
  readonly driver: Driver;
  readonly record: (entry: Evidence) => void;
  /** How many requests may be under way at once. */
  readonly concurrency: number;
  /** How long an answer, and deliveries that are owed, are waited for. */
  readonly patienceMs: number;
  /** Breaks the run off. */
  readonly signal: AbortSignal;
}

/** Sends requests as they stand, secrets filled in, and records each with the answer as it came. */
export class LiveWire implements Wire {
  readonly #options: LiveWireOptions;
  readonly #slots: Slots;
  readonly #deadlines: Deadlines;
  readonly #renewals: Renewals;
  #nr = 0;

  constructor(options: LiveWireOptions) {
    this.#options = options;
    this.#slots = new Slots(options.concurrency);
    this.#deadlines = new Deadlines(options.patienceMs);
    this.#renewals = new Renewals((request, keepAs) => this.#exchange("renewal", request, keepAs));
  }

  /** The next number of what is recorded. */
  readonly nextNr = (): number => {
    this.#nr += 1;
    return this.#nr;
  };

  async send(scope: string, request: RecordedRequest, keepAs?: Variable): Promise<Exchange> {
    await this.#renewals.renewFor(request);
    const exchange = await this.#exchange(scope, request, keepAs);
    if (keepAs !== undefined) this.#renewals.note(request, keepAs, exchange);
    return exchange;
  }

  async #exchange(scope: string, request: RecordedRequest, keepAs?: Variable): Promise<Exchange> {
    return this.#slots.run(async () => {
      const start = performance.now();
      const answer = await this.#answer(request, keepAs);
      const durationMs = Math.round(performance.now() - start);
      const exchange: Exchange = { nr: this.nextNr(), request, ...answer, durationMs };
      this.#options.record({ kind: "exchange", scope, ...exchange });
      return exchange;
    });
  }

  async #answer(
    request: RecordedRequest,
    keepAs: Variable | undefined,
  ): Promise<Pick<Exchange, "response"> | { failure: string }> {
    const { vault, signal } = this.#options;
    if (signal.aborted) throw new Unseen(reasonOf(signal.reason));
    const filled = fillIn(request, vault);
    const refusal = this.#deadlines.refusalOf(request);
    if (refusal !== undefined) throw new Unseen(refusal);
    try {
      const answer = await fetchWhole(filled, { deadlineMs: this.#options.patienceMs, signal });
      this.#deadlines.noteAnswer(request);
      const token = memberOf(parseJson(answer.body), "access_token");
      if (typeof token === "string") vault.addToken(token, keepAs);
      const body = vault.drop(answer.body);
      const json = parseJson(body);
      const headers = Object.fromEntries(
        Object.entries(answer.headers).map(([name, value]) => [
          name,
          name === "set-cookie" ? "(dropped)" : vault.drop(value),
        ]),
      );
      return {
        response: { status: answer.status, headers, body, ...(json !== undefined && { json }) },
      };
    } catch (error) {
      if (signal.aborted) throw new Unseen(reasonOf(signal.reason));
      return { failure: vault.drop(this.#judgeFailure(error, request)) };
    }
  }

  /** The reason why no answer came. Throws where it ends the run. */
  #judgeFailure(error: unknown, request: RecordedRequest): string {
    const failure = reasonOf(error);
    const { origin } = new URL(request.url);
    if (failure === "bad port") {
      throw new TxfeedError("usage", `fetch refuses the port of ${origin}: other protocols own it`);
    }
    if (!this.#deadlines.hasAnswered) {
      throw new TxfeedError("unreachable", `nothing answers at ${origin}: ${failure}`);
    }
    this.#deadlines.noteFailure(request, error);
    return failure;
  }

  async deliveries(
    scope: string,
    isEnough: (deliveries: readonly Delivery[]) => boolean = () => true,
  ): Promise<readonly Delivery[]> {
    const { inbox, patienceMs, signal, record } = this.#options;
    const deliveries = await inbox.waitFor(isEnough, patienceMs, signal);
    record({ kind: "mark", scope, deliveries: deliveries.length });
    return deliveries;
  }

  async drive<V extends Verb>(
    scope: string,
    verb: V,
    params: VerbParams<V>,
  ): Promise<VerbResult<V>> {
    const { driver, vault, record, signal } = this.#options;
    if (signal.aborted) throw new Unseen(reasonOf(signal.reason));
    const clean = <T>(value: T): T =>
      value === undefined ? value : JSON.parse(vault.drop(JSON.stringify(value)));
    const entry = { kind: "verb", scope, verb, params: clean(params) } as const;
    try {
      const call = driver[verb] as (params: VerbParams<V>) => Promise<VerbResult<V>>;
      const result = clean(await call.call(driver, withReceiver(params, vault)));
      if (verb === "advance") this.#renewals.forgetAll();
      record({ ...entry, ...(result !== undefined && { result }) });
      return result;
    } catch (error) {
      const refusal = vault.drop(reasonOf(error));
      record({ ...entry, refusal });
      throw new Unseen(`the driver's verb ${verb} was refused: ${refusal}`);
    }
  }
}

/** A request as it goes out. Variables are filled in where the suite put them, and nowhere else. */
function fillIn(request: RecordedRequest, vault: Vault): RecordedRequest {
  const { headers, url, body } = request;
  const { authorization } = headers;
  const isForToken = headers["content-type"] === "application/x-www-form-urlencoded";
  const inPlace = (text: string) => vault.fillIn(text, encodeURIComponent);
  return {
    ...request,
    url: isForToken ? inPlace(url) : vault.reveal(url),
    headers: {
      ...headers,
      ...(authorization !== undefined && { authorization: vault.fillIn(authorization) }),
    },
    ...(body !== undefined && { body: isForToken ? inPlace(body) : body }),
  };
}

/** What a verb takes, with the address where the run receives deliveries, if it is told one. */
function withReceiver<P>(params: P, vault: Vault): P {
  const url = memberOf(params, "url");
  return typeof url === "string" ? { ...params, url: vault.fillIn(url) } : params;
}
