import type { EventName } from "../../generated/events.ts";
import type { FeedEvent } from "../contract/feed-event.ts";
import { sha256Hex } from "./crypto.ts";
import type { ParsedDelivery } from "./parse-delivery.ts";

/**
 * Derives the key by which duplicates of a delivery are detected: from its verified id if it has
 * one, from its content otherwise. A verified id is the sender's statement that two deliveries are
 * the same, so the event's name, which may be unsigned, and the body do not matter.
 *
 * @returns the key; undefined if there is no verified id and equal content can be a new event.
 */
export async function deliveryKey(
  event: FeedEvent,
  { deliveryId, text }: Pick<ParsedDelivery, "deliveryId" | "text">,
): Promise<string | undefined> {
  if (deliveryId === undefined) return contentKey(event, text);
  // Hashed, because an id may be of any length.
  return `id:${await sha256Hex(deliveryId)}`;
}

/**
 * A bank account that is lost, recovers and is lost again sends the same content twice, without an
 * id or a time to distinguish the two. Deduplication would drop the second loss.
 */
const RECURRING = new Set<string>(["bankaccount.state_changed"] satisfies EventName[]);

/**
 * Derives a key from a delivery's content, because the interface specifies no delivery id (WHK-04):
 * the SHA-256 of the event's name and its canonical JSON. White space and the order of members do
 * not change the key.
 *
 * @param text The body's text.
 * @returns the key in hexadecimal; undefined if equal content can be a new event: for
 * `bankaccount.state_changed` and unknown events.
 */
export async function contentKey(event: FeedEvent, text: string): Promise<string | undefined> {
  if (event.name === "unknown" || RECURRING.has(event.name)) return undefined;
  return sha256Hex(`${event.name}\n${canonicalOr(text, event.body)}`);
}

/** The canonical JSON of a body; its text if the body is nested too deeply for the stack. */
function canonicalOr(text: string, body: unknown): string {
  try {
    return canonical(body);
  } catch {
    return text;
  }
}

/**
 * JSON with the members of each object sorted.
 *
 * @see RFC 8785
 */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value === "object" && value !== null) {
    const object = value as Record<string, unknown>;
    const names = Object.keys(object).sort();
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(object[name])}`).join()}}`;
  }
  // JSON.parse reads 1e400 as Infinity, and JSON.stringify would write null.
  return typeof value === "number" ? String(value) : JSON.stringify(value);
}
