import type { ServerClock } from "./clock.ts";
import type { ResponseHeaders } from "./transport.ts";

/** The maximum delay before the first retry; it doubles with each further retry. */
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 8000;

/** Whether a retry could get a different response than this status. */
export function isRetryable(status: number): boolean {
  return [408, 429, 500, 502, 503, 504].includes(status);
}

/** The delay before the next attempt: exponential backoff with full jitter. */
export function backoffMs(attempt: number, random: () => number): number {
  return random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
}

/** A random addition to `Retry-After`, so that delayed requests are not all sent at once. */
export function jitterMs(random: () => number): number {
  return random() * FIRST_DELAY_MS;
}

/**
 * Reads `Retry-After`: a number of seconds, or a date by the server's clock.
 *
 * @returns the delay in milliseconds; undefined if the header is missing or invalid.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryAfterMs(
  headers: Pick<ResponseHeaders, "get">,
  server: Pick<ServerClock, "now">,
): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  // Date.parse accepts almost anything, such as `1.5`.
  const date = /^\w+, .+ GMT$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - server.now());
}
