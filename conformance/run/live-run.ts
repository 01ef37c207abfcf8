import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { reasonOf, UsageError } from "../../src/errors.ts";
import { assertDuration, assertInteger } from "../../src/options.ts";
import { Session } from "../check.ts";
import type { Verb } from "../driver.ts";
import type { Activity, Report } from "../report/report.ts";
import { Skip } from "../skip.ts";
import { type Capabilities, capabilitiesOf, type Target } from "../target.ts";
import type { Evidence } from "../wire/evidence.ts";
import { type Delivery, isSuccess } from "../wire/exchange.ts";
import { fetchWithCertificate } from "../wire/gateway.ts";
import type { HttpClientOptions } from "../wire/http-client.ts";
import { LiveTransport } from "../wire/live.ts";
import { pathProblem, type Receiver, randomPath, startReceiver } from "../wire/receiver.ts";
import { SecretStore } from "../wire/secret-store.ts";
import { refuseCredentials } from "../wire/tokens.ts";
import { checkTarget, collectMsOf, headersOf, limitOption } from "./usage.ts";

/** Options of a live run. */
export interface LiveRunOptions {
  /** The maximum number of concurrent requests; default: 8. */
  readonly concurrency?: number | undefined;
  /** The timeout for a response, and for due deliveries, in milliseconds; default: 10,000. */
  readonly patienceMs?: number | undefined;
  /**
   * The time limit of the run in milliseconds; default: 600,000 + the collecting time + the time of
   * 4,000 requests at the target's `rate`.
   */
  readonly limitMs?: number | undefined;
  /** Stops the run, which then reports its results so far. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each entry of the evidence, without secrets. See `replayEvidence`. */
  readonly onEvidence?: ((entry: Evidence) => void) | undefined;
  /** Called with the URL of the receiver when it is ready. */
  readonly onListening?: ((url: string) => void) | undefined;
}

export const DEFAULT_CONCURRENCY = 8;
export const DEFAULT_PATIENCE_MS = 10_000;

/** About the number of requests of a full run. */
const REQUESTS = 4_000;

/** The default time limit of a run, without the time to collect deliveries. */
export function defaultLimitMs({ rate }: Target): number {
  return 600_000 + (rate === undefined ? 0 : Math.ceil((REQUESTS / rate) * 1_000));
}

/** The facts that identify a run. */
export interface RunFacts {
  readonly target: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly means: Capabilities;
}

/** How a run ended. The report has its activity if it had a receiver. */
export interface RunEnd extends Pick<Report, "durationMs" | "brokenOff" | "refusals"> {
  readonly activity: Activity;
}

/** A run against a target. */
export class LiveRun {
  readonly facts: RunFacts;
  readonly session: Session;
  readonly #start = performance.now();
  readonly #collectMs: number;
  readonly #target: Target;
  readonly #secretStore: SecretStore;
  readonly #transport: LiveTransport;
  readonly #record: (entry: Evidence) => void;
  readonly #activity = { steps: 0, deliveries: 0 };
  readonly #ending = new AbortController();
  #hasEnded = false;
  /** Aborted when the run stops early. */
  readonly #signal: AbortSignal;
  readonly #limit: NodeJS.Timeout;
  #receiver: Receiver | undefined;

