import { eventNames } from "../../../generated/events.ts";
import { operations } from "../../../generated/operations.ts";
import type { ClaimId } from "../../../generated/requirements.ts";
import { resourceFields } from "../../../generated/resources.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { idOf } from "../../../src/contract/rules/link.ts";
import { caseCheck, once } from "../../assert.ts";
import { type Check, Skip } from "../../check.ts";
import { failedRequestsOf, feedOf } from "../../observe/crawl.ts";
import { referencedResources } from "../../observe/deliveries/api-lookups.ts";
import { requestedId } from "../../observe/differences.ts";
import { textOf } from "../../observe/feed.ts";
import {
  type CollectionOperation,
  ITEM_KEYS,
  operationAt,
  pathWithUnknownIds,
  type ReadOperation,
  resources,
  UNKNOWN_ID,
} from "../../observe/operations.ts";
import { isDelivery, outcomeOf } from "../../wire/exchange.ts";
import { eachSeen, judged, judgedAt, KINDS, linksLeadTo, none } from "../shared/bodies.ts";

/** What the items of a collection are, and what else its pages and items need. */
interface Collection {
  readonly items: ClaimId;
  readonly operation: CollectionOperation;
  readonly contents: string;
  /** What the members of each page or of each item have to be. */
  readonly more?: {
    readonly claim: ClaimId;
    readonly of: "page" | "item";
    readonly members: readonly string[];
    readonly are: keyof typeof TESTS;
  };
}

const TESTS = {
  "a value": (value: unknown) => value !== undefined,
  "nothing, in cursor style": (value: unknown) => value === undefined,
  "an array": (value: unknown) => Array.isArray(value),
};

const COLLECTIONS: readonly Collection[] = [
  {
    ...{ items: "EP-01.items", operation: "GET /subaccounts" },
    contents: "subaccounts, in cursor style",
    more: {
      ...{ claim: "EP-01.cursor-style", of: "page", are: "nothing, in cursor style" },
      members: ["/_links/first", "/_links/last", "/_links/prev"],
    },
  },
  {
    ...{ items: "EP-02.items", operation: "GET /cards" },
    contents: "cards, in offset style with totalItems",
    more: {
      ...{ claim: "EP-02.offset-style", of: "page", are: "a value" },
      members: ["/totalItems", "/_links/first", "/_links/last"],
    },
  },
  {
    ...{ items: "EP-03.items", operation: "GET /transactions" },
    contents: "transactions with all fields",
    more: {
      ...{ claim: "EP-03.items", of: "item", are: "a value" },
      members: resourceFields.transactions.required.map((name) => `/${name}`),
    },
  },
  { items: "EP-06.items", operation: "GET /bank-links", contents: "bank links" },
  { items: "EP-08.items", operation: "GET /bank-accounts", contents: "bank accounts" },
  {
    ...{ items: "EP-09.items", operation: "GET /bank-transactions" },
    contents: "items with a category array",
    more: { claim: "EP-09.category-array", of: "item", are: "an array", members: ["/category"] },
  },
  { items: "EP-11.items", operation: "GET /transaction-matches", contents: "matches" },
];

/** The claims on the resources that links of events address. */
const LINKED: Readonly<Partial<Record<ReadOperation, ClaimId>>> = {
  "GET /subaccounts/{id}": "EP-13.subaccounts",
  "GET /cards/{id}": "EP-13.cards",
  "GET /card-subscriptions/{id}": "EP-13.card-subscriptions",
  "GET /network-bulk-feeds/{id}": "EP-13.network-bulk-feeds",
  "GET /bank-accounts/{id}": "EP-13.bank-accounts",
};

/** The claims that an endpoint returns its resource, and no other. */
const RESOURCES: readonly (readonly [returns: ClaimId, noOther: ClaimId, ReadOperation])[] = [
  ["EP-04.returns", "EP-04.no-other", "GET /transactions/{transactionId}"],
  ["EP-05.returns", "EP-05.no-other", "GET /transaction-messages/{id}"],
  ["EP-10.returns", "EP-10.no-other", "GET /bank-transactions/{subaccountId}/{id}"],
  ["EP-12.returns", "EP-12.no-other", "GET /transaction-matches/{subaccountId}/{matchId}"],
  ...(Object.entries(LINKED) as [ReadOperation, ClaimId][]).map(
    ([operation, claim]) => [claim, "EP-13.no-other", operation] as const,
  ),
];

