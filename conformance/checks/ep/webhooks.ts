import type { ClaimId } from "../../../generated/requirements.ts";
import { resourceFields, resourceOperations } from "../../../generated/resources.ts";
import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { idOf } from "../../../src/contract/rules/link.ts";
import { each } from "../../assert.ts";
import { type Breach, type Check, type ClaimBreach, Skip } from "../../check.ts";
import {
  differencesOf,
  matchDifferences,
  pick,
  type ReferencedResources,
  referencedResources,
  unexplained,
} from "../../observe/deliveries/api-lookups.ts";
import {
  allNamed,
  isNamed,
  retractedBy,
  type TypedDelivery,
} from "../../observe/deliveries/reading.ts";
import { operationAt, type ReadOperation } from "../../observe/operations.ts";
import { type Delivery, outcomeOf } from "../../wire/exchange.ts";
import { agreesWithEvent } from "../shared/announced-resources.ts";
import { servedAsAnnounced } from "../sub/webhooks.ts";
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
  snapshotIsServed(
    "EP-04.same-as-event",
    "GET of a transaction equals its latest snapshot",
    (body) => ({
      ...pick(body, AGGREGATE),
      messages: hrefsOf(body),
    }),
  ),
  // TXN-11: supersededMessageIds is a full snapshot: mirroring it is an idempotent replace; it is
  // empty for transactions last updated before the field existed.
  snapshotIsServed(
    "TXN-11.same-as-get",
    "GET has the supersededMessageIds of the latest snapshot",
    (body) => ({
      supersededMessageIds: sorted(memberOf(body, "supersededMessageIds")),
    }),
  ),
  agreesWithEvent,
  // EP-12: GET /transaction-matches/{subaccountId}/{matchId} is one match, whose top-level id
  // equals the event's matchId.
  {
    claims: ["EP-12.top-level-id", "EP-12.same-as-event"],
    title: "GET of a match equals its event, with matchId as id",
    requires: ["deliveries", "state"],
    run: async (session) => {
      const { history, at, matchPath } = await referencedResources(session);
      const { typed, mayMention } = history.reading;
      const gone = retractedBy(typed);
      const requested = allNamed(typed, "transaction.match.created").flatMap((match) => {
        const lookup = at(matchPath(match));
        return lookup && !gone.has(match.body.matchId) ? [{ match, lookup }] : [];
      });
      const checked = requested.map(
        ({ match: { body, delivery }, lookup: { exchange, response } }) => {
          const evidence = [exchange, delivery] as const;
          const served = exchange.response?.json;
          const breaches: ClaimBreach[] = !response?.isJson
            ? [
                {
                  claim: "EP-12.top-level-id",
                  expected: `200 with id ${body.matchId}`,
                  actual: outcomeOf(exchange),
                  evidence,
                },
              ]
            : matchDifferences(body, served).map((one) => ({
                claim: one.path === "/id" ? "EP-12.top-level-id" : "EP-12.same-as-event",
                ...one,
                evidence,
              }));
          return { matchId: body.matchId, breaches };
        },
      );
      const wrong = checked.filter(({ breaches }) => breaches.length > 0);
      const remaining = new Set(
        await unexplained(
          session,
          wrong,
          ({ matchId }, later) => retractedBy(later).has(matchId) || mayMention(matchId),
        ),
      );
      const skip = new Skip("no match with a known subaccount was delivered");
      return each(checked, skip, (one) => (remaining.has(one) ? one.breaches : []));
    },
  },
  ...ADDRESSED.map(([operation, link]) => isAddressed(operation, link)),
  // EP-13: The links of event payloads address /cards/{id}, /card-subscriptions/{id},
  // /network-bulk-feeds/{id}, /subaccounts/{id} and /bank-accounts/{id}.
  servedAsAnnounced(
    "EP-13.same-as-event",
    "GET of a subscription has the dates and links of its last event",
    {
      view: (body) => ({
        ...pick(body, ["id", "effectiveDate", "expirationDate"]),
        ...pick(memberOf(body, "_links"), ["self", "card", "networkBulkFeed", "bankAccount"]),
      }),
      isComparable: (served, announced) => served === announced,
    },
  ),
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

type Snapshot = TypedDelivery<"transaction.created" | "transaction.updated">;

/**
 * Checks that a GET of a transaction equals its latest snapshot in the fields of `view`. Compares
 * nothing if `updatedAt` differs: the transaction has changed since.
 */
function snapshotIsServed(claim: ClaimId, title: string, view: (body: unknown) => unknown): Check {
  const isWhole = claim === "EP-04.same-as-event";
  return {
    claims: [claim],
    title,
    requires: ["deliveries", "state"],
    run: async (session) => {
      const { history, at } = await referencedResources(session);
      const snapshots = allNamed(
        history.reading.typed,
        "transaction.created",
        "transaction.updated",
      );
      const requested = [...Map.groupBy(snapshots, ({ body }) => body.id).values()].flatMap(
        (all) => {
          const lookup = at(all[0]?.body._links.self.href);
          // Only EP-04 reports a missing transaction.
          const isMissing = !lookup?.response?.isJson;
          if (!lookup || (isMissing && !isWhole)) return [];
          // EP-04 compares only valid responses.
          const isBroken = lookup.response?.findings.some(({ level }) => level === "error");
          if (isBroken && isWhole) return [];
          const found = compareLatest(all, lookup, view);
          return found ? [found] : [];
        },
      );
      const wrong = requested.filter(({ breaches }) => breaches.length > 0);
      const remaining = new Set(
        await unexplained(session, wrong, ({ id }, later) =>
          later.some(
            (one) =>
              isNamed(one, "transaction.created", "transaction.updated") && one.body.id === id,
          ),
        ),
      );
      const skip = new Skip("no delivered transaction is unchanged in the API");
      return each(requested, skip, (one) => (remaining.has(one) ? one.breaches : []));
    },
  };
}

/** Compares a response with the latest snapshots: it must equal one of those with its time. */
function compareLatest(
  snapshots: readonly Snapshot[],
  { exchange, response }: NonNullable<ReturnType<ReferencedResources["at"]>>,
  view: (body: unknown) => unknown,
): { readonly id: string; readonly breaches: readonly Breach[] } | undefined {
  const latest = snapshots.reduce((one, other) =>
    other.body.updatedAt >= one.body.updatedAt ? other : one,
  );
  const { id, updatedAt } = latest.body;
  const evidence = [exchange, latest.delivery] as const;
  if (!response?.isJson) {
    const expected = `200 with transaction ${id}`;
    return { id, breaches: [{ expected, actual: outcomeOf(exchange), evidence }] };
  }
  const served = exchange.response?.json;
  if (memberOf(served, "updatedAt") !== updatedAt) return undefined;
  const differences = snapshots
    .filter(({ body }) => body.updatedAt === updatedAt)
    .map(({ body }) => differencesOf(view(body), view(served)));
  if (differences.some((found) => found.length === 0)) return { id, breaches: [] };
  const found = differencesOf(view(latest.body), view(served));
  return { id, breaches: found.map((one) => ({ ...one, evidence })) };
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