  private constructor(
    target: Target,
    options: LiveRunOptions,
    only: readonly string[] | undefined,
    fetch: HttpClientOptions["fetch"],
  ) {
    this.#collectMs = collectMsOf(target);
    const limits = limitsOf(target, options, this.#collectMs);
    const baseUrl = new URL(target.baseUrl).href.replace(/(?<!\/)\/+$/, "");
    const headers = headersOf(target);
    const capabilities = capabilitiesOf(target, headers);
    this.#target = target;
    this.facts = { target: baseUrl, startedAt: new Date().toISOString(), means: capabilities };
    const breakOff = (reason: unknown) => this.#ending.abort(reason);
    const own = options.signal;
    const signal = AbortSignal.any([...(own ? [own] : []), this.#ending.signal]);
    this.#signal = signal;
    // Each request and each wait listens to it.
    setMaxListeners(0, signal);
    const record = (entry: Evidence) => {
      // A delivery may still arrive while the receiver is being stopped.
      if (this.#hasEnded) return;
      noteActivity(this.#activity, entry);
      try {
        options.onEvidence?.(entry);
      } catch (error) {
        breakOff(new EvidenceNotKept(error));
      }
    };
    this.#record = record;
    record({ kind: "run", version: 1, ...this.facts, ...(only && { only }) });
    const { driver = {}, rate } = target;
    const secretStore = new SecretStore(target);
    for (const { secret, variable } of headers) secretStore.addHeader(secret, variable);
    this.#secretStore = secretStore;
    this.#transport = new LiveTransport({
      baseUrl,
      secretStore,
      driver,
      record,
      signal,
      breakOff,
      ...{ rate, fetch },
      headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
      ...limits,
    });
    this.session = new Session({ baseUrl, capabilities, transport: this.#transport });
    const tooLong = new Error(`the run took longer than ${limits.limitMs / 1_000} s`);
    this.#limit = setTimeout(breakOff, limits.limitMs, tooLong);
  }

  /**
   * Opens a run, and its receiver if it can get deliveries. The caller must close it.
   *
   * @param only What evidence says that the run is limited to: groups or ids.
   * @throws {TxfeedError} `unreachable` if the target can't be reached; `refused-credentials` if it
   * refuses the credentials; `port-in-use` if the run can't receive deliveries; `usage` if the
   * target or a limit is invalid.
   */
  static async open(
    target: Target,
    options: LiveRunOptions = {},
    only?: readonly string[],
  ): Promise<LiveRun> {
    checkTarget(target);
    const { clientCertificate } = target;
    const fetch = clientCertificate && (await fetchWithCertificate(clientCertificate));
    const run = new LiveRun(target, options, only, fetch);
    try {
      if (run.facts.means.deliveries) await run.#receive(options.onListening);
      await run.#reach();
      return run;
    } catch (error) {
      await run.#stop();
      throw error;
    }
  }

  async #receive(onListening: LiveRunOptions["onListening"]): Promise<void> {
    const transport = this.#transport;
    const path = receiverPath(this.#target);
    const drop = (text: string) => this.#secretStore.redact(text);
    const onDelivery = (delivery: Delivery) => transport.receive(delivery);
    const where = this.#target.webhooks ?? LOOPBACK;
    this.#receiver = await startReceiver({
      ...{ ...where, path, nextNr: transport.nextNr, drop, onDelivery },
    });
    this.#secretStore.addReceiver(this.#receiver.url);
    onListening?.(this.#receiver.url);
    if (this.#target.driver?.subscribe) await transport.subscribe();
  }

  /** Throws if the target can't be reached or refuses the credentials: no check could pass. */
  async #reach(): Promise<void> {
    try {
      const exchange = await this.session.tokenExchange();
      refuseCredentials(exchange);
      if (exchange.response) return;
      // The token exchange alone may be broken.
      await this.session.named("reach").send({ method: "GET", path: "/cards" });
    } catch (error) {
      // The run was broken off.
      if (error instanceof Skip) return;
      throw error;
    }
    this.#transport.refuseUnreachable();
  }

  /** Waits until the collecting time of the target is over. */
  async collect(): Promise<void> {
    const left = this.#collectMs - (performance.now() - this.#start);
    if (left > 0) await sleep(left, undefined, { signal: this.#signal }).catch(() => {});
  }

  /**
   * Ends the run.
   *
   * @throws The error that `onEvidence` threw.
   */
  async close(): Promise<RunEnd> {
    await this.#stop();
    const { reason } = this.#ending.signal;
    if (reason instanceof EvidenceNotKept) throw reason.cause;
    const refusals = this.#receiver?.refusals;
    const end = {
      durationMs: Math.round(performance.now() - this.#start),
      ...(this.#signal.aborted && { brokenOff: reasonOf(this.#signal.reason) }),
      ...(refusals && Object.values(refusals).some(Boolean) && { refusals: { ...refusals } }),
    };
    this.#record({ kind: "end", ...end });
    this.#hasEnded = true;
    return { ...end, activity: this.#activity };
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#limit);
    if (this.#receiver && this.#target.driver?.unsubscribe) await this.#transport.unsubscribe();
    await this.#receiver?.stop();
  }
}

function receiverPath({ webhooks: { path = randomPath() } = LOOPBACK }: Target): string {
  const problem = pathProblem(path);
  if (problem === undefined) return path;
  throw new UsageError(`deliveries can't be received at "${path}": ${problem}`);
}

/** The reason of a run that ended because `onEvidence` threw. */
class EvidenceNotKept extends Error {
  constructor(cause: unknown) {
    super("the evidence could not be kept", { cause });
  }
}

function limitsOf(target: Target, options: LiveRunOptions, collectMs: number) {
  const { concurrency = DEFAULT_CONCURRENCY, patienceMs = DEFAULT_PATIENCE_MS } = options;
  assertInteger("concurrency", concurrency);
  assertDuration("patienceMs", patienceMs);
  const times = { standardMs: defaultLimitMs(target), collectMs };
  return { concurrency, patienceMs, limitMs: limitOption("limitMs", options.limitMs, times) };
}

/** The receiver's address if the driver can subscribe any URL. */
const LOOPBACK: NonNullable<Target["webhooks"]> = { host: "127.0.0.1", port: 0 };

/** Verbs that change nothing by themselves. */
const QUIET: readonly Verb[] = ["subscribe", "unsubscribe", "settle", "advance"];

/** Counts what an entry of the evidence adds to a run's activity. */
export function noteActivity(
  activity: { -readonly [K in keyof Activity]: Activity[K] },
  entry: Evidence,
): void {
  if (entry.kind === "delivery") activity.deliveries += 1;
  if (isStep(entry)) activity.steps += 1;
}

function isStep(entry: Evidence): boolean {
  if (entry.kind === "verb") {
    const isDone = entry.refusal === undefined && entry.brokenOff === undefined;
    return isDone && !QUIET.includes(entry.verb);
  }
  return entry.kind === "exchange" && entry.request.method === "PATCH" && isSuccess(entry);
}
