import { resourceFields } from "../../../generated/resources.ts";
import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import type { Check } from "../../check.ts";
import { pick } from "../../observe/deliveries/api-lookups.ts";
import { matchIsServed, postingIsServed, servedAsAnnounced } from "../shared/served-resources.ts";
import { announcedItems } from "./collections.ts";

/** The fields of a transaction that a GET must repeat. Other checks compare the rest. */
const AGGREGATE = [
  "id",
  ...resourceFields.transactions.all.filter(
    (name) => name !== "supersededMessageIds" && name !== "updatedAt",
  ),
];

export const endpointDeliveryChecks: readonly Check[] = [
  // EP-04: GET /transactions/{transactionId} is one transaction, supersededMessageIds included.
  servedAsAnnounced("EP-04.same-as-event", {
    title: "GET of a transaction equals its latest snapshot",
    kind: "transaction",
    view: (body) => ({ ...pick(body, AGGREGATE), messages: hrefsOf(body) }),
    isOwed: true,
  }),
  // TXN-11: supersededMessageIds is a full snapshot: mirroring it is an idempotent replace; it is
  // empty for transactions last updated before the field existed.
  servedAsAnnounced("TXN-11.same-as-get", {
    title: "GET has the supersededMessageIds of the latest snapshot",
    kind: "transaction",
    view: (body) => ({ supersededMessageIds: sorted(memberOf(body, "supersededMessageIds")) }),
    isInvalidToo: true,
  }),
  postingIsServed,
  // EP-12: GET /transaction-matches/{subaccountId}/{matchId} is one match, whose top-level id
  // equals the event's matchId.
  matchIsServed,
  // EP-13: The links of event payloads address /cards/{id}, /card-subscriptions/{id},
  // /network-bulk-feeds/{id}, /subaccounts/{id} and /bank-accounts/{id}.
  servedAsAnnounced("EP-13.same-as-event", {
    title: "GET of a subscription has the dates and links of its last event",
    kind: "cardsubscription",
    view: (body) => ({
      ...pick(body, ["id", "effectiveDate", "expirationDate"]),
      ...pick(memberOf(body, "_links"), ["self", "card", "networkBulkFeed", "bankAccount"]),
    }),
  }),
  ...announcedItems,
];

function hrefsOf(body: unknown): unknown {
  const links = valueAt(body, ["_links", "messages"]);
  return Array.isArray(links) ? sorted(links.map((link) => memberOf(link, "href"))) : links;
}

/** Sorts an array whose order has no meaning. */
function sorted(value: unknown): unknown {
  return Array.isArray(value) ? value.toSorted() : value;
}
