import type { Finding } from "../contract/finding.ts";
import { TxfeedError } from "../errors.ts";
import type { ServerClock } from "./clock.ts";
import { retryAfterMs } from "./retry.ts";
import type { ResponseHeaders, TransportResponse } from "./transport.ts";

/** The call that an error is about. */
export interface CallFacts {
  /** The HTTP method. */
  readonly method: string;
  /**
   * The path below the base address, without the query. It is a template for the token exchange,
   * `(link)` for a refused link, and `(address)` for a refused address of a fetch.
   */
  readonly path: string;
  /** The number of attempts; 0 if nothing was sent. */
  readonly attempts: number;
}

/** The options of every error of a call. */
interface FeedErrorOptions {
  readonly call: CallFacts;
  /** The status of the response; undefined if no response counts. */
  readonly status?: number | undefined;
}

/**
 * The base class of every error that a call rejects with. Match on `code`. No message, stack or
 * printed property contains a secret, a token or a body.
 */
export abstract class FeedError extends TxfeedError implements CallFacts {
  declare readonly method: string;
  declare readonly path: string;
  declare readonly attempts: number;
  /** The status of the response; undefined if no response counts. */
  declare readonly status: number | undefined;

  /** @param message What is wrong. The method, the path and the number of attempts are added. */
  constructor(message: string, { call, status }: FeedErrorOptions) {
    const { method, path, attempts } = call;
    const again = attempts > 1 ? `, after ${attempts} attempts` : "";
    super(`${method} ${path}: ${message}${again}`);
    // Minified classes have no names of their own.
    this.name = `FeedError [${this.code}]`;
    Object.assign(this, { method, path, attempts, status });
  }
}

/** The options of an error for a response without success. */
interface FeedHttpErrorOptions extends FeedErrorOptions {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: unknown;
  readonly retryAfterMs: number | undefined;
}

/** The response has a status other than success, such as a redirect (ERR-02). */
export class FeedHttpError extends FeedError {
  static override readonly code: "http" | "authentication" = "http";
  declare readonly code: "http" | "authentication";
  declare readonly status: number;
  /** The delay that `Retry-After` asks for, in milliseconds; undefined if there is none. */
  declare readonly retryAfterMs: number | undefined;
  // The server chooses these: printing the error must not print them.
  readonly #headers: ResponseHeaders;
  readonly #body: unknown;

  constructor(message: string, options: FeedHttpErrorOptions) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
    this.#headers = options.headers;
    this.#body = options.body;
  }

  /** The response's headers. */
  get headers(): ResponseHeaders {
    return this.#headers;
  }

  /** The body, which the interface does not specify (ERR-02): JSON, text, or undefined if empty. */
  get body(): unknown {
    return this.#body;
  }
}

/** The request that got a 401. */
export type AuthenticationStage = "token-exchange" | "api";

/**
 * The response is a 401. The token exchange rejected the account id, the client id or the client
 * secret (AUTH-04 to AUTH-06), or the API rejected a fresh token (ERR-01).
 */
export class FeedAuthenticationError extends FeedHttpError {
  static override readonly code = "authentication";
  declare readonly code: "authentication";
  declare readonly stage: AuthenticationStage;

  constructor(
    message: string,
    options: FeedHttpErrorOptions & { readonly stage: AuthenticationStage },
  ) {
    super(message, options);
    this.stage = options.stage;
  }
}

/** Creates the error for a response without success. */
export function httpErrorOf(
  stage: AuthenticationStage,
  response: TransportResponse,
  server: ServerClock,
  call: CallFacts,
): FeedHttpError {
  const { status, headers, text } = response;
  const options = {
    call,
    status,
    headers,
    body: readBody(text),
    retryAfterMs: retryAfterMs(headers, server),
    stage,
  };
  if (status === 401) {
    const wrong = stage === "api" ? "access token" : "account id, client id or client secret";
    return new FeedAuthenticationError(`status ${status}, the ${wrong} is wrong`, options);
  }
  const redirect = status >= 300 && status < 400 ? ", a redirect, not followed" : "";
  return new FeedHttpError(`status ${status}${redirect}`, options);
}

/** Reads a body of unspecified form: JSON if it parses, otherwise text, undefined if empty. */
export function readBody(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? text || undefined : value;
}

/** Parses JSON; returns undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** No response came, or it ended early. */
export class FeedNetworkError extends FeedError {
  static override readonly code = "network";
  declare readonly code: "network";
  /** The system's code, such as `ECONNREFUSED`; undefined if it gives none. */
  declare readonly systemCode: string | undefined;

  constructor(
    message: string,
    options: FeedErrorOptions & { readonly systemCode?: string | undefined },
  ) {
    super(message, options);
    this.systemCode = options.systemCode;
  }
}

/**
 * The last attempt, or the whole call with its retries, took too long, or the `Retry-After` of a
 * 429 exceeds the remaining time.
 */
export class FeedTimeoutError extends FeedError {
  static override readonly code = "timeout";
  declare readonly code: "timeout";
  /** Whose time ran out. */
  declare readonly of: "attempt" | "call";

  constructor(message: string, options: FeedErrorOptions & { readonly of: "attempt" | "call" }) {
    super(message, options);
    this.of = options.of;
  }
}

/** The caller's signal ended the call, or the caller stopped iterating a list. */
export class FeedAbortedError extends FeedError {
  static override readonly code = "aborted";
  declare readonly code: "aborted";
}

/** A response breaks the contract. */
export class FeedContractError extends FeedError {
  static override readonly code = "contract";
  declare readonly code: "contract";
  // Findings quote the body: printing the error must not print them.
  readonly #issues: readonly Finding[];

  constructor(
    message: string,
    options: FeedErrorOptions & { readonly issues?: readonly Finding[] },
  ) {
    super(message, options);
    this.#issues = options.issues ?? [];
  }

  /** The findings; empty if the response can't be read at all. */
  get issues(): readonly Finding[] {
    return this.#issues;
  }
}

/** A link leads to an address that must not get the token; nothing was sent. */
export class FeedLinkError extends FeedError {
  static override readonly code = "refused-link";
  declare readonly code: "refused-link";
}
