import type { ClaimId } from "../../../generated/requirements.ts";
import { resourceFields } from "../../../generated/resources.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import { type Breach, type Check, type ClaimBreach, namedClaims } from "../../check.ts";
import { feedOf } from "../../observe/crawl.ts";
import {
  bankTransactionDifferences,
  type Contradiction,
  matchDifferences,
} from "../../observe/deliveries/api-lookups.ts";
import {
  allNamed,
  removedBy,
  retractedBy,
  type TypedDelivery,
} from "../../observe/deliveries/reading.ts";
import { textOf } from "../../observe/feed.ts";
import { type CollectionOperation, ITEM_KEYS } from "../../observe/operations.ts";
import { listAtEnd } from "../../observe/pages.ts";
import type { Delivery, Exchange } from "../../wire/exchange.ts";
import { listedWhileThere } from "../shared/announced-resources.ts";
import { comparedWithApi } from "../shared/served-resources.ts";

/** What a collection contains, and what else its pages and items need. */
interface Collection {
  readonly operation: CollectionOperation;
  readonly items: ClaimId;
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
    operation: "GET /subaccounts",
    items: "EP-01.items",
    contents: "subaccounts, in cursor style",
    more: {
      claim: "EP-01.cursor-style",
      of: "page",
      members: ["/_links/first", "/_links/last", "/_links/prev"],
      are: "nothing, in cursor style",
    },
  },
  {
    operation: "GET /cards",
    items: "EP-02.items",
    contents: "cards, in offset style with totalItems",
    more: {
      claim: "EP-02.offset-style",
      of: "page",
      members: ["/totalItems", "/_links/first", "/_links/last"],
      are: "a value",
    },
  },
  {
    operation: "GET /transactions",
    items: "EP-03.items",
    contents: "transactions with all fields",
    more: {
      claim: "EP-03.items",
      of: "item",
      members: resourceFields.transactions.required.map((name) => `/${name}`),
      are: "a value",
    },
  },
  { operation: "GET /bank-links", items: "EP-06.items", contents: "bank links" },
  { operation: "GET /bank-accounts", items: "EP-08.items", contents: "bank accounts" },
  {
    operation: "GET /bank-transactions",
    items: "EP-09.items",
    contents: "items with a category array",
    more: { claim: "EP-09.category-array", of: "item", members: ["/category"], are: "an array" },
  },
  { operation: "GET /transaction-matches", items: "EP-11.items", contents: "matches" },
];

/** Checks that each collection contains its kind of resource. */
export const collectionChecks: readonly Check[] = COLLECTIONS.map((collection): Check => {
  const { operation, items, contents, more } = collection;
  return {
    claims: namedClaims([items, more?.claim ?? items]),
    title: `_embedded.${ITEM_KEYS[operation]}[] contains ${contents}`,
    requires: [],
    run: async (session) => {
      const pages = (await feedOf(session)).of(operation).filter(({ isJson }) => isJson);
      const skip = await session.skip(`${operation} returned no page`);
      return each(pages, skip, ({ exchange }) => defectsOf(exchange, collection));
    },
  };
});

/** The defects of a page and of its items, each of which needs an id. */
function defectsOf(exchange: Exchange, { operation, items, more }: Collection): ClaimBreach[] {
  const page = exchange.response?.json;
  const [name, evidence] = [ITEM_KEYS[operation], [exchange] as const];
  const listed = valueAt(page, ["_embedded", name]);
  const ofPage = more?.of === "page" ? membersOf(page, "", more, exchange) : [];
  if (!Array.isArray(listed)) {
    const [path, actual] = [`/_embedded/${name}`, describeValue(listed)];
    return [...ofPage, { claim: items, path, expected: "an array", actual, evidence }];
  }
  const ofItems = listed.flatMap((item, i): ClaimBreach[] => {
    const at = `/_embedded/${name}/${i}`;
    if (textOf(item, "id") !== undefined) {
      return more?.of === "item" ? membersOf(item, at, more, exchange) : [];
    }
    const actual = describeValue(memberOf(item, "id"));
    return [{ claim: items, path: `${at}/id`, expected: "an id", actual, evidence }];
  });
  return [...ofPage, ...ofItems];
}

