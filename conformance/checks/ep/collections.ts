import type { ClaimId } from "../../../generated/requirements.ts";
import { resourceFields } from "../../../generated/resources.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import type { Breach, Check } from "../../check.ts";
import { feedOf } from "../../observe/crawl.ts";
import { textOf } from "../../observe/items.ts";
import { type CollectionOperation, ITEM_KEYS } from "../../observe/operations.ts";

/** An additional assertion on the page or the items of one collection. Returns the defects. */
type MembershipCheck = (body: unknown) => readonly Mismatch[];

interface Mismatch {
  /** Position in the body, as a JSON pointer. */
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

interface Collection {
  readonly claims: readonly ClaimId[];
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
      claims,
      title,
      requires: [],
      run: async (session) => {
        const pages = (await feedOf(session)).of(operation).filter(({ isJson }) => isJson);
        const skip = await session.skip(`${operation} returned no page`);
        return each(pages, skip, ({ exchange }): Breach[] => {
          const body = exchange.response?.json;
          const found = [...page(body), ...inItems(body, ITEM_KEYS[operation], item)];
          return found.map((one) => ({ ...one, evidence: [exchange] }));
        });
      },
    };
  },
);

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
