import type { ClaimId } from "../../../generated/requirements.ts";
import { resourceFields } from "../../../generated/resources.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import { memberOf, segmentsOf, valueAt } from "../../../src/contract/pointer.ts";
import { type Breach, type Check, Skip } from "../../check.ts";
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
import type { Delivery } from "../../wire/exchange.ts";
import { listedWhileThere } from "../shared/announced-resources.ts";
import { eachSeen, type Judgement, judged } from "../shared/seen.ts";
import { comparedWithApi } from "../shared/served-resources.ts";

/** What the items of a collection are, and what else its pages and items need. */
interface Collection {
  readonly requirement: `EP-${"01" | "02" | "03" | "06" | "08" | "09" | "11"}`;
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

export const COLLECTIONS: readonly Collection[] = [
  {
    requirement: "EP-01",
    operation: "GET /subaccounts",
    contents: "subaccounts, in cursor style",
    more: {
      ...{ claim: "EP-01.cursor-style", of: "page", are: "nothing, in cursor style" },
      members: ["/_links/first", "/_links/last", "/_links/prev"],
    },
  },
  {
    requirement: "EP-02",
    operation: "GET /cards",
    contents: "cards, in offset style with totalItems",
    more: {
      ...{ claim: "EP-02.offset-style", of: "page", are: "a value" },
      members: ["/totalItems", "/_links/first", "/_links/last"],
    },
  },
  {
    requirement: "EP-03",
    operation: "GET /transactions",
    contents: "transactions with all fields",
    more: {
      ...{ claim: "EP-03.items", of: "item", are: "a value" },
      members: resourceFields.transactions.required.map((name) => `/${name}`),
    },
  },
  { requirement: "EP-06", operation: "GET /bank-links", contents: "bank links" },
  { requirement: "EP-08", operation: "GET /bank-accounts", contents: "bank accounts" },
  {
    requirement: "EP-09",
    operation: "GET /bank-transactions",
    contents: "items with a category array",
    more: { claim: "EP-09.category-array", of: "item", are: "an array", members: ["/category"] },
  },
  { requirement: "EP-11", operation: "GET /transaction-matches", contents: "matches" },
];

/** Checks that each collection contains its kind of resource. */
export const collectionChecks: readonly Check[] = COLLECTIONS.map(
  ({ requirement, operation, contents, more }): Check => {
    const name = ITEM_KEYS[operation];
    const items: ClaimId = `${requirement}.items`;
    return eachSeen([items, more?.claim ?? items], {
      title: `_embedded.${name}[] contains ${contents}`,
      kinds: [operation],
      judge: (page) => {
        const at = `/_embedded/${name}`;
        const listed = valueAt(page, ["_embedded", name]);
        const list: unknown[] = Array.isArray(listed) ? listed : [];
        const wrong = { path: at, expected: "an array", actual: describeValue(listed) };
        const bodies = list.map((item, i) => ({ body: item, path: `${at}/${i}` }));
        const others = more?.of === "page" ? [{ body: page, path: "" }] : bodies;
        return [
          judged(items, Array.isArray(listed), wrong),
          ...bodies.map(({ body, path }) => {
            const actual = describeValue(memberOf(body, "id"));
            const own = { path: `${path}/id`, expected: "an id", actual };
            return judged(items, textOf(body, "id") !== undefined, own);
          }),
          ...(more?.members ?? []).flatMap((member) =>
            others.map(({ body, path }) => judgedMember(body, path, member, more)),
          ),
        ];
      },
      none: new Skip(`${operation} returned no page`),
    });
  },
);

function judgedMember(
  body: unknown,
  at: string,
  member: string,
  more: Collection["more"],
): Judgement {
  const { claim, are: expected } = more as NonNullable<Collection["more"]>;
  const value = valueAt(body, segmentsOf(member));
  const wrong = { path: `${at}${member}`, expected, actual: describeValue(value) };
  return judged(claim, TESTS[expected](value), wrong);
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
