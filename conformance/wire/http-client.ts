import { memberOf } from "../../src/contract/pointer.ts";
import { reasonOf, TxfeedError, UnreachableError } from "../../src/errors.ts";
import { Aborted } from "../skip.ts";
import { RequestBudget } from "./budget.ts";
import { deadline } from "./deadline.ts";
import {
  type Exchange,
  parseJson,
  type RecordedRequest,
  type RecordedResponse,
  storedBody,
  type Variable,
} from "./exchange.ts";
import type { Body, Fetch } from "./gateway.ts";
import type { SecretStore } from "./secret-store.ts";
import { FORM } from "./tokens.ts";

/** Options of an HTTP client. */
export interface HttpClientOptions {
  /** The target's address, without a trailing slash. */
  readonly baseUrl: string;
  readonly secretStore: SecretStore;
  /** The values of the headers that a gateway requires. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: that of Node.js. */
  readonly fetch?: Fetch | undefined;
  /** Timeout for a response. */
  readonly patienceMs: number;
  /** Aborted when the run is aborted. */
  readonly signal: AbortSignal;
  /** Aborts the run. */
  readonly breakOff: (reason: Error) => void;
}

/** The outcome of a request. */
export type Outcome = Pick<Exchange, "response" | "failure" | "throttled">;

