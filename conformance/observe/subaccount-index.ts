import { resourceOperations, resources } from "../../generated/resources.ts";
import { valueAt } from "../../src/contract/pointer.ts";
import type { Session } from "../run/session.ts";
import { Skip } from "../run/skip.ts";
import type { Exchange } from "../wire/exchange.ts";
import type { Feed } from "./feed.ts";
import {
  bankTransactionIn,
  bankTransactionsIn,
  type Item,
  itemsOf,
  projectedMessages,
  textOf,
} from "./items.ts";
import type { LinkCrawler } from "./link-crawler.ts";
import { linkAt, pathOf } from "./links.ts";
import type { ReadOperation } from "./operations.ts";
import { sample } from "./sample.ts";

export const BANK_TRANSACTION = resourceOperations.bankTransactions.get;
export const MATCH = resourceOperations.transactionMatches.get;

/** Operations addressed by subaccount and id (EP-10, EP-12). */
type InSubaccount = typeof BANK_TRANSACTION | typeof MATCH;

/** Maximum number of unlinked resources fetched per kind. */
const MAX_UNLINKED = 60;

/** Maximum number of subaccounts searched for a resource that names none. */
const MAX_SUBACCOUNTS = 3;

/** The path of a resource in a subaccount. */
export function pathTo(operation: InSubaccount, subaccountId: string, id: string): string {
  const { path } = operation === MATCH ? resources.transactionMatches : resources.bankTransactions;
  return `${path}/${encodeURIComponent(subaccountId)}/${encodeURIComponent(id)}`;
}

/** Fetches a resource by subaccount and id, like the client. */
export function fetchFrom(
  session: Session,
  operation: InSubaccount,
  subaccountId: string,
  id: string,
): Promise<Exchange> {
  return operation === MATCH
    ? session.call(MATCH, { path: { subaccountId, matchId: id } })
    : session.call(BANK_TRANSACTION, { path: { subaccountId, id } });
}

/**
 * Fetches listed bank transactions and matches that have no self link, which the interface does not
 * require. Related resources name the subaccount; otherwise a few subaccounts are searched.
 * Resources that are not found are ignored.
 */
export async function fetchUnlinked(
  session: Session,
  feed: Feed,
  crawler: LinkCrawler,
): Promise<void> {
  const subaccountIndex = new SubaccountIndex(feed);
  for (const operation of [MATCH, BANK_TRANSACTION] as const) {
    const unlinked = itemsOf(feed, operation).filter(
      ({ body }) => linkAt(body, ["_links", "self"]) === undefined,
    );
    const found = await Promise.all(
      sample(unlinked, MAX_UNLINKED).map(({ body }) =>
        look(session, operation, body, subaccountIndex),
      ),
    );
    for (const one of found) if (one) crawler.addAt(one.path, operation, one.exchange);
  }
}

async function look(
  session: Session,
  operation: InSubaccount,
  body: unknown,
  subaccountIndex: SubaccountIndex,
) {
  const id = textOf(body, "id");
  if (id === undefined) return undefined;
  for (const subaccountId of subaccountIndex.subaccountsOf(operation, body)) {
    const path = pathTo(operation, subaccountId, id);
    try {
      const exchange = await fetchFrom(session, operation, subaccountId, id);
      if (exchange.response?.status === 200) return { path, exchange };
    } catch (error) {
      if (!(error instanceof Skip)) throw error;
    }
  }
  return undefined;
}

/** An index of the subaccount of each resource, built from the responses so far. */
export class SubaccountIndex {
  readonly #bankTransactions = new Map<string, string>();
  readonly #transactions = new Map<string, string>();
  readonly #cards = new Map<string, string>();
  /** A sample of the subaccounts. */
  readonly #all: readonly string[];
  /** The number of subaccounts. */
  readonly #subaccounts: number;

  constructor(feed: Feed) {
    const subaccounts = itemsOf(feed, "GET /subaccounts/{id}").flatMap(({ body }) => idOf(body));
    this.#all = sample([...new Set(subaccounts)], MAX_SUBACCOUNTS);
    this.#subaccounts = new Set(subaccounts).size;
    const bodies = (operation: ReadOperation) => [
      ...itemsOf(feed, operation).map(({ body }: Item) => body),
      ...feed.of(operation).map(({ exchange }) => exchange.response?.json),
    ];
    for (const body of bodies(BANK_TRANSACTION)) note(this.#bankTransactions, idOf(body), body);
    for (const body of bodies("GET /transactions/{transactionId}")) {
      note(this.#transactions, idOf(body), body);
      note(this.#cards, [textOf(body, "cardId") ?? []].flat(), body);
      for (const message of projectedMessages(body) ?? []) {
        note(this.#bankTransactions, [bankTransactionIn(message) ?? []].flat(), body);
      }
    }
    for (const body of bodies("GET /transaction-messages/{id}")) {
      note(this.#bankTransactions, [bankTransactionIn(body) ?? []].flat(), body);
    }
    for (const body of bodies(MATCH)) note(this.#bankTransactions, bankTransactionsIn(body), body);
  }

  /**
   * The subaccounts that may contain a bank transaction or a match: the known one, or else a
   * sample.
   */
  subaccountsOf(operation: InSubaccount, body: unknown): readonly string[] {
    const known = subaccountIn(body) ?? this.#subaccountOf(operation, body);
    return known === undefined ? this.#all : [known];
  }

  /**
   * The subaccounts that may contain a bank transaction. `isKnown` is true if they are known to
   * include the right one.
   */
  candidatesOf(bankTransactionId: string): {
    readonly subaccounts: readonly string[];
    readonly isKnown: boolean;
  } {
    const known = this.#bankTransactions.get(bankTransactionId);
    const isKnown = known !== undefined || this.#all.length === this.#subaccounts;
    return { subaccounts: known === undefined ? this.#all : [known], isKnown };
  }

  #subaccountOf(operation: InSubaccount, body: unknown): string | undefined {
    if (operation === BANK_TRANSACTION) return this.#bankTransactions.get(textOf(body, "id") ?? "");
    const [first = ""] = bankTransactionsIn(body);
    const card = textOf(valueAt(body, ["cardTransaction"]), "cardId") ?? "";
    const transaction = textOf(valueAt(body, ["cardTransaction"]), "id") ?? "";
    return (
      this.#transactions.get(transaction) ??
      this.#bankTransactions.get(first) ??
      this.#cards.get(card)
    );
  }
}

function note(map: Map<string, string>, ids: readonly string[], body: unknown): void {
  const subaccountId = subaccountIn(body);
  if (subaccountId === undefined) return;
  for (const id of ids) if (!map.has(id)) map.set(id, subaccountId);
}

/** The subaccount that a resource names, in its own field or in the path of its self link. */
function subaccountIn(body: unknown): string | undefined {
  const own = textOf(body, "subaccountId");
  if (own !== undefined) return own;
  const [, kind, subaccountId, id] = pathOf(linkAt(body, ["_links", "self"]) ?? "").split("/");
  const placed: readonly string[] = [
    resources.bankTransactions.path,
    resources.transactionMatches.path,
  ];
  const isPlaced = placed.includes(`/${kind}`);
  return isPlaced && id !== undefined ? subaccountId : undefined;
}

function idOf(body: unknown): string[] {
  return [textOf(body, "id") ?? []].flat();
}
