/**
 * What a receiver sees of an HTTP request, and what it says to it. A fetch `Request` is a
 * `DeliveryRequest` as it is; adapters of other servers hand in the little that is needed, as
 * making a whole `Request` costs more than validating the delivery.
 */

/** The head of a delivery's request. */
export interface DeliveryRequest {
  readonly method: string;
  /** Its address; a path alone where the server knows no more. */
  readonly url: string;
  readonly headers: { get(name: string): string | null };
}

/** A delivery's request with its body still to be read. */
export interface Incoming {
  readonly request: DeliveryRequest;
  /**
   * Reads the body as it came.
   *
   * @param limitBytes Reading stops when more than this has come.
   * @returns the bytes, or `too-large`. Rejects with a TxfeedError: `body-consumed` where the body
   * was read before, `body-incomplete` where it broke off or did not come in time.
   */
  readonly readBody: (limitBytes: number) => Promise<Uint8Array | "too-large">;
}

/** What is answered to a delivery. */
export interface DeliveryResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty where there is nothing to say. */
  readonly body: string;
}

/** Receives a delivery whose server is none of fetch's kind. */
export type Receive = (incoming: Incoming) => Promise<DeliveryResponse>;

/**
 * A receiver: a handler for any server that speaks fetch, and `receive` for the adapters of those
 * that do not.
 */
export interface Receiver {
  (request: Request): Promise<Response>;
  readonly receive: Receive;
}

/**
 * What an authentic delivery's signature covers. Return a member only if the signature covers it:
 * anyone who can change the header can otherwise have a delivery dropped as a duplicate.
 */
export interface Verified {
  readonly verified: true;
  /**
   * The sender's id of the delivery, the same each time that it is sent. It identifies duplicates
   * in place of the content; null or undefined if there is none. Prefix it by the sender if several
   * senders share a store.
   */
  readonly deliveryId?: string | null | undefined;
  /** The event's name; a delivery whose header `webhook-event-type` differs is refused. */
  readonly eventName?: string | undefined;
}

/**
 * Verifies that a delivery is authentic.
 *
 * Only `true` and a `Verified` accept a delivery. Any other result refuses it, as does a
 * TxfeedError `unverified`, whose message goes to `onDelivery` as the reason. Any other error is a
 * failure of the receiver, and the sender retries.
 *
 * @param request The request's head; the event's name is in its header `webhook-event-type`.
 * @param rawBody The body's bytes as they came, before anything parses them.
 */
export type Verify = (
  request: DeliveryRequest,
  rawBody: Uint8Array,
) => boolean | Verified | Promise<boolean | Verified>;
