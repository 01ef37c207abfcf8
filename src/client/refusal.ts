import type { ServerClock } from "./clock.ts";
import type { Refusal } from "./errors.ts";
import { retryAfterMs } from "./retry.ts";
import type { TransportAnswer } from "./transport.ts";

/** An answer that is no success, as an error shows it. */
export function refusalOf(
  { status, headers, text }: TransportAnswer,
  server: ServerClock,
): Refusal {
  return { status, headers, body: readBody(text), retryAfterMs: retryAfterMs(headers, server) };
}

/** A body of unspecified form: JSON where it is JSON, a text otherwise, undefined where empty. */
export function readBody(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
