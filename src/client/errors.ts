import type { Finding } from "../contract/finding.ts";
import { type ErrorCode, TxfeedError } from "../errors.ts";
import type { ServerClock } from "./clock.ts";
import { retryAfterMs } from "./retry.ts";
import type { AnswerHeaders, TransportAnswer } from "./transport.ts";

/** What every error of a call tells of it. */
export interface CallFacts {
  /** The HTTP method. */
  readonly method: string;
  /**
   * The path below the base address, without a query. For the token exchange it is the template,
   * for a refused link `(link)`, for a refused address of a fetch `(address)`.
   */
  readonly path: string;
  /** How often it was tried, the first time included; 0 where nothing was. */
  readonly attempts: number;
}

/**
 * What a call rejects with, whatever the cause: match on `code`. No message, stack or property that
 * printing shows holds a secret, a token or a body.
 */
export abstract class FeedError extends TxfeedError implements CallFacts {
  declare readonly method: string;
  declare readonly path: string;
  declare readonly attempts: number;
  /** The status of the answer; undefined where none came, or none that counts. */
  declare readonly status: number | undefined;

  /** @param more What an error of this kind has besides. */
  constructor(code: ErrorCode, reason: string, facts: CallFacts, more?: object) {
    const { method, path, attempts } = facts;
    const again = attempts > 1 ? `, after ${attempts} attempts` : "";
    super(code, `${method} ${path}: ${reason}${again}`);
    // A class has no name of its own once it is minified.
    this.name = `FeedError [${code}]`;
    Object.assign(this, { method, path, attempts, status: undefined, ...more });
  }
}

/** Code `http`: the answer has a status that is no success, a redirect among them (ERR-02). */
export class FeedHttpError extends FeedError {
  declare readonly status: number;
  /** How long `Retry-After` asks to wait, in milliseconds; undefined where it does not. */
  declare readonly retryAfterMs: number | undefined;
  // A server may say anything in these: printing the error must not print them.
  readonly #headers: AnswerHeaders;
  readonly #body: unknown;

  constructor(
    { status, headers, text }: TransportAnswer,
    retryAfterMs: number | undefined,
    facts: CallFacts,
    code: ErrorCode = "http",
    remark = status >= 300 && status < 400 ? ", a redirect, not followed" : "",
    more?: object,
  ) {
    super(code, `status ${status}${remark}`, facts, { status, retryAfterMs, ...more });
    this.#headers = headers;
    this.#body = readBody(text);
  }

  /** The answer's headers. */
  get headers(): AnswerHeaders {
    return this.#headers;
  }

  /** The body, which the interface does not specify (ERR-02): JSON, a text, or undefined. */
  get body(): unknown {
    return this.#body;
  }
}

/** Which of the two requests was answered 401. */
export type AuthenticationStage = "token-exchange" | "api";

/**
 * Code `authentication`: 401. Of the token exchange, the account id, the client id or the client
 * secret is wrong (AUTH-04 to AUTH-06); of the API, it refuses a token that is fresh (ERR-01).
 */
export class FeedAuthenticationError extends FeedHttpError {
  declare readonly stage: AuthenticationStage;

  constructor(
    stage: AuthenticationStage,
    answer: TransportAnswer,
    retryAfterMs: number | undefined,
    facts: CallFacts,
  ) {
    const wrong = stage === "api" ? "access token" : "account id, client id or client secret";
    super(answer, retryAfterMs, facts, "authentication", `, the ${wrong} is wrong`, { stage });
  }
}

/** The error for an answer that is no success. */
export function refusalError(
  stage: AuthenticationStage,
  answer: TransportAnswer,
  server: ServerClock,
  facts: CallFacts,
): FeedHttpError {
  const waitMs = retryAfterMs(answer.headers, server);
  if (answer.status !== 401) return new FeedHttpError(answer, waitMs, facts);
  return new FeedAuthenticationError(stage, answer, waitMs, facts);
}

/** A body of unspecified form: JSON where it is JSON, a text otherwise, undefined where empty. */
export function readBody(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? text || undefined : value;
}

/** The value of a JSON text; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Code `network`: no answer came, or it broke off before its end. */
export class FeedNetworkError extends FeedError {
  /** What the system calls it, such as `ECONNREFUSED`; undefined where it does not say. */
  declare readonly systemCode: string | undefined;

  constructor(reason: string, facts: CallFacts, systemCode?: string) {
    super("network", reason, facts, { systemCode });
  }
}

/**
 * Code `timeout`: the last attempt, or the whole call with all of them, took too long, or a 429
 * that another call got holds it back for longer than it has.
 */
export class FeedTimeoutError extends FeedError {
  /** Whose time ran out. */
  declare readonly of: "attempt" | "call";

  constructor(of: "attempt" | "call", reason: string, facts: CallFacts) {
    super("timeout", reason, facts, { of });
  }
}

/** Code `aborted`: the caller's own signal ended the call, or the walk of a list was broken off. */
export class FeedAbortedError extends FeedError {
  constructor(facts: CallFacts) {
    super("aborted", "aborted by the caller", facts);
  }
}

/** Code `contract`: an answer came, and is not what the contract says. */
export class FeedContractError extends FeedError {
  // They quote the body.
  readonly #issues: readonly Finding[];

  constructor(reason: string, issues: readonly Finding[], facts: CallFacts, status?: number) {
    super("contract", reason, facts, { status });
    this.#issues = issues;
  }

  /** What is wrong with it, by requirement; empty where it can't even be read. */
  get issues(): readonly Finding[] {
    return this.#issues;
  }
}

/** Code `refused-link`: a link leads where no token may go; nothing was sent. */
export class FeedLinkError extends FeedError {
  constructor(reason: string, facts: CallFacts) {
    super("refused-link", `refused, ${reason}`, facts);
  }
}
