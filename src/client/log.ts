import { type CallHeaders, entriesOf } from "./headers.ts";
import type { Secrets } from "./secrets.ts";

/** An entry of the client's log. It contains no body, secret or token. */
export interface LogEntry {
  readonly level: "debug" | "info" | "warn";
  /**
   * - `answer`: an attempt got a response (debug);
   * - `failure`: an attempt got no response (warn);
   * - `retry`: the request is sent again after `delayMs` (warn);
   * - `token`: a new access token is valid for `lifetimeSeconds` (info);
   * - `soft-failure`: an operation failed that the client can do without for now (warn);
   * - `findings`: a response breaks the contract; `requirements` lists where (warn).
   */
  readonly event: "answer" | "failure" | "retry" | "token" | "soft-failure" | "findings";
  /** Method and path template, such as `GET /cards/{id}`. */
  readonly operation?: string;
  /** The path below the base address. */
  readonly path?: string;
  /** The query parameters; values that may not be shown are `***`. */
  readonly query?: Readonly<Record<string, string>>;
  readonly attempt?: number;
  readonly status?: number;
  readonly durationMs?: number;
  readonly delayMs?: number;
  readonly lifetimeSeconds?: number;
  /** The request's headers that may be shown. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** The response's headers that may be shown. Empty for the token exchange. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** The cause of a failure, in one line. */
  readonly reason?: string;
  /** The requirements that the response breaks, each with the JSON pointer in the body. */
  readonly requirements?: readonly string[];
}

/** The log, and the headers and query parameters that it may show. */
export interface LogOptions {
  readonly log?: ((entry: LogEntry) => void) | undefined;
  readonly logHeaders?: readonly string[] | undefined;
  readonly logQuery?: readonly string[] | undefined;
}

const SAFE_HEADERS = [
  ...["accept", "content-type", "content-length", "date", "retry-after"],
  ...["traceparent", "x-request-id"],
];
const SAFE_QUERY = ["limit", "offset"];

/** Names that are never shown, even if an option lists them. */
const SECRET = /authorization|cookie|token|secret/i;

/** Selects the headers and query parameters that log entries may show. */
export class Redaction {
  readonly #headers: ReadonlySet<string>;
  readonly #query: ReadonlySet<string>;

  constructor({ logHeaders = [], logQuery = [] }: LogOptions) {
    const named = [...SAFE_HEADERS, ...logHeaders].map((name) => name.toLowerCase());
    this.#headers = new Set(named.filter((name) => !SECRET.test(name)));
    this.#query = new Set([...SAFE_QUERY, ...logQuery].filter((name) => !SECRET.test(name)));
  }

  headers(headers: CallHeaders): Record<string, string> {
    return Object.fromEntries(entriesOf(headers).filter(([name]) => this.#headers.has(name)));
  }

  query(url: string, secrets: Secrets): Record<string, string> {
    return Object.fromEntries(
      [...new URL(url).searchParams].map(([name, value]) => [
        secrets.scrub(name),
        this.#query.has(name) ? value : "***",
      ]),
    );
  }
}