/** Sends requests within the limits of a run. Secrets are filled in and redacted here. */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #breaker: CircuitBreaker;
  readonly #budget = new RequestBudget();
  #lastFailure = "";

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#breaker = new CircuitBreaker(options.patienceMs);
  }

  /**
   * Sends a request with secrets filled in, once.
   *
   * @param keepAs The variable that stores the token of the response.
   * @returns Resolves to the response without secrets, or to the reason why there was none. Rejects
   * with `Aborted` if the endpoint or the target stopped responding.
   */
  async send(request: RecordedRequest, keepAs?: Variable): Promise<Outcome> {
    const {
      secretStore,
      signal,
      patienceMs,
      headers,
      fetch: send = fetch as Fetch,
    } = this.#options;
    this.#checkEnd();
    const endpoint = this.#endpointOf(request);
    const refusal = this.#breaker.refusalOf(endpoint);
    if (refusal !== undefined) throw new Aborted(refusal);
    const filled = fillIn(request, secretStore, headers);
    this.#budget.noteRequest(request);
    try {
      const reply = await fetchBuffered(send, filled, { deadlineMs: patienceMs, signal });
      this.#breaker.noteResponse(endpoint);
      this.#budget.noteReceived(reply.body);
      const response = this.#withoutSecrets(reply, keepAs);
      this.#noteKept(response);
      return { response };
    } catch (error) {
      this.#checkEnd();
      // OpenSSL's reasons end with a line feed.
      const reason = reasonOf(error).replace(/\p{Cc}/gu, " ");
      this.#lastFailure = secretStore.redact(reason.trim());
      this.#breaker.noteFailure(endpoint, error);
      return { failure: this.#lastFailure };
    }
  }

  /** The first segment of the path, such as `/cards`. */
  #endpointOf({ url }: RecordedRequest): string {
    return `/${url.slice(this.#options.baseUrl.length + 1).split(/[/?#]/)[0]}`;
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

  /** Throws a TxfeedError `unreachable` if there were requests and never a response. */
  refuseUnreachable(): void {
    if (!this.#breaker.hasNeverResponded) return;
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
    for (const [name, value] of Object.entries(headers)) this.#budget.noteText(name + value);
    this.#budget.noteText(body, json !== undefined);
    const { excess } = this.#budget;
    if (excess !== undefined) this.#options.breakOff(new Error(excess));
  }
}

/** Fills in a request's variables, only where the suite put them. */
function fillIn(
  request: RecordedRequest,
  secretStore: SecretStore,
  ofGateway: RecordedRequest["headers"] = {},
): RecordedRequest {
  const { headers, url, body } = request;
  const { authorization } = headers;
  const isForToken = headers["content-type"] === FORM;
  const inPlace = (text: string) =>
    isForToken ? secretStore.fillIn(text, encodeURIComponent) : text;
  return {
    ...request,
    url: inPlace(url),
    headers: {
      ...headers,
      ...(authorization !== undefined && { authorization: secretStore.fillIn(authorization) }),
      ...ofGateway,
    },
    ...(body !== undefined && { body: inPlace(body) }),
  };
}

/** Maximum size of a response. Pages of the interface are much smaller: at most 100 items. */
const MAX_BYTES = 4_000_000;

/** A response whose body has been read completely. */
type BufferedResponse = Pick<RecordedResponse, "status" | "headers" | "body">;

/**
 * Sends a request and reads the whole response, within a timeout and a limit for its decompressed
 * size.
 *
 * @returns Rejects as `fetch` does, with a TimeoutError after `deadlineMs`, and with a RangeError
 * if the response is too large.
 */
async function fetchBuffered(
  fetch: Fetch,
  { url, ...init }: RecordedRequest,
  { deadlineMs, signal }: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<BufferedResponse> {
  const text = "The operation was aborted due to timeout";
  const late = () => new DOMException(text, "TimeoutError");
  const { signal: over, clear } = deadline(deadlineMs, late, signal);
  const send = () => fetch(url, { ...init, redirect: "manual", signal: over });
  try {
    const response = await send().catch((error) => {
      if (init.method !== "GET" || !isClosed(error)) throw error;
      return send();
    });
    const { status, headers } = response;
    return { status, headers: Object.fromEntries(headers), body: await readWhole(response.body) };
  } finally {
    clear();
  }
}

/**
 * Whether the connection was closed without a response. A server may close a keep-alive connection
 * while it is being reused; a GET can safely be retried.
 *
 * @see RFC 9110, 9.2.2
 */
function isClosed(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? {}) as { code?: string };
  return code === "UND_ERR_SOCKET" || code === "ECONNRESET";
}

async function readWhole(body: Body): Promise<string> {
  if (!body) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new RangeError(`the response has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Number of consecutive timeouts after which an endpoint gets no more requests. */
const MAX_ENDPOINT_TIMEOUTS = 3;

/**
 * Number of consecutive requests without a response, for any reason, after which the target gets no
 * more requests. A few endpoints that hang don't reach it while others could respond.
 */
const MAX_TARGET_FAILURES = 16;

/** Stops sending requests to an endpoint or target that no longer responds. */
class CircuitBreaker {
  readonly #patienceMs: number;
  /** Timeouts in a row, by endpoint. */
  readonly #timeouts = new Map<string, number>();
  #failures = 0;
  #hasResponded = false;

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  /** Why a request is not sent; undefined if it may be sent. */
  refusalOf(endpoint: string): string | undefined {
    if (this.#failures >= MAX_TARGET_FAILURES) {
      const what = `${MAX_TARGET_FAILURES} requests in a row got no response`;
      return `the target stopped responding: ${what}`;
    }
    if ((this.#timeouts.get(endpoint) ?? 0) < MAX_ENDPOINT_TIMEOUTS) return undefined;
    const seconds = this.#patienceMs / 1_000;
    const what = `${MAX_ENDPOINT_TIMEOUTS} requests in a row got no response within ${seconds} s`;
    return `${endpoint} stopped responding: ${what}`;
  }

  noteResponse(endpoint: string): void {
    this.#hasResponded = true;
    this.#failures = 0;
    this.#timeouts.delete(endpoint);
  }

  /** Counts a failure. Only timeouts count against an endpoint: a connection reset is quick. */
  noteFailure(endpoint: string, error: unknown): void {
    this.#failures += 1;
    if (!(error instanceof Error) || error.name !== "TimeoutError") return;
    this.#timeouts.set(endpoint, (this.#timeouts.get(endpoint) ?? 0) + 1);
  }

  /** Whether requests were sent and none got a response. */
  get hasNeverResponded(): boolean {
    return !this.#hasResponded && this.#failures > 0;
  }
}
