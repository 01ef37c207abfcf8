/** An answer's headers, by their names in any case. `Headers` is one of these. */
export interface ResponseHeaders {
  /** The value, several of one name joined by a comma; null where there is none. */
  get(name: string): string | null;
  has(name: string): boolean;
  [Symbol.iterator](): Iterator<[string, string]>;
}

/** A request as a transport sends it: once, as it stands. */
export interface TransportRequest {
  readonly method: string;
  /** The absolute address. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** How many bytes the answer's body may have, decoded. */
  readonly maxBytes: number;
  /** Aborted when the attempt ends early. It is made when it is first read. */
  readonly signal: AbortSignal;
  /** Runs something when the attempt ends early: a cheaper way than `signal` to hear of it. */
  onCancel(run: () => void): void;
}

/** An answer, read to its end. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The body; empty where there is none. */
  readonly text: string;
  /** What `fetch` resolved to, its body read; left out by a transport without `fetch`. */
  readonly response?: Response;
}

/**
 * Sends a request and reads its answer to the end. It follows no redirect, tries nothing again, and
 * rejects where no answer comes or where it breaks off; where it is longer than `maxBytes`, with an
 * {@link ResponseTooLong}.
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** What a transport rejects with where an answer is longer than the client takes. */
export class ResponseTooLong extends Error {}

/** Whether an answer has a body of its `content-length` (RFC 9110, 8.6). */
export function hasBody(method: string, status: number): boolean {
  return method !== "HEAD" && status !== 304;
}
