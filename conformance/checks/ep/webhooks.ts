import type { ClaimId } from "../../../generated/requirements.ts";
import { resourceFields } from "../../../generated/resources.ts";
import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { idOf } from "../../../src/contract/rules/link.ts";
import { each } from "../../assert.ts";
import { type Check, Skip } from "../../check.ts";
import { pick, referencedResources } from "../../observe/deliveries/api-lookups.ts";
import { operationAt } from "../../observe/operations.ts";
import { outcomeOf } from "../../wire/exchange.ts";
import { matchIsServed, postingIsServed, servedAsAnnounced } from "../shared/served-resources.ts";
import { announcedItems } from "./collections.ts";
import { LINKED } from "./http.ts";

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
  ...Object.entries(LINKED).map(([operation, claim]) => linksResolve(operation, claim)),
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

/** Checks that links of deliveries lead to resources that exist. */
function linksResolve(operation: string, claim: ClaimId): Check {
  return {
    claims: [claim],
    title: `links in deliveries lead to ${operation.slice("GET ".length)}`,
    requires: ["deliveries", "state"],
    run: async (session) => {
      const { resources } = await referencedResources(session);
      const linked = resources.filter(({ href, isLink }) => {
        return isLink && operationAt(href) === operation;
      });
      const none = new Skip(`no delivery links to ${operation}`);
      return each(linked, none, ({ exchange, from, href, response }) => {
        const evidence = [exchange, from] as const;
        if (!response?.isJson) {
          return [{ expected: "200 with JSON", actual: outcomeOf(exchange), evidence }];
        }
        const id = memberOf(exchange.response?.json, "id");
        if (id === idOf(href)) return [];
        return [{ path: "/id", expected: idOf(href), actual: String(id), evidence }];
      });
    },
  };
}

function hrefsOf(body: unknown): unknown {
  const links = valueAt(body, ["_links", "messages"]);
  return Array.isArray(links) ? sorted(links.map((link) => memberOf(link, "href"))) : links;
}

/** Sorts an array whose order has no meaning. */
function sorted(value: unknown): unknown {
  return Array.isArray(value) ? value.toSorted() : value;
}
