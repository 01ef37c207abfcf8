import type { DeliveryRequest } from "../../../src/webhooks/request.ts";

/** Makes the head of a delivery with these headers. */
export function deliveryWith(headers: Record<string, string>): DeliveryRequest {
  return { method: "POST", url: "/webhooks", headers: new Headers(headers) };
}

/** Makes one whose headers hold what `Headers` would refuse, as those of other servers can. */
export function rawDeliveryWith(headers: Record<string, string>): DeliveryRequest {
  return { method: "POST", url: "/webhooks", headers: { get: (name) => headers[name] ?? null } };
}

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