export const endpoints: readonly Check[] = [
  ...COLLECTIONS.map(({ items, operation }) => returns200(items, operation)),
  ...COLLECTIONS.map(contains),
  ...RESOURCES.flatMap(([returns, noOther, operation]) => [
    returns200(returns, operation),
    returnsRequested(returns, operation),
    returnsNoOther(noOther, operation),
  ]),
  // EP-04: GET /transactions/{transactionId} is one transaction, supersededMessageIds included.
  eachSeen(["EP-04.superseded-ids"], {
    title: "GET of a transaction has supersededMessageIds",
    kinds: ["GET /transactions/{transactionId}"],
    judge: (body, { at }) => {
      const [path, isThere] = ["/supersededMessageIds", TESTS["a value"]];
      return at === "" ? [judgedAt("EP-04.superseded-ids", body, path, "an array", isThere)] : [];
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
  ...Object.entries(LINKED).map(([operation, claim]) =>
    caseCheck([claim], {
      title: `links in deliveries lead to ${operation.slice("GET ".length)}`,
      requires: ["deliveries", "state"],
      cases: async (session) =>
        (await referencedResources(session)).resources.filter(
          ({ href, isLink }) => isLink && operationAt(href) === operation,
        ),
      none: new Skip(`no delivery links to ${operation}`),
      find: ({ exchange, from, href, response }) => {
        const evidence = [exchange, from] as const;
        if (!response?.isJson) {
          return [{ expected: "200 with JSON", actual: outcomeOf(exchange), evidence }];
        }
        const id = memberOf(exchange.response?.json, "id");
        if (id === idOf(href)) return [];
        return [{ path: "/id", expected: idOf(href), actual: String(id), evidence }];
      },
    }),
  ),
];

/** Checks that a collection contains its kind of resource. */
function contains({ items, operation, contents, more }: Collection): Check {
  const at = `/_embedded/${ITEM_KEYS[operation]}`;
  return eachSeen([items, more?.claim ?? items], {
    title: `_embedded.${ITEM_KEYS[operation]}[] contains ${contents}`,
    kinds: [operation],
    judge: (page) => {
      const listed = valueAt(page, ["_embedded", ITEM_KEYS[operation]]);
      const places = Array.isArray(listed) ? listed.map((_, i) => `${at}/${i}`) : [];
      const hasId = (id: unknown) => textOf({ id }, "id") !== undefined;
      return [
        judgedAt(items, page, at, "an array", Array.isArray),
        ...places.map((place) => judgedAt(items, page, `${place}/id`, "an id", hasId)),
        ...(more?.of === "page" ? [""] : places).flatMap((place) =>
          (more?.members ?? []).map((member) => {
            const { claim, are } = more as NonNullable<typeof more>;
            return judgedAt(claim, page, `${place}${member}`, are, TESTS[are]);
          }),
        ),
      ];
    },
    none: new Skip(`${operation} returned no page`),
  });
}

/**
 * Checks that an endpoint returns 200 with JSON. Other checks report defects of the body, so that
 * one defect fails one requirement.
 */
function returns200(claim: ClaimId, operation: ReadOperation): Check {
  return caseCheck([claim], {
    title: `${operation} returns 200`,
    cases: async (session) => {
      const unanswered = await failedRequestsOf(session);
      return (await feedOf(session)).of(operation).flatMap(({ isJson, exchange }) => {
        const second = unanswered.get(exchange);
        return isJson || second ? [{ isJson, second: second ?? exchange }] : [];
      });
    },
    none: new Skip(`no response links to ${operation}`),
    find: ({ isJson, second }) => {
      if (isJson) return [];
      return [{ expected: "200 with JSON", actual: outcomeOf(second), evidence: [second] }];
    },
  });
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
function returnsNoOther(claim: ClaimId, operation: ReadOperation): Check {
  return {
    claims: [claim],
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
