import type { EventName } from "../../generated/events.ts";
import type { FeedEvent } from "../contract/feed-event.ts";
import { formats } from "../contract/formats.ts";

/** Where the body of an event has the id of its resource. */
type Place = readonly [type: string, idIn: (body: Body) => unknown];

/** A body whose shape may differ from the contract's, because experimental ones may. */
type Body = { readonly [member: string]: unknown };

const by = (member: string) => (body: Body) => body[member];

const transaction: Place = ["transaction", by("id")];
const subscription: Place = ["cardsubscription", by("id")];

// The type is a part of the key, because only ids of the same type are known to be distinct.
const PLACES: ReadonlyMap<string, Place> = new Map(
  Object.entries({
    "transactionmessage.created": ["message", by("id")],
    "transaction.created": transaction,
    "transaction.updated": transaction,
    "cardsubscription.created": subscription,
    "cardsubscription.updated": subscription,
    "networkbulkfeed.statechanged": ["networkbulkfeed", by("id")],
    "banklink.completed": ["banklink", by("bankLinkId")],
    "bankaccount.state_changed": ["bankaccount", by("bankAccountId")],
    "banktransaction.created": ["banktransaction", by("id")],
    "banktransaction.deleted": ["banktransaction", by("id")],
    "transaction.match.created": [
      "banktransaction",
      ({ matches }) => memberOf(first(matches), "id"),
    ],
    "transaction.match.deleted": ["banktransaction", by("bankTransactionId")],
    "enrichment.merchant.created": ["message", enrichedMessage],
  } satisfies Record<EventName, Place>),
);

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
export function resourceOf(event: FeedEvent): string | undefined {
  const place = PLACES.get(event.name);
  if (place === undefined || !isBody(event.body)) return undefined;
  const [type, idIn] = place;
  const id = idIn(event.body);
  if (typeof id === "string" && id !== "") return `${type}:${id.toLowerCase()}`;
  // A match may have no bank transaction, and an enrichment any shape (ENR-02).
  const own = event.body["matchId"] ?? event.body["id"];
  return typeof own === "string" && own !== "" ? `${event.name}:${own.toLowerCase()}` : undefined;
}

/** The id at the end of the link to the message; undefined if there is none. */
function enrichedMessage({ _links }: Body): unknown {
  const href = memberOf(memberOf(_links, "message"), "href");
  if (typeof href !== "string") return undefined;
  const id = href.slice(href.lastIndexOf("/") + 1);
  return formats.uuid(id) ? id : undefined;
}

function isBody(value: unknown): value is Body {
  return typeof value === "object" && value !== null;
}

function memberOf(value: unknown, member: string): unknown {
  return isBody(value) ? value[member] : undefined;
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}
