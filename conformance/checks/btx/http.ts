import type { ClaimId } from "../../../generated/requirements.ts";
import { maxPageSize } from "../../../generated/resources.ts";
import { caseCheck, each } from "../../assert.ts";
import { type Breach, type Check, type Session, Skip } from "../../check.ts";
import { feedOf, MAX_RECHECKS, observationsOf, Recheck } from "../../observe/crawl.ts";
import {
  BANK_TRANSACTION,
  bankTransactionIn,
  bankTransactionsIn,
  isBankOnly,
  itemsOf,
  listAt,
  MATCH,
  type Observation,
  pathTo,
  SubaccountIndex,
  sample,
  textOf,
} from "../../observe/feed.ts";
import { sameId } from "../../observe/operations.ts";
import { walk } from "../../observe/pages.ts";
import { unlessSkipped } from "../../skip.ts";
import { type Exchange, outcomeOf } from "../../wire/exchange.ts";
import { none } from "../shared/bodies.ts";

const NO_MATCH = new Skip("no match names a bank transaction", "post a purchase at the bank");

/** Checks that bank transactions exist to which messages and matches refer, by id. */
export const bankTransactions: readonly Check[] = [
  // MSG-11: bankData.bankTransactionId equals the banktransaction.created id and resolves at GET
  // /bank-transactions/{subaccountId}/{id}.
  {
    claims: ["MSG-11.resolves"],
    title: "bankData.bankTransactionId is the id of a bank transaction",
    requires: ["state"],
    run: async (session) => {
      const keys = await messageKeysOf(session);
      const decided = keys.filter((key) => isConclusive(key, keys));
      const gone = "no message's bank transaction exists: all may have been removed";
      const { reason, hint } = none.bankSourced;
      const skip = await session.skip(keys.length === 0 ? reason : gone, hint);
      return each(decided, skip, breachesOfKey);
    },
  },
  // MAT-04: matches[].id is a bank transaction's id, as announced by banktransaction.created.
  caseCheck(["MAT-04.resolves"], {
    title: "matches[].id of a match is the id of a bank transaction",
    requires: ["state"],
    cases: async (session) => (await matchKeysOf(session)).filter(({ exchange }) => exchange),
    none: NO_MATCH,
    find: breachesOfKey,
  }),
  caseCheck(["MAT-04.same-account"], {
    title: "matches[].bankAccountId is the account of the bank transaction",
    requires: ["state"],
    cases: async (session) => {
      const items = itemsOf(await feedOf(session), BANK_TRANSACTION);
      const bank = new Map(items.map((item) => [textOf(item.body, "id"), item]));
      return (await observationsOf(session)).matches.flatMap(({ body, at, exchange }) =>
        listAt(body, "matches").flatMap((one, i) => {
          const item = bank.get(textOf(one, "id"));
          const account = textOf(one, "bankAccountId");
          const own = textOf(item?.body, "bankAccountId");
          const path = `${at}/matches/${i}/bankAccountId`;
          return item && account && own ? [{ account, own, path, exchange, item }] : [];
        }),
      );
    },
    none: NO_MATCH,
    find: ({ account, own, path, exchange, item }): Breach[] => {
      if (sameId(account, own)) return [];
      const expected = `${own}, the account of the bank transaction`;
      return [{ path, expected, actual: account, evidence: [exchange, item.exchange] }];
    },
  }),
  // BTX-07: Deletions from before the event existed are reconciled by GET /bank-transactions.
  reconciles(
    "BTX-07.of-listed-match",
    "GET /bank-transactions lists the bank transactions of listed matches",
  ),
  // MAT-11: Earlier removals of matches are reconciled by GET /transaction-matches.
  reconciles("MAT-11.names-listed", "GET /transaction-matches names only listed bank transactions"),
];

/**
 * Checks that every bank transaction of a listed match is listed too. A breach does not show which
 * of the two lists is wrong.
 */
function reconciles(claim: ClaimId, title: string): Check {
  return {
    claims: [claim],
    title,
    requires: ["state"],
    run: async (session) => {
      const { compared, unlisted } = await reconcile(session);
      if (compared === 0) return session.skip("no listed match names a bank transaction");
      return { assertions: compared, breaches: unlisted.map(({ breach }) => breach) };
    },
  };
}

