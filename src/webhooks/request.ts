/**
 * The head of a delivery's request. A fetch `Request` is one. Adapters of other servers pass a
 * plain object, because creating a `Request` takes longer than validating the delivery.
 */
export interface DeliveryRequest {
  readonly method: string;
  /** The URL, or only its path if the server does not know the rest. */
  readonly url: string;
  readonly headers: { get(name: string): string | null };
}

/** The response to a delivery. */
export interface DeliveryResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty if the response has no body. */
  readonly body: string;
}

/** Receives a delivery from a server that does not use fetch's `Request` and `Response`. */
export type Receive = (incoming: {
  readonly request: DeliveryRequest;
  /**
   * Reads the body's bytes, unchanged.
   *
   * @param limitBytes Reading stops when the body is longer.
   * @returns the bytes, or `too-large`.
   * @throws {TxfeedError} `body-consumed` if the body was read before, `body-incomplete` if it
   * broke off or took too long.
   */
  readonly readBody: (limitBytes: number) => Promise<Uint8Array | "too-large">;
  /**
   * Whether the sender closed its connection before the response. Absent if the server can't see
   * it, as on AWS Lambda.
   */
  readonly isGone?: () => boolean;
}) => Promise<DeliveryResponse>;

/** A receiver: a fetch handler, and `receive` for the adapters of other servers. */
export interface Receiver {
  (request: Request): Promise<Response>;
  readonly receive: Receive;
}

/**
 * Reads the event's name from the header `webhook-event-type`. Returns an empty string if the
 * header is missing or was sent several times: HTTP joins repeated headers with commas, and the
 * joined text would pass for an unknown event.
 */
export function eventNameIn({ headers }: Pick<DeliveryRequest, "headers">): string {
  const name = headers.get("webhook-event-type")?.trim() ?? "";
  return name.includes(",") ? "" : name;
}

const MAX_QUOTED_LENGTH = 80;

/** Quotes a text from a request for a message: on one line, shortened if it is long. */
export function quoted(text: string): string {
  const isLong = text.length > MAX_QUOTED_LENGTH;
  return JSON.stringify(isLong ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text);
}
