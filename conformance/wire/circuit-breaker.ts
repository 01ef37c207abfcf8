import type { RecordedRequest } from "./exchange.ts";

/** Number of consecutive timeouts after which an endpoint gets no more requests. */
const MAX_ENDPOINT_TIMEOUTS = 3;

/**
 * Number of consecutive requests without a response, for any reason, after which the target gets no
 * more requests. A few endpoints that hang don't reach it while others could respond.
 */
const MAX_TARGET_FAILURES = 16;

/** Stops sending requests to an endpoint or target that no longer responds. */
export class CircuitBreaker {
  readonly #baseUrl: string;
  readonly #patienceMs: number;
  /** Timeouts in a row, by endpoint. */
  readonly #timeouts = new Map<string, number>();
  #failures = 0;
  #hasResponded = false;

  /** @param baseUrl Without a trailing slash. */
  constructor(baseUrl: string, patienceMs: number) {
    this.#baseUrl = baseUrl;
    this.#patienceMs = patienceMs;
  }

  /** Why a request is not sent; undefined if it may be sent. */
  refusalOf(request: RecordedRequest): string | undefined {
    if (this.#failures >= MAX_TARGET_FAILURES) {
      const what = `${MAX_TARGET_FAILURES} requests in a row got no response`;
      return `the target stopped responding: ${what}`;
    }
    const endpoint = this.#endpointOf(request);
    if ((this.#timeouts.get(endpoint) ?? 0) < MAX_ENDPOINT_TIMEOUTS) return undefined;
    const seconds = this.#patienceMs / 1_000;
    const what = `${MAX_ENDPOINT_TIMEOUTS} requests in a row got no response within ${seconds} s`;
    return `${endpoint} stopped responding: ${what}`;
  }

  noteResponse(request: RecordedRequest): void {
    this.#hasResponded = true;
    this.#failures = 0;
    this.#timeouts.delete(this.#endpointOf(request));
  }

  /** Counts a failure. Only timeouts count against an endpoint: a connection reset is quick. */
  noteFailure(request: RecordedRequest, error: unknown): void {
    this.#failures += 1;
    if (!(error instanceof Error) || error.name !== "TimeoutError") return;
    const endpoint = this.#endpointOf(request);
    this.#timeouts.set(endpoint, (this.#timeouts.get(endpoint) ?? 0) + 1);
  }

  /** Whether requests were sent and none got a response. */
  get hasNeverResponded(): boolean {
    return !this.#hasResponded && this.#failures > 0;
  }

  /** The first segment of the path, such as `/cards`. */
  #endpointOf({ url }: RecordedRequest): string {
    return `/${url.slice(this.#baseUrl.length + 1).split(/[/?#]/)[0]}`;
  }
}