/** A reference to a bank transaction by its id. */
interface Reference {
  readonly id: string;
  /** Whether the reference belongs to a transaction that only a bank reported. */
  readonly isBankOnly: boolean;
  /** The response with the reference, and a JSON pointer to it. */
  readonly by: Exchange;
  readonly at: string;
}

/** What the API returned for a reference. */
interface Resolved {
  readonly naming: Reference;
  /**
   * Undefined if it is inconclusive: its subaccount is unknown, its reference was removed since, or
   * it was not rechecked.
   */
  readonly exchange?: Exchange;
  /** Whether it does not exist and is not listed, so that it may have been removed. */
  readonly isGone: boolean;
}

/** Maximum number of join keys followed. */
const MAX_KEYS = 150;

/** Fetches the bank transactions that messages refer to, by join key (MSG-11). */
function messageKeysOf(session: Session): Promise<readonly Resolved[]> {
  return session.share("join keys of messages", async (own) => {
    const { messages, projections } = await observationsOf(session);
    return resolve(own, [
      ...messages.flatMap((one) => namingIn(one, one.body)),
      ...projections.flatMap((one) => namingIn(one, one.transaction.body)),
    ]);
  });
}

/** Fetches the bank transactions that matches refer to, by join key (MAT-04). */
function matchKeysOf(session: Session): Promise<readonly Resolved[]> {
  return session.share("join keys of matches", async (own) => {
    const { matches } = await observationsOf(session);
    return resolve(
      own,
      matches.flatMap(({ body, at, exchange }) =>
        bankTransactionsIn(body).map((id) => {
          return { id, isBankOnly: false, by: exchange, at: `${at}/matches` };
        }),
      ),
    );
  });
}

function namingIn({ body, at, exchange }: Observation, owner: unknown): Reference[] {
  const id = bankTransactionIn(body);
  // Its URL requires a subaccount.
  if (id === undefined || textOf(owner, "subaccountId") === undefined) return [];
  return [
    { id, isBankOnly: isBankOnly(body), by: exchange, at: `${at}/bankData/bankTransactionId` },
  ];
}

/** Fetches bank transactions by id. */
async function resolve(session: Session, namings: readonly Reference[]): Promise<Resolved[]> {
  const feed = await feedOf(session);
  const subaccountIndex = new SubaccountIndex(feed);
  const recheck = new Recheck(session);
  const listed = new Map(
    itemsOf(feed, BANK_TRANSACTION).map(({ body, exchange }) => [textOf(body, "id"), exchange]),
  );
  const isListed = async (id: string) => {
    const page = listed.get(id);
    const again = page && (await recheck.fetch(page));
    return again?.response?.body.includes(id) ?? false;
  };
  let suspects = 0;
  const resolveOne = async (naming: Reference): Promise<Resolved> => {
    const open = { naming, isGone: false };
    const { id, by } = naming;
    const { subaccounts, isKnown } = subaccountIndex.candidatesOf(id);
    let last: Exchange | undefined;
    for (const subaccountId of subaccounts) {
      const path = pathTo(BANK_TRANSACTION, subaccountId, id);
      const exchange = feed.at(path)?.exchange ?? (await unlessSkipped(session.follow(path)));
      if (exchange?.response?.status === 200) return { ...open, exchange };
      last = exchange ?? last;
    }
    // If no response names its subaccount, it may be in one that was not searched.
    if (!last || !isKnown) return open;
    suspects += 1;
    if (suspects > MAX_RECHECKS) return open;
    const [exchange, carrier] = await Promise.all([recheck.fetch(last), recheck.fetch(by)]);
    if (!exchange || !carrier?.response?.body.includes(id)) return open;
    const { status = 0 } = exchange.response ?? {};
    const isGone = status >= 400 && status < 500 && !(await isListed(id));
    return { naming, exchange, isGone };
  };
  const each = [...new Map(namings.map((naming) => [naming.id, naming])).values()];
  return Promise.all(sample(each, MAX_KEYS).map(resolveOne));
}

