import { operations } from "../../../generated/operations.ts";
import type { RequirementId } from "../../../generated/requirements.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { each, once } from "../../assert.ts";
import type { Breach, Check } from "../../check.ts";
import { feedOf } from "../../observe/crawl.ts";
import { failedRequestsOf } from "../../observe/failed-requests.ts";
import { textOf } from "../../observe/items.ts";
import { compareListed, requestedId } from "../../observe/list-items.ts";
import {
  type CollectionOperation,
  LINKED_BY_DELIVERIES,
  LISTED_BY,
  type ListedOperation,
  pathWithUnknownIds,
  type ReadOperation,
  UNKNOWN_ID,
} from "../../observe/operations.ts";
import { outcomeOf } from "../../wire/exchange.ts";
import { skipOnMock } from "../shared/in-items.ts";
import { linksLeadTo } from "../shared/link-targets.ts";
import { collectionChecks } from "./collections.ts";

const COLLECTIONS: readonly (readonly [RequirementId, CollectionOperation])[] = [
  ["EP-01", "GET /subaccounts"],
  ["EP-02", "GET /cards"],
  ["EP-03", "GET /transactions"],
  ["EP-06", "GET /bank-links"],
  ["EP-08", "GET /bank-accounts"],
  ["EP-09", "GET /bank-transactions"],
  ["EP-11", "GET /transaction-matches"],
];

const RESOURCES: readonly (readonly [RequirementId, ReadOperation])[] = [
  ["EP-04", "GET /transactions/{transactionId}"],
  ["EP-05", "GET /transaction-messages/{id}"],
  ["EP-10", "GET /bank-transactions/{subaccountId}/{id}"],
  ["EP-12", "GET /transaction-matches/{subaccountId}/{matchId}"],
  ["EP-13", "GET /cards/{id}"],
  ["EP-13", "GET /card-subscriptions/{id}"],
  ["EP-13", "GET /network-bulk-feeds/{id}"],
  ["EP-13", "GET /subaccounts/{id}"],
  ["EP-13", "GET /bank-accounts/{id}"],
];

export const endpoints: readonly Check[] = [
  ...COLLECTIONS.map(([requirement, operation]) => returnsSchema(requirement, operation)),
  ...collectionChecks,
  ...RESOURCES.flatMap(([requirement, operation]) => [
    returnsSchema(requirement, operation),
    returnsRequestedResource(requirement, operation),
    returnsOnlyKnownStatuses(requirement, operation),
  ]),
  ...COLLECTIONS.flatMap(([requirement, collection]) => agreements(requirement, collection)),
  // EP-04: GET /transactions/{transactionId} is one transaction, supersededMessageIds included.
  {
    requirement: "EP-04",
    title: "GET of a transaction has supersededMessageIds",
    requires: [],
    run: async (session) => {
      const transactions = (await feedOf(session))
        .of("GET /transactions/{transactionId}")
        .filter(({ isJson }) => isJson);
      return each(transactions, await session.skip("no transaction"), ({ exchange }) => {
        const ids = memberOf(exchange.response?.json, "supersededMessageIds");
        if (ids !== undefined) return [];
        const found = { expected: "an array", actual: "nothing" };
        return [{ path: "/supersededMessageIds", ...found, evidence: [exchange] }];
      });
    },
  },
  // EP-13: The links of event payloads address /cards/{id}, /card-subscriptions/{id},
  // /network-bulk-feeds/{id}, /subaccounts/{id} and /bank-accounts/{id}.
  linksLeadTo("EP-13", "links to related resources have the specified path", {
    transactions: { subaccount: "GET /subaccounts/{id}", card: "GET /cards/{id}" },
    subscriptions: {
      self: "GET /card-subscriptions/{id}",
      card: "GET /cards/{id}",
      networkBulkFeed: "GET /network-bulk-feeds/{id}",
      bankAccount: "GET /bank-accounts/{id}",
    },
  }),
];

/**
 * Checks that an endpoint returns 200 with JSON. Other checks report defects of the body, so that
 * one defect fails one requirement.
 */
