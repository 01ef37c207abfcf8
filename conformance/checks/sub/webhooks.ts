import type { Check } from "../../check.ts";
import { pick } from "../../observe/deliveries/api-lookups.ts";
import { servedAsAnnounced } from "../shared/served-resources.ts";

/** The fields whose changes are announced. */
const FIELDS = [
  ...["id", "subaccountId", "cardId", "enrollmentType", "state", "networkBulkFeedId"],
  ...["bankAccountId", "customerReferenceId", "createdAt"],
];

export const subscriptionDeliveryChecks: readonly Check[] = [
  // SUB-01: A card subscription has the fields of its table; enrollmentType is cardholder-single,
  // network-bulk or bank-feed.
  servedAsAnnounced("SUB-01.same-as-event", {
    title: "GET of a subscription equals its last event",
    kind: "cardsubscription",
    view: (body) => pick(body, FIELDS),
    // The API may lag behind its events, but each change is announced.
    isComparable: (served, announced) => served >= announced,
  }),
];
