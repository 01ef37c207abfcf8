import type { ServerClock } from "./clock.ts";
import type { ResponseHeaders } from "./transport.ts";

/** The longest wait before the second attempt; it doubles with each further one. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8000;

/** Whether a request that was answered so may be answered otherwise the next time. */
export function isRetryable(status: number): boolean {
  return [408, 429, 500, 502, 503, 504].includes(status);
}

/** How long to wait before the next attempt, with full jitter: anything up to a doubling bound. */
export function backoffMs(attempt: number, random: () => number): number {
  return random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
}

/** How much later than told a request goes, so that not all that were told so go at once. */
export function jitterMs(random: () => number): number {
  return random() * FIRST_WAIT_MS;
}

/**
 * How long `Retry-After` asks to wait, in milliseconds, given as seconds or as a date of the
 * server's clock; undefined where it does not ask.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryAfterMs(headers: ResponseHeaders, server: ServerClock): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  // Engines read a date into nearly anything, `1.5` among it.
  const date = /^\w+, .+ GMT$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - server.now());
}