/** The maximum number of missing keys that removals can explain. */
const MAX_REMOVED = 2;

/**
 * Whether the response for a key is conclusive. A key that is gone may belong to a removed bank
 * transaction, and the interface does not say whether such a key still resolves. If all of more
 * than `MAX_REMOVED` keys are gone, they are not join keys. Bank-only keys are counted separately.
 */
function isConclusive({ naming, exchange, isGone }: Resolved, all: readonly Resolved[]): boolean {
  if (!isGone) return exchange !== undefined;
  const alike = all.filter((one) => one.naming.isBankOnly === naming.isBankOnly);
  return alike.length > MAX_REMOVED && alike.every((one) => one.isGone);
}

/** Reports a reference that leads to another resource or to none. */
function breachesOfKey({ naming: { id, by, at }, exchange }: Resolved): Breach[] {
  if (!exchange) return [];
  if (exchange.response?.status === 200) {
    const actual = textOf(exchange.response.json, "id");
    // EP-10 reports a missing id.
    if (actual === undefined || sameId(actual, id)) return [];
    const expected = `bank transaction ${id}, as in the reference`;
    return [{ path: "/id", expected, actual, evidence: [exchange, by] }];
  }
  const { pathname } = new URL(exchange.request.url);
  const expected = `the id of a bank transaction: 200 at ${pathname}`;
  return [{ path: at, expected, actual: outcomeOf(exchange), evidence: [by, exchange] }];
}

interface Reconciliation {
  /** The number of bank transaction ids in listed matches; 0 if a list was not read to its end. */
  readonly compared: number;
  /** The ids that the list of bank transactions lacks. */
  readonly unlisted: readonly { readonly id: string; readonly breach: Breach }[];
}

/**
 * Compares the lists of matches and bank transactions, by which clients reconcile removals: the
 * match of a removed bank transaction is retracted, so every bank transaction of a listed match is
 * listed (BTX-05, BTX-07, MAT-11). Mismatches are confirmed with a second walk, because a removal
 * may fall between the walks.
 */
function reconcile(session: Session): Promise<Reconciliation> {
  return session.share("reconciliation", async (own) => {
    const { walks } = await feedOf(session);
    const first = compare(walks);
    if (first.unlisted.length === 0) return first;
    // A bank transaction removed after this walk was not a suspect before, so it is not reported.
    const matches = await walk(own, "GET /transaction-matches", { limit: maxPageSize });
    const bankTransactions = await walk(own, "GET /bank-transactions", { limit: maxPageSize });
    const again = [matches, bankTransactions].map((one) => [one.operation, one] as const);
    const suspects = new Set(first.unlisted.map(({ id }) => id));
    const { compared, unlisted } = compare(new Map(again));
    return { compared, unlisted: unlisted.filter(({ id }) => suspects.has(id)) };
  });
}

type Walks = Parameters<typeof itemsOf>[0]["walks"];

function compare(walks: Walks): Reconciliation {
  const lists = ["GET /transaction-matches", "GET /bank-transactions"] as const;
  const isWhole = lists.every((list) => walks.get(list)?.end.kind === "last");
  const list = walks.get("GET /bank-transactions")?.pages.at(-1)?.exchange;
  if (!isWhole || !list) return { compared: 0, unlisted: [] };
  const listed = new Set(
    itemsOf({ walks }, BANK_TRANSACTION).map(({ body }) => textOf(body, "id")),
  );
  const named = itemsOf({ walks }, MATCH).flatMap(({ body, at, exchange: page }) =>
    bankTransactionsIn(body).map((id) => ({ id, page, at })),
  );
  const unlisted = named
    .filter(({ id }) => !listed.has(id))
    .slice(0, MAX_RECHECKS)
    .map(({ id, page, at }) => {
      const expected = "a listed bank transaction, or no such match";
      const actual = `${id}, not listed`;
      const breach: Breach = { path: `${at}/matches`, expected, actual, evidence: [page, list] };
      return { id, breach };
    });
  return { compared: named.length, unlisted };
}
