import { TxfeedError } from "../../../src/errors.ts";
import type { DeliveryRequest } from "../../../src/webhooks/request.ts";
import type { Verify } from "../../../src/webhooks/verification.ts";

/** The head of a delivery with these headers. */
export function deliveryWith(headers: Record<string, string>): DeliveryRequest {
  return { method: "POST", url: "/webhooks", headers: new Headers(headers) };
}

/** A head with headers that `Headers` would refuse but other servers pass on. */
export function rawDeliveryWith(headers: Record<string, string>): DeliveryRequest {
  return { method: "POST", url: "/webhooks", headers: { get: (name) => headers[name] ?? null } };
}

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Whether a preset accepts a delivery. Errors other than `unverified` pass through. */
export async function accepts(...[verify, ...args]: [Verify, ...Parameters<Verify>]) {
  try {
    const result = await verify(...args);
    if (result === true || (typeof result === "object" && result.verified === true)) return true;
    throw new Error(`a preset returned ${String(result)}`);
  } catch (error) {
    if (error instanceof TxfeedError && error.code === "unverified") return false;
    throw error;
  }
}

/** Why a preset refuses a delivery. */
export async function refusalOf(...[verify, ...args]: [Verify, ...Parameters<Verify>]) {
  try {
    await verify(...args);
  } catch (error) {
    if (error instanceof TxfeedError && error.code === "unverified") return error.message;
    throw error;
  }
  throw new Error("the delivery was accepted");
}
