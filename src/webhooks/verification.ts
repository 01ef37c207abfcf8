import { type TxfeedError, UnverifiedError } from "../errors.ts";
import { describeUnknownOption } from "../options.ts";
import { type DeliveryRequest, eventNameIn, quoted } from "./request.ts";

/**
 * The values that an authentic delivery's signature covers. Return a member only if it is covered.
 * Otherwise anyone who can change the header can make the receiver drop a delivery as a duplicate.
 */
export interface Verified {
  readonly verified: true;
  /**
   * The sender's id of the delivery, the same for every retry. Duplicates are detected by it
   * instead of by content; null or undefined if there is none. If several senders share a store,
   * add a prefix for the sender.
   */
  readonly deliveryId?: string | null | undefined;
  /** The event's name. A delivery with another `webhook-event-type` is refused. */
  readonly eventName?: string | undefined;
}

/**
 * Verifies that a delivery is authentic.
 *
 * Only `true` and a `Verified` accept a delivery. Any other result refuses it. A thrown TxfeedError
 * `unverified` refuses it too; `onDelivery` gets its message as the reason. Any other error is a
 * failure of the receiver, and the sender retries.
 *
 * @param request The request's head; its header `webhook-event-type` names the event.
 * @param rawBody The body's bytes, before anything parses them.
 */
export type Verify = (
  request: DeliveryRequest,
  rawBody: Uint8Array,
) => boolean | Verified | Promise<boolean | Verified>;

/**
 * Accepts every delivery. This is the default, because the interface does not specify how
 * deliveries are authenticated: any other default would refuse correct senders. If the sender can
 * sign deliveries, use another preset. If it can't, protect the endpoint in the network: by mutual
 * TLS, an allow-list or a secret URL.
 */
export const none: Verify = () => true;

/**
 * Checks the result of `verify`, and the event's name if the signature covers it.
 *
 * @returns the verified id, if the delivery has one.
 * @throws {TxfeedError} `unverified` if the delivery is not authentic.
 * @throws {TypeError} if the result is not one of a `Verify`.
 */
export function verifiedId(result: unknown, request: DeliveryRequest): string | undefined {
  if (result === true) return undefined;
  if (result === false) throw unverified("verify returned false");
  // A truthy value usually means a verifier that returns its decoded payload.
  const given = result as Record<keyof Verified, unknown> | null | undefined;
  if (given?.verified !== true) {
    throw unverified("verify returned neither true nor { verified: true }");
  }
  // A misspelled eventName would go unchecked.
  const unknown = describeUnknownOption(given, ["verified", "deliveryId", "eventName"]);
  if (unknown !== undefined) throw new TypeError(`the result of verify: ${unknown}`);
  const { deliveryId, eventName } = given;
  const named = eventNameIn(request);
  if (eventName !== undefined && eventName !== named) {
    throw unverified(
      `the signature is for ${eventName}, but webhook-event-type is ${quoted(named)}`,
    );
  }
  if (deliveryId === null || deliveryId === undefined || deliveryId === "") return undefined;
  if (typeof deliveryId === "string") return deliveryId;
  throw new TypeError(`verify returned the deliveryId ${deliveryId}; it must be a string`);
}

/** The error for a signature that does not match. The receiver can't distinguish the causes. */
export const WRONG_SIGNATURE =
  "the signature does not match: wrong secret, or the signed content was changed";

/** The error for a delivery that is not authentic. */
export function unverified(reason: string): TxfeedError {
  return new UnverifiedError(reason);
}

/**
 * Reads a header.
 *
 * @throws {TxfeedError} `unverified` if it is missing or empty.
 */
export function requiredHeader({ headers }: DeliveryRequest, name: string): string {
  const value = headers.get(name);
  if (value) return value;
  throw unverified(`the header ${name} is ${value === null ? "missing" : "empty"}`);
}
