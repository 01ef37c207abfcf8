import type { ClaimId } from "../../../generated/requirements.ts";
import { resourceFields } from "../../../generated/resources.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import {
  type Breach,
  type Check,
  type ClaimBreach,
  type SeveralClaims,
  Skip,
} from "../../check.ts";
import { feedOf } from "../../observe/crawl.ts";
import {
  bankTransactionDifferences,
  type Contradiction,
  matchDifferences,
  unexplained,
} from "../../observe/deliveries/api-lookups.ts";
import { historyOf } from "../../observe/deliveries/history.ts";
import {
  allNamed,
  removedBy,
  retractedBy,
  type TypedDelivery,
} from "../../observe/deliveries/reading.ts";
import { textOf } from "../../observe/feed.ts";
import { type CollectionOperation, ITEM_KEYS } from "../../observe/operations.ts";
import { listAtEnd } from "../../scenarios/listed.ts";
import type { Delivery } from "../../wire/exchange.ts";
import { listedWhileThere } from "../shared/announced-resources.ts";

/** An additional assertion on the page or the items of one collection. Returns the defects. */
type MembershipCheck = (body: unknown) => readonly Mismatch[];

interface Mismatch {
  /** Position in the body, as a JSON pointer. */
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

interface Collection {
  readonly claims: Check["claims"];
  readonly operation: CollectionOperation;
  readonly title: string;
  readonly page?: MembershipCheck;
  readonly item?: MembershipCheck;
}

const COLLECTIONS: readonly Collection[] = [
  {
    claims: ["EP-01.items", "EP-01.cursor-style"],
    operation: "GET /subaccounts",
    title: "_embedded.subaccounts[] contains subaccounts, in cursor style",
    page: (body) => missingMembers(body, ["first", "last", "prev"].map(linkOf)),
  },
  {
    claims: ["EP-02.items", "EP-02.offset-style"],
    operation: "GET /cards",
    title: "_embedded.cards[] contains cards, in offset style with totalItems",
    page: (body) => has(body, ["/totalItems", ...["first", "last"].map(linkOf)]),
  },
  {
    claims: ["EP-03.items"],
    operation: "GET /transactions",
    title: "_embedded.transactions[] contains transactions with all fields",
    item: (body) =>
      has(
        body,
        resourceFields.transactions.required.map((name) => `/${name}`),
      ),
  },
  {
    claims: ["EP-06.items"],
    operation: "GET /bank-links",
    title: "_embedded.bankLinks[] contains bank links",
  },
  {
    claims: ["EP-08.items"],
    operation: "GET /bank-accounts",
    title: "_embedded.bankAccounts[] contains bank accounts",
  },
  {
    claims: ["EP-09.items", "EP-09.category-array"],
    operation: "GET /bank-transactions",
    title: "_embedded.bankTransactions[] contains items with a category array",
    item: (body) => {
      const category = memberOf(body, "category");
      if (Array.isArray(category)) return [];
      return [{ path: "/category", expected: "an array", actual: describeValue(category) }];
    },
  },
  {
    claims: ["EP-11.items"],
    operation: "GET /transaction-matches",
    title: "_embedded.transactionMatches[] contains matches",
  },
];

/** Checks that each collection contains its kind of resource. */
export const collectionChecks: readonly Check[] = COLLECTIONS.map(
  ({ claims, operation, title, page = () => [], item = () => [] }): Check => {
    return {
      claims: claims as SeveralClaims,
      title,
      requires: [],
      run: async (session) => {
        const pages = (await feedOf(session)).of(operation).filter(({ isJson }) => isJson);
        const skip = await session.skip(`${operation} returned no page`);
        // The last claim is the one beside "contains items", if there are two.
        const claim = claims.at(-1) as ClaimId;
        return each(pages, skip, ({ exchange }): ClaimBreach[] => {
          const body = exchange.response?.json;
          const found = [...page(body), ...inItems(body, ITEM_KEYS[operation], item)];
          return found.map((one) => ({ claim, ...one, evidence: [exchange] }));
        });
      },
    };
  },
);

/** Compares lists with events. A list must contain what was announced, as it was announced. */
export const announcedItems: readonly Check[] = [
  // EP-03: GET /transactions is a collection of transactions.
  listedWhileThere({
    claim: "EP-03.lists-new",
    operation: "GET /transactions",
    announcedBy: (typed) =>
      allNamed(typed, "transaction.created").map(({ body, delivery }) => [body.id, delivery]),
  }),
  // EP-06: GET /bank-links is a collection of bank links.
  listedWhileThere({
    claim: "EP-06.lists-started",
    operation: "GET /bank-links",
    announcedBy: (typed) =>
      allNamed(typed, "banklink.completed").map(({ body, delivery }) => [
        body.bankLinkId,
        delivery,
      ]),
  }),
  // EP-08: GET /bank-accounts is a collection of bank accounts.
  listedWhileThere({
    claim: "EP-08.lists-new",
    operation: "GET /bank-accounts",
    announcedBy: (typed) =>
      allNamed(typed, "banklink.completed").flatMap(({ body, delivery }) =>
        body.bankAccounts.map(({ id }) => [id, delivery] as const),
      ),
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

/**
 * Creates a check that list items agree with their events. Items that were removed since are
 * ignored.
 */
function listedAsAnnounced(
  claim: ClaimId,
  operation: CollectionOperation,
  announcedBy: (typed: readonly TypedDelivery[]) => readonly Announced[],
): Check {
  return {
    claims: [claim],
    title: `each item of ${operation} equals its event`,
    requires: ["deliveries", "state"],
    run: async (session) => {
      const announced = announcedBy((await historyOf(session)).reading.typed);
      const list = await listAtEnd(session, operation);
      const compared = announced.flatMap(({ id, delivery, differences }) => {
        const item = list?.items.get(id);
        if (!item) return [];
        const breaches = differences(item.body).map(({ path, ...rest }): Breach => {
          const evidence = [item.exchange, delivery] as const;
          return { path: `${item.at}${path}`, ...rest, evidence };
        });
        return [{ id, breaches }];
      });
      const remaining = await unexplained(
        session,
        compared.filter(({ breaches }) => breaches.length > 0),
        ({ id }, later) => removedBy(later).has(id) || retractedBy(later).has(id),
      );
      const found = new Map(remaining.map(({ id, breaches }) => [id, breaches]));
      const skip = new Skip(`${operation} lists nothing that was announced in this run`);
      return each(compared, skip, ({ id }) => found.get(id) ?? []);
    },
  };
}

/** The defects of a page's items: each needs an id and the fields of its kind. */
function inItems(body: unknown, name: string, item: MembershipCheck): Mismatch[] {
  const items = valueAt(body, ["_embedded", name]);
  const above = `/_embedded/${name}`;
  if (!Array.isArray(items)) {
    return [{ path: above, expected: "an array", actual: describeValue(items) }];
  }
  return items.flatMap((one, i) => {
    const id = textOf(one, "id");
    const mismatches: readonly Mismatch[] =
      id === undefined
        ? [{ path: "/id", expected: "an id", actual: describeValue(memberOf(one, "id")) }]
        : item(one);
    return mismatches.map(({ path, ...rest }) => ({ path: `${above}/${i}${path}`, ...rest }));
  });
}

const linkOf = (name: string) => `/_links/${name}`;

function has(body: unknown, paths: readonly string[]): Mismatch[] {
  return paths
    .filter((path) => valueIn(body, path) === undefined)
    .map((path) => ({ path, expected: "a value", actual: "nothing" }));
}

function missingMembers(body: unknown, paths: readonly string[]): Mismatch[] {
  return paths
    .filter((path) => valueIn(body, path) !== undefined)
    .map((path) => {
      return {
        path,
        expected: "no such link in cursor style",
        actual: describeValue(valueIn(body, path)),
      };
    });
}

function valueIn(body: unknown, path: string): unknown {
  return valueAt(body, path.slice(1).split("/"));
}
