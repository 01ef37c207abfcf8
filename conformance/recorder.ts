import { reasonOf, TxfeedError } from "../src/errors.ts";
import type { Exchange, RecordedRequest, RecordedResponse } from "./exchange.ts";

const DEADLINE_MS = 10_000;

/** A target that lets so many requests in a row run into the deadline is given up. */
const MOST_TIMEOUTS = 3;

/** Sends requests as they stand, and records each with the answer as it came. */
export class Recorder {
  readonly exchanges: Exchange[] = [];
  #timeouts = 0;

  /**
   * Sends a request once. A redirect is an answer like any other: it is not followed.
   *
   * @returns Resolves to the exchange, also where no answer came. Rejects with a TxfeedError
   * `unreachable` where nothing has answered yet and the connection fails, or where the target has
   * stopped answering, and with `usage` where no request can be sent to its port.
   */
  async send(request: RecordedRequest): Promise<Exchange> {
    const start = performance.now();
    const answer = await this.#fetch(request);
    const exchange = { request, ...answer, durationMs: Math.round(performance.now() - start) };
    this.exchanges.push(exchange);
    return exchange;
  }

  async #fetch(
    request: RecordedRequest,
  ): Promise<{ response: RecordedResponse } | { failure: string }> {
    const { url, ...init } = request;
    try {
      const signal = AbortSignal.timeout(DEADLINE_MS);
      const response = await fetch(url, { ...init, redirect: "manual", signal });
      const body = await response.text();
      const { status, headers } = response;
      const json = parseJson(body);
      this.#timeouts = 0;
      return {
        response: {
          status,
          headers: Object.fromEntries(headers),
          body,
          ...(json !== undefined && { json }),
        },
      };
    } catch (error) {
      return { failure: this.#judgeFailure(error, new URL(url).origin) };
    }
  }

  /** The reason why no answer came. Throws where it ends the run. */
  #judgeFailure(error: unknown, origin: string): string {
    const failure = reasonOf(error);
    if (failure === "bad port") {
      throw new TxfeedError("usage", `fetch refuses the port of ${origin}: other protocols own it`);
    }
    if (!this.exchanges.some(({ response }) => response)) {
      throw new TxfeedError("unreachable", `nothing answers at ${origin}: ${failure}`);
    }
    this.#timeouts = isTimeout(error) ? this.#timeouts + 1 : 0;
    if (this.#timeouts >= MOST_TIMEOUTS) {
      const what = `${MOST_TIMEOUTS} requests in a row took more than ${DEADLINE_MS / 1000} s`;
      throw new TxfeedError("unreachable", `${origin} stopped answering: ${what}`);
    }
    return failure;
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
