import { resourceFields, resourceOperations } from "../../../generated/resources.ts";
import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { idOf } from "../../../src/contract/rules/link.ts";
import { each } from "../../assert.ts";
import { type Breach, type Check, Skip } from "../../check.ts";
import { pick, referencedResources } from "../../observe/deliveries/api-lookups.ts";
import { isNamed, type TypedDelivery } from "../../observe/deliveries/reading.ts";
import { operationAt, type ReadOperation } from "../../observe/operations.ts";
import { type Delivery, outcomeOf } from "../../wire/exchange.ts";
import { matchIsServed, postingIsServed, servedAsAnnounced } from "../shared/served-resources.ts";
import { announcedItems } from "./collections.ts";

/** The resources that links of events address, by the names of those links. */
const ADDRESSED: readonly (readonly [ReadOperation, link: string])[] = [
  [resourceOperations.cards.get, "card"],
  [resourceOperations.subaccounts.get, "subaccount"],
  [resourceOperations.bankAccounts.get, "bankAccount"],
  [resourceOperations.networkBulkFeeds.get, "networkBulkFeed"],
  [resourceOperations.cardSubscriptions.get, "self"],
];

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
  ...ADDRESSED.map(([operation, link]) => isAddressed(operation, link)),
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

type LinkedResource = "cards" | "card-subscriptions" | "subaccounts" | "bank-accounts";

/** Checks that links with a given name in deliveries address the right resource. */
function isAddressed(operation: ReadOperation, name: string): Check {
  return {
    claims: [`EP-13.${operation.split("/")[1] as LinkedResource}`],
    title: `links in deliveries lead to ${operation.slice("GET ".length)}`,
    requires: ["deliveries", "state"],
    run: async (session) => {
      const { history, at } = await referencedResources(session);
      const links = new Map<string, Delivery>();
      for (const one of history.reading.typed) {
        const href = hrefOf(one, operation, name);
        if (href !== undefined && !links.has(href)) links.set(href, one.delivery);
      }
      const reason = `no delivery links to ${operation}`;
      return each(links, new Skip(reason), ([href, from]): Breach[] => {
        if (operationAt(href) !== operation) {
          const path = `/_links/${name}/href`;
          return [
            { path, expected: operation.slice("GET ".length), actual: href, evidence: [from] },
          ];
        }
        const lookup = at(href);
        if (!lookup) return [];
        const { exchange } = lookup;
        const evidence = [exchange, from] as const;
        if (!lookup.response?.isJson) {
          return [{ expected: "200 with JSON", actual: outcomeOf(exchange), evidence }];
        }
        const id = memberOf(exchange.response?.json, "id");
        if (id === idOf(href)) return [];
        return [{ path: "/id", expected: idOf(href), actual: String(id), evidence }];
      });
    },
  };
}

/** The href of a delivery's link to a resource of the operation, if there is one. */
function hrefOf(one: TypedDelivery, operation: ReadOperation, name: string): string | undefined {
  const isOwn =
    operation === "GET /card-subscriptions/{id}"
      ? isNamed(one, "cardsubscription.created", "cardsubscription.updated")
      : isNamed(one, "networkbulkfeed.statechanged") &&
        operation === "GET /network-bulk-feeds/{id}";
  const link = valueAt(one.body, ["_links", isOwn ? "self" : name, "href"]);
  return typeof link === "string" && (isOwn || name !== "self") ? link : undefined;
}
