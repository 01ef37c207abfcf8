import type { EventName } from "../../generated/events.ts";
import type { FeedEvent } from "../contract/feed-event.ts";
import { formats } from "../contract/formats.ts";

/**
 * The type of an event's resource, and where its body has the id: names of members, separated by
 * dots. The type is a part of the key, because only ids of the same type are known to be distinct.
 */
const PLACES = {
  "transactionmessage.created": ["message", "id"],
  "transaction.created": ["transaction", "id"],
  "transaction.updated": ["transaction", "id"],
  "cardsubscription.created": ["cardsubscription", "id"],
  "cardsubscription.updated": ["cardsubscription", "id"],
  "networkbulkfeed.statechanged": ["networkbulkfeed", "id"],
  "banklink.completed": ["banklink", "bankLinkId"],
  "bankaccount.state_changed": ["bankaccount", "bankAccountId"],
  "banktransaction.created": ["banktransaction", "id"],
  "banktransaction.deleted": ["banktransaction", "id"],
  "transaction.match.created": ["banktransaction", "matches.0.id"],
  "transaction.match.deleted": ["banktransaction", "bankTransactionId"],
  "enrichment.merchant.created": ["message", "_links.message.href"],
} as const satisfies Record<EventName, readonly [type: string, idAt: string]>;

/**
 * Returns the resource that an event is about, as the key of order: deliveries with the same key
 * are handled one after another. Never throws.
 *
 * A match belongs to its bank transaction (the first one in `matches`). It is therefore handled
 * after `banktransaction.created`, and the match that replaces a retracted one is handled after the
 * retraction. An enrichment belongs to its message. A message has a key of its own, because its
 * event does not name the transaction.
 *
 * @returns a type and an id, such as `transaction:8f14e45f-ceea-467f-a8b4-7f6e1d2c3b4a`, in lower
 * case; `undefined` for an event that the contract does not know, and for an enrichment that names
 * neither a message nor itself.
 */
export function resourceOf({ name, body }: FeedEvent): string | undefined {
  if (!isKnown(name)) return undefined;
  const [type, idAt] = PLACES[name];
  const found = valueAt(body, idAt);
  const id = idAt.endsWith("href") ? messageIn(found) : found;
  if (typeof id === "string" && id !== "") return `${type}:${id.toLowerCase()}`;
  // A match may have no bank transaction, and an enrichment any shape (ENR-02).
  const own = valueAt(body, "matchId") ?? valueAt(body, "id");
  return typeof own === "string" && own !== "" ? `${name}:${own.toLowerCase()}` : undefined;
}

const isKnown = (name: string): name is EventName => Object.hasOwn(PLACES, name);

/** The id at the end of the link to a message; undefined if there is none. */
function messageIn(href: unknown): string | undefined {
  const id = typeof href === "string" ? href.slice(href.lastIndexOf("/") + 1) : "";
  return formats.uuid(id) ? id : undefined;
}

/** A value in a body, whose shape may differ from the contract's, because experimental ones may. */
function valueAt(body: unknown, path: string): unknown {
  const memberOf = (value: unknown, member: string): unknown =>
    typeof value === "object" && value !== null
      ? (value as Readonly<Record<string, unknown>>)[member]
      : undefined;
  return path.split(".").reduce(memberOf, body);
}
