import { type TxfeedError, UnverifiedError } from "../errors.ts";
import { describeUnknownOption } from "../options.ts";
import { eventNameIn } from "./event-name.ts";
import { quoted } from "./quoted.ts";
import type { DeliveryRequest, Verify } from "./request.ts";

/**
 * Verifies a delivery.
 *
 * @returns its verified id, if it has one. Rejects with a TxfeedError `unverified` if it is not
 * authentic, and with what `verify` rejects with.
 */
export async function verifiedId(
  verify: Verify,
  request: DeliveryRequest,
  rawBody: Uint8Array,
): Promise<string | undefined> {
  const result: unknown = await verify(request, rawBody);
  if (result === true) return undefined;
  if (result === false) throw unverified("verify returned false");
  // A truthy value usually means a verifier that returns its decoded payload.
  if (!isVerified(result)) throw unverified("verify returned neither true nor { verified: true }");
  // A mistyped eventName would leave the name unbound.
  const unknown = describeUnknownOption(result, ["verified", "deliveryId", "eventName"]);
  if (unknown !== undefined) throw new TypeError(`the result of verify: ${unknown}`);
  const { deliveryId, eventName } = result;
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

/** What a verifier may have returned: any value, from JavaScript. */
function isVerified(result: unknown): result is { deliveryId?: unknown; eventName?: unknown } {
  return (
    typeof result === "object" &&
    result !== null &&
    "verified" in result &&
    result.verified === true
  );
}

/** Makes the error for a delivery that is not authentic. */
export function unverified(reason: string): TxfeedError {
  return new UnverifiedError(reason);
}
