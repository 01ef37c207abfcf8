import type { CallFacts } from "./errors.ts";
import type { CallOptions } from "./options.ts";
import type { Wiring } from "./wiring.ts";

/** One call on its way: what is sent, and how far it has come. */
export interface Call extends CallFacts {
  /** Method and path template, such as `GET /cards/{id}`. */
  readonly operation: string;
  /** The absolute address, below the base address. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly options: CallOptions;
  attempts: number;
  /** The status of the last answer; undefined until one comes. */
  status: number | undefined;
  /** When the last attempt was sent, by the local clock. */
  sentAt: number;
}

/** Begins a call. */
export function callOf(
  { base, secrets }: Wiring,
  operation: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  options: CallOptions,
  body?: string,
): Call {
  const method = operation.slice(0, operation.indexOf(" "));
  return {
    operation,
    method,
    url,
    headers,
    options,
    body,
    attempts: 0,
    status: undefined,
    sentAt: 0,
    // The account stands in the path of the token exchange, whose template does.
    get path() {
      return method === "POST" ? operation.slice(5) : secrets.scrub(base.pathOf(url));
    },
  };
}
