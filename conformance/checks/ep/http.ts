import { eventNames } from "../../../generated/events.ts";
import { operations } from "../../../generated/operations.ts";
import type { ClaimId } from "../../../generated/requirements.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { each, once } from "../../assert.ts";
import { type Check, type Session, Skip } from "../../check.ts";
import { failedRequestsOf, feedOf } from "../../observe/crawl.ts";
import { agreeing, compareListed, requestedId } from "../../observe/differences.ts";
import { textOf } from "../../observe/feed.ts";
import {
  type CollectionOperation,
  LISTED_BY,
  type ListedOperation,
  pathWithUnknownIds,
  type ReadOperation,
  resources,
  UNKNOWN_ID,
} from "../../observe/operations.ts";
import { isDelivery, outcomeOf } from "../../wire/exchange.ts";
import { none } from "../shared/bodies.ts";
import { eachSeen, judged, KINDS, linksLeadTo } from "../shared/seen.ts";
import { COLLECTIONS, collectionChecks } from "./collections.ts";

type SingleRequirement = "EP-04" | "EP-10" | "EP-12" | "EP-13";
type ListRequirement = Exclude<(typeof COLLECTIONS)[number]["requirement"], "EP-06">;
type ResourceRequirement = SingleRequirement | "EP-05";

const RESOURCES: readonly (readonly [ResourceRequirement, ReadOperation])[] = [
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

/** The claims on the resources that links of events address. */
export const LINKED: Readonly<Partial<Record<ReadOperation, ClaimId>>> = {
  "GET /subaccounts/{id}": "EP-13.subaccounts",
  "GET /cards/{id}": "EP-13.cards",
  "GET /card-subscriptions/{id}": "EP-13.card-subscriptions",
  "GET /network-bulk-feeds/{id}": "EP-13.network-bulk-feeds",
  "GET /bank-accounts/{id}": "EP-13.bank-accounts",
};

export const endpoints: readonly Check[] = [
  ...COLLECTIONS.map(({ requirement, operation }) => {
    return returns200(`${requirement}.items`, operation);
  }),
  ...collectionChecks,
  ...RESOURCES.flatMap(([requirement, operation]) => [
    returns200(claimOf(requirement, operation), operation),
    returnsRequested(claimOf(requirement, operation), operation),
    returnsOnlyKnownStatuses(requirement, operation),
  ]),
  ...COLLECTIONS.flatMap(({ requirement, operation }) => agreements(requirement, operation)),
  // EP-04: GET /transactions/{transactionId} is one transaction, supersededMessageIds included.
  eachSeen(["EP-04.superseded-ids"], {
    title: "GET of a transaction has supersededMessageIds",
    kinds: ["GET /transactions/{transactionId}"],
    judge: (body, { at }) => {
      if (at !== "") return [];
      const has = memberOf(body, "supersededMessageIds") !== undefined;
      const wrong = { path: "/supersededMessageIds", expected: "an array", actual: "nothing" };
      return [judged("EP-04.superseded-ids", has, wrong)];
    },
    none: none.transaction,
  }),
  // EP-13: The links of event payloads address /cards/{id}, /card-subscriptions/{id},
  // /network-bulk-feeds/{id}, /subaccounts/{id} and /bank-accounts/{id}.
  linksLeadTo(LINKED, {
    title: "links to related resources have the specified path",
    kinds: [...eventNames, ...resources],
    names: {
      subaccount: "GET /subaccounts/{id}",
      card: "GET /cards/{id}",
      networkBulkFeed: "GET /network-bulk-feeds/{id}",
      bankAccount: "GET /bank-accounts/{id}",
    },
  }),
  linksLeadTo(LINKED, {
    title: "the self link of a subscription has the specified path",
    kinds: KINDS.subscription,
    names: { self: "GET /card-subscriptions/{id}" },
  }),
];

/** The claim that an endpoint returns its resource. */
function claimOf(requirement: ResourceRequirement, operation: ReadOperation): ClaimId {
  return LINKED[operation] ?? `${requirement as Exclude<ResourceRequirement, "EP-13">}.returns`;
}

/**
 * Checks that an endpoint returns 200 with JSON. Other checks report defects of the body, so that
 * one defect fails one requirement.
 */
function returns200(claim: ClaimId, operation: ReadOperation): Check {
  return {
    claims: [claim],
    title: `${operation} returns 200`,
    requires: [],
    run: async (session) => {
      const unanswered = await failedRequestsOf(session);
      const requested = (await feedOf(session))
        .of(operation)
        .filter(({ isJson, exchange }) => isJson || unanswered.has(exchange));
      const skip = await session.skip(`no response links to ${operation}`);
      return each(requested, skip, ({ exchange, isJson }) => {
        if (isJson) return [];
        const second = unanswered.get(exchange) ?? exchange;
        return [{ expected: "200 with JSON", actual: outcomeOf(second), evidence: [second] }];
      });
    },
  };
}

/** Checks that an endpoint returns the resource with the requested id. */
function returnsRequested(claim: ClaimId, operation: ReadOperation): Check {
  return eachSeen([claim], {
    title: `${operation} returns the same id`,
    ...{ kinds: [operation], requires: ["state"] },
    judge: (body, { message, at }) => {
      if (at !== "" || isDelivery(message)) return [];
      const id = textOf(body, "id");
      const expected = `${requestedId(message)}, as requested`;
      const wrong = { path: "/id", expected, actual: describeValue(id) };
      return [judged(claim, id?.toLowerCase() === requestedId(message), wrong)];
    },
    none: new Skip(`no response links to ${operation}`),
  });
}

/**
 * Checks that a request for an unknown id does not return another resource. Any other response
 * passes, because ERR-02 leaves it open.
 */
function returnsOnlyKnownStatuses(
  requirement: ResourceRequirement,
  operation: ReadOperation,
): Check {
  return {
    claims: [`${requirement}.no-other`],
    title: `${operation} finds no unknown id`,
    requires: ["state"],
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
function agreements(requirement: string, collection: CollectionOperation): Check[] {
  return RESOURCES.flatMap(([ofOne, operation]) => {
    if (LISTED_BY[operation as ListedOperation] !== collection) return [];
    const listed = operation as ListedOperation;
    const both = {
      compare: (session: Session) => compareListed(session, listed),
      none: new Skip("no resource was fetched both in the list and by id"),
    };
    return [
      agreeing({
        ...both,
        title: `each item of ${collection} equals the resource with its id`,
        wrong: "one",
        source: "as fetched by id",
        claims: [[`${requirement as ListRequirement}.same-as-single`, () => true]],
      }),
      agreeing({
        ...both,
        title: `${operation} equals its listing`,
        wrong: "other",
        source: "as listed",
        claims: [[`${ofOne as SingleRequirement}.same-as-listed`, () => true]],
      }),
    ];
  });
}
