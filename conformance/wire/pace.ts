import { setTimeout as sleep } from "node:timers/promises";
import { retryAfterMs } from "../../src/client/retry.ts";
import { counted } from "../../src/text.ts";
import type { Exchange, RecordedRequest, RecordedResponse } from "./exchange.ts";

/** The outcome of a request. */
export type Outcome = Pick<Exchange, "response" | "failure" | "throttled">;

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
export class Pace {
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
