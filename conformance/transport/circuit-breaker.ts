import type { RecordedRequest } from "./exchange.ts";

/** So many requests in a row waited for in vain, and an endpoint is given up. */
const MOST_AT_ENDPOINT = 3;

/**
 * So many in a row without an answer, for whatever reason, and the target is given up. It is more
 * than what some endpoints that hang come to, while others could answer.
 */
const MOST_AT_TARGET = 16;

/** Sees to it that a target that hangs or is gone is not asked a thousand times. */
export class CircuitBreaker {
  readonly #baseUrl: string;
  readonly #patienceMs: number;
  /** Timeouts in a row, by endpoint. */
  readonly #timeouts = new Map<string, number>();
  #failures = 0;
  #hasAnswered = false;

  /** @param baseUrl Without a slash at its end. */
  constructor(baseUrl: string, patienceMs: number) {
    this.#baseUrl = baseUrl;
    this.#patienceMs = patienceMs;
  }

  /** Why a request is not even sent; undefined where it is. */
  refusalOf(request: RecordedRequest): string | undefined {
    if (this.#failures >= MOST_AT_TARGET) {
      return `the target stopped responding: ${MOST_AT_TARGET} requests in a row got no response`;
    }
    const endpoint = this.#endpointOf(request);
    if ((this.#timeouts.get(endpoint) ?? 0) < MOST_AT_ENDPOINT) return undefined;
    const seconds = this.#patienceMs / 1_000;
    const what = `${MOST_AT_ENDPOINT} requests in a row got no response within ${seconds} s`;
    return `${endpoint} stopped responding: ${what}`;
  }

  noteResponse(request: RecordedRequest): void {
    this.#hasAnswered = true;
    this.#failures = 0;
    this.#timeouts.delete(this.#endpointOf(request));
  }

  /** Only what took all the time counts against an endpoint: a reset costs nothing. */
  noteFailure(request: RecordedRequest, error: unknown): void {
    this.#failures += 1;
    if (!(error instanceof Error) || error.name !== "TimeoutError") return;
    const endpoint = this.#endpointOf(request);
    this.#timeouts.set(endpoint, (this.#timeouts.get(endpoint) ?? 0) + 1);
  }

  /** Whether there were requests and no answer. */
  get hasNeverResponded(): boolean {
    return !this.#hasAnswered && this.#failures > 0;
  }

  /** Where its path begins, such as `/cards`. */
  #endpointOf({ url }: RecordedRequest): string {
    return `/${url.slice(this.#baseUrl.length + 1).split(/[/?#]/)[0]}`;
  }
}