function returnsSchema(requirement: RequirementId, operation: ReadOperation): Check {
  return {
    requirement,
    title: `${operation} returns 200`,
    requires: [],
    ...oneOfSeveral(operation),
    run: async (session) => {
      const unanswered = await failedRequestsOf(session);
      const requested = (await feedOf(session))
        .of(operation)
        .filter(({ isJson, exchange }) => isJson || unanswered.has(exchange));
      return each(requested, await session.skip(unlinked(operation)), ({ exchange, isJson }) => {
        if (isJson) return [];
        const second = unanswered.get(exchange) ?? exchange;
        return [{ expected: "200 with JSON", actual: outcomeOf(second), evidence: [second] }];
      });
    },
  };
}

/** Checks that an endpoint returns the resource with the requested id. */
function returnsRequestedResource(requirement: RequirementId, operation: ReadOperation): Check {
  return {
    requirement,
    title: `${operation} returns the same id`,
    requires: ["state"],
    alternative: true,
    run: async (session) => {
      const requested = (await feedOf(session)).of(operation).filter(({ isJson }) => isJson);
      return each(requested, await session.skip(unlinked(operation)), ({ exchange }): Breach[] => {
        const id = textOf(exchange.response?.json, "id");
        if (id?.toLowerCase() === requestedId(exchange)) return [];
        const expected = `${requestedId(exchange)}, as requested`;
        return [{ path: "/id", expected, actual: describeValue(id), evidence: [exchange] }];
      });
    },
  };
}

/**
 * Checks that a request for an unknown id does not return another resource. Any other response
 * passes, because ERR-02 leaves it open.
 */
function returnsOnlyKnownStatuses(requirement: RequirementId, operation: ReadOperation): Check {
  return {
    requirement,
    title: `${operation} finds no unknown id`,
    requires: ["state"],
    alternative: true,
    run: async (session) => {
      const exchange = await session.follow(pathWithUnknownIds(operations[operation].path));
      if (!exchange.response) return session.skip(outcomeOf(exchange));
      const { status, json } = exchange.response;
      const id = textOf(json, "id");
      if (status !== 200 || id === undefined || id === UNKNOWN_ID) return once([]);
      const expected = `no resource, or the one with id ${UNKNOWN_ID}`;
      return once([{ path: "/id", expected, actual: describeValue(id), evidence: [exchange] }]);
    },
  };
}

/** Checks, for both requirements, that a listed resource equals the one requested by its id. */
function agreements(requirement: RequirementId, collection: CollectionOperation): Check[] {
  return RESOURCES.flatMap(([ofOne, operation]) => {
    if (LISTED_BY[operation as ListedOperation] !== collection) return [];
    const listed = operation as ListedOperation;
    return [
      agrees(
        requirement,
        listed,
        `each item of ${collection} equals the resource with its id`,
        "list",
      ),
      agrees(ofOne, listed, `${operation} equals its listing`, "alone"),
    ];
  });
}

function agrees(
  requirement: RequirementId,
  operation: ListedOperation,
  title: string,
  side: "list" | "alone",
): Check {
  return skipOnMock({
    requirement,
    title,
    run: async (session) => {
      const { compared, contradictions } = await compareListed(session, operation);
      if (compared === 0) return session.skip("no resource was fetched both in the list and by id");
      const breaches = contradictions.flatMap(({ page, at, single, differences }) =>
        differences.map(({ path, one, other }): Breach => {
          return side === "list"
            ? {
                path: `${at}${path}`,
                expected: `${other}, as fetched by id`,
                actual: one,
                evidence: [page, single],
              }
            : { path, expected: `${one}, as listed`, actual: other, evidence: [single, page] };
        }),
      );
      return { assertions: compared, breaches };
    },
  });
}

function oneOfSeveral(operation: ReadOperation): Pick<Check, "alternative"> {
  return LINKED_BY_DELIVERIES.includes(operation) ? { alternative: true } : {};
}

function unlinked(operation: ReadOperation): string {
  return `no response links to ${operation}`;
}