function membersOf(
  body: unknown,
  at: string,
  { claim, members, are: expected }: NonNullable<Collection["more"]>,
  exchange: Exchange,
): ClaimBreach[] {
  return members.flatMap((path): ClaimBreach[] => {
    const value = valueAt(body, path.slice(1).split("/"));
    if (TESTS[expected](value)) return [];
    const actual = describeValue(value);
    return [{ claim, path: `${at}${path}`, expected, actual, evidence: [exchange] }];
  });
}

/** Compares lists with events. A list must contain what was announced, as it was announced. */
export const announcedItems: readonly Check[] = [
  // EP-03: GET /transactions is a collection of transactions.
  listedWhileThere({
    listed: "EP-03.lists-new",
    operation: "GET /transactions",
    announcedBy: (typed) =>
      allNamed(typed, "transaction.created").map(({ body, delivery }) => [body.id, delivery]),
  }),
  // EP-06: GET /bank-links is a collection of bank links.
  listedWhileThere({
    listed: "EP-06.lists-started",
    operation: "GET /bank-links",
    announcedBy: (typed) =>
      allNamed(typed, "banklink.completed").map(({ body, delivery }) => [
        body.bankLinkId,
        delivery,
      ]),
  }),
  // EP-08: GET /bank-accounts is a collection of bank accounts.
  listedWhileThere({
    listed: "EP-08.lists-new",
    operation: "GET /bank-accounts",
    // In each state of its connection.
    announcedBy: (typed) => [
      ...allNamed(typed, "banklink.completed").flatMap(({ body, delivery }) =>
        body.bankAccounts.map(({ id }) => [id, delivery] as const),
      ),
      ...allNamed(typed, "bankaccount.state_changed").map(
        ({ body, delivery }) => [body.bankAccountId, delivery] as const,
      ),
    ],
  }),
  // EP-09: GET /bank-transactions is a collection of bank transactions, whose category is an array
  // of provider categories.
  listedAsAnnounced("EP-09.same-as-event", "GET /bank-transactions", (typed) => {
    const removed = removedBy(typed);
    return allNamed(typed, "banktransaction.created")
      .filter(({ body }) => !removed.has(body.id))
      .map(({ body, delivery }): Announced => {
        const differences = (item: unknown) => bankTransactionDifferences(body, item);
        return { id: body.id, delivery, differences };
      });
  }),
  // EP-11: GET /transaction-matches is a collection of matches.
  listedAsAnnounced("EP-11.same-as-event", "GET /transaction-matches", (typed) => {
    const retracted = retractedBy(typed);
    return allNamed(typed, "transaction.match.created")
      .filter(({ body }) => !retracted.has(body.matchId))
      .map(({ body, delivery }): Announced => {
        return { id: body.matchId, delivery, differences: (item) => matchDifferences(body, item) };
      });
  }),
];

/** An announced resource that was not removed. */
interface Announced {
  readonly id: string;
  readonly delivery: Delivery;
  /** Compares its event with its list item. */
  readonly differences: (item: unknown) => readonly Contradiction[];
}

/** Creates a check that list items agree with their events. */
function listedAsAnnounced(
  claim: ClaimId,
  operation: CollectionOperation,
  announcedBy: (typed: readonly TypedDelivery[]) => readonly Announced[],
): Check {
  return comparedWithApi([claim], {
    title: `each item of ${operation} equals its event`,
    compared: async ({ history }, session) => {
      const list = await listAtEnd(session, operation);
      return announcedBy(history.reading.typed).flatMap(({ id, delivery, differences }) => {
        const item = list?.items.get(id);
        if (!item) return [];
        const breaches = differences(item.body).map(({ path, ...rest }): Breach => {
          const evidence = [item.exchange, delivery] as const;
          return { path: `${item.at}${path}`, ...rest, evidence };
        });
        return [{ id, breaches }];
      });
    },
    none: `${operation} lists nothing that was announced in this run`,
  });
}
