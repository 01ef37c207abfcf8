import { type EventInfo, type EventName, eventInfo } from "../../generated/events.ts";
import type { FeedEvent } from "../contract/feed-event.ts";
import { formats } from "../contract/formats.ts";
import { segmentsOf, valueAt } from "../contract/pointer.ts";

/**
 * Returns the resource that an event is about, as the key of order: deliveries with the same key
 * are handled one after another. Never throws.
 *
 * A match belongs to its bank transaction (the first one in `matches`). It is therefore handled
 * after `banktransaction.created`, and the match that replaces a retracted one is handled after the
 * retraction. An enrichment belongs to its message. A message has a key of its own, because its
 * event does not name the transaction.
 *
 * @returns the resource's name in paths and an id, such as
 * `transactions:8f14e45f-ceea-467f-a8b4-7f6e1d2c3b4a`, in lower case; `undefined` for an event that
 * the contract does not know, and for an enrichment that names neither a message nor itself.
 */
export function resourceOf({ name, body }: FeedEvent): string | undefined {
  const info = infoOf(name);
  if (!info) return undefined;
  const { kind, id } = info.orderBy;
  const ordering = id.endsWith("/href") ? linkedId(textAt(body, id)) : textAt(body, id);
  if (ordering !== undefined) return `${kind}:${ordering.toLowerCase()}`;
  // A match may have no bank transaction, and an enrichment any shape (ENR-02).
  const own = textAt(body, info.id);
  return own && `${name}:${own.toLowerCase()}`;
}

/** The facts about an event; undefined if the contract does not know it. */
export function infoOf(name: string): EventInfo | undefined {
  return Object.hasOwn(eventInfo, name) ? eventInfo[name as EventName] : undefined;
}

/** A text in a body, whose shape may differ from the contract's; undefined if it is empty. */
export function textAt(body: unknown, pointer: string): string | undefined {
  const value = valueAt(body, segmentsOf(pointer));
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The id at the end of a link; undefined if there is none. */
function linkedId(href = ""): string | undefined {
  const id = href.slice(href.lastIndexOf("/") + 1);
  return formats.uuid(id) ? id : undefined;
}
