import { type CallHeaders, entriesOf } from "./headers.ts";

/** What a client tells its log. No entry holds a body, a secret or a token. */
export interface LogEntry {
  readonly level: "debug" | "info" | "warn";
  /**
   * - `answer`: an attempt was answered (debug);
   * - `failure`: an attempt ended without an answer (warn);
   * - `retry`: the request is sent again, after `delayMs` (warn);
   * - `token`: an access token was exchanged, good for `lifetimeSeconds` (info);
   * - `soft-failure`: something failed that the client does without for now (warn);
   * - `findings`: an answer breaks the contract, under `requirements` (warn).
   */
  readonly event: "answer" | "failure" | "retry" | "token" | "soft-failure" | "findings";
  /** Method and path template, such as `GET /cards/{id}`. */
  readonly operation?: string;
  /** The path below the base address. */
  readonly path?: string;
  /** The query parameters that may be shown; of the others the names, with `***`. */
  readonly query?: Readonly<Record<string, string>>;
  readonly attempt?: number;
  readonly status?: number;
  readonly durationMs?: number;
  readonly delayMs?: number;
  readonly lifetimeSeconds?: number;
  /** The request's headers that may be shown. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** The answer's headers that may be shown. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** What went wrong, in one line. */
  readonly reason?: string;
  /** The requirements that the answer breaks, each with the place in the body. */
  readonly requirements?: readonly string[];
}

/** The slots of a log. */
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

/** These stay hidden, whoever asks for them. */
const SECRET = /authorization|cookie|token|secret/i;

/** Shows of a request and its answer what may be shown. */
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

  query(url: string): Record<string, string> {
    const { searchParams } = new URL(url);
    return Object.fromEntries(
      [...searchParams].map(([name, value]) => [name, this.#query.has(name) ? value : "***"]),
    );
  }
}
