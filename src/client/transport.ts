/** The headers of a response; names are case-insensitive. `Headers` implements this. */
export interface ResponseHeaders {
  /** Returns the value, or null if there is none. Several values are joined by commas. */
  get(name: string): string | null;
  has(name: string): boolean;
  [Symbol.iterator](): Iterator<[string, string]>;
}

/** A request for a transport, which sends it once and unchanged. */
export interface TransportRequest {
  readonly method: string;
  /** The absolute address. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The maximum size of the response's body, in bytes after decoding. */
  readonly maxBytes: number;
  /** Aborted when the attempt ends early. It is created on first use. */
  readonly signal: AbortSignal;
  /** Registers a function to run when the attempt ends early; cheaper than `signal`. */
  onCancel(run: () => void): void;
}

/** A response with its complete body. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The body; empty if there is none. */
  readonly text: string;
  /** The `Response` from `fetch`, already read; omitted by transports without `fetch`. */
  readonly response?: Response;
}

/**
 * Sends a request and reads the complete response. It does not follow redirects or retry. It
 * rejects if no response arrives or the response is incomplete, and with {@link ResponseTooLong} if
 * the body exceeds `maxBytes`.
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** A transport rejects with this error if the response's body exceeds `maxBytes`. */
export class ResponseTooLong extends Error {}

/** Whether `content-length` is the length of the response's body (RFC 9110, 8.6). */
export function hasBody(method: string, status: number): boolean {
  return method !== "HEAD" && status !== 304;
}
