import type { FeedEvent } from "../contract/feed-event.ts";
import { contentKey } from "./content-key.ts";
import type { ParsedDelivery } from "./parse-delivery.ts";
import { sha256Hex } from "./verify/encoding.ts";

/**
 * Derives the key that identifies a delivery: from its verified id if it has one, from its content
 * otherwise. A verified id is the sender's statement that two deliveries are the same one, so the
 * event's name, which is not signed, and the body do not count beside it.
 *
 * @returns the key; undefined if there is no verified id and the content can be a new event.
 */
export async function deliveryKey(
  event: FeedEvent,
  { deliveryId, text }: Pick<ParsedDelivery, "deliveryId" | "text">,
): Promise<string | undefined> {
  if (deliveryId === undefined) return contentKey(event, text);
  // Hashed, because an id may be of any length.
  return `id:${await sha256Hex(deliveryId)}`;
}
