import { resourceOperations, resources } from "../../generated/resources.ts";
import { memberOf, valueAt } from "../../src/contract/pointer.ts";
import { idOf } from "../../src/contract/rules/link.ts";
import type { Session } from "../check.ts";
import { Skip } from "../skip.ts";
import type { Exchange } from "../wire/exchange.ts";
import { isNamed, messageIdsOf, postingIdsOf, type TypedDelivery } from "./deliveries/reading.ts";
import {
  bankTransactionIn,
  bankTransactionsIn,
  type Feed,
  type Item,
  itemsOf,
  projectedMessages,
  sample,
  textOf,
} from "./feed.ts";
import { linkAt, pathOf, type ReadOperation } from "./operations.ts";

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

/** A resource that was found by its subaccount and id. */
interface Unlinked {
  readonly operation: InSubaccount;
  readonly path: string;
  readonly exchange: Exchange;
}

/**
 * Fetches listed bank transactions and matches that have no self link, which the interface does not
 * require. Related resources name the subaccount; otherwise a few subaccounts are searched.
 * Resources that are not found are ignored.
 */
export async function fetchUnlinked(session: Session, feed: Feed): Promise<Unlinked[]> {
  const subaccountIndex = new SubaccountIndex(feed);
  const fetched: Unlinked[] = [];
  for (const operation of [MATCH, BANK_TRANSACTION] as const) {
    const unlinked = itemsOf(feed, operation).filter(
      ({ body }) => linkAt(body, ["_links", "self"]) === undefined,
    );
    const found = await Promise.all(
      sample(unlinked, MAX_UNLINKED).map(({ body }) =>
        look(session, operation, body, subaccountIndex),
      ),
    );
    for (const one of found) if (one) fetched.push(one);
  }
  return fetched;
}

async function look(
  session: Session,
  operation: InSubaccount,
  body: unknown,
  subaccountIndex: SubaccountIndex,
): Promise<Unlinked | undefined> {
  const id = textOf(body, "id");
  if (id === undefined) return undefined;
  for (const subaccountId of subaccountIndex.subaccountsOf(operation, body)) {
    const path = pathTo(operation, subaccountId, id);
    try {
      const exchange = await fetchFrom(session, operation, subaccountId, id);
      if (exchange.response?.status === 200) return { operation, path, exchange };
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
    const subaccounts = itemsOf(feed, "GET /subaccounts/{id}").flatMap(({ body }) => idsOf(body));
    this.#all = sample([...new Set(subaccounts)], MAX_SUBACCOUNTS);
    this.#subaccounts = new Set(subaccounts).size;
    const bodies = (operation: ReadOperation) => [
      ...itemsOf(feed, operation).map(({ body }: Item) => body),
      ...feed.of(operation).map(({ exchange }) => exchange.response?.json),
    ];
    for (const body of bodies(BANK_TRANSACTION)) note(this.#bankTransactions, idsOf(body), body);
    for (const body of bodies("GET /transactions/{transactionId}")) {
      note(this.#transactions, idsOf(body), body);
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

function idsOf(body: unknown): string[] {
  return [textOf(body, "id") ?? []].flat();
}

/**
 * Finds the subaccount of resources that do not name it. Bank transactions and matches are fetched
 * by subaccount, but their events omit it. Related resources name it.
 */
export class Subaccounts {
  readonly #of = new Map<string, string>();
  readonly #only: string | undefined;

  constructor(typed: readonly TypedDelivery[], feed: Feed) {
    const listed = feed.of("GET /subaccounts").flatMap(({ exchange }) => {
      const items = valueAt(exchange.response?.json, ["_embedded", "subaccounts"]);
      return Array.isArray(items) ? items.map((item) => memberOf(item, "id")) : [];
    });
    const [only] = listed;
    this.#only = listed.length === 1 && typeof only === "string" ? only : undefined;
    for (const { exchange } of feed.of("GET /transactions")) {
      const items = valueAt(exchange.response?.json, ["_embedded", "transactions"]);
      for (const item of Array.isArray(items) ? items : []) this.#noteListed(item);
    }
    for (const one of typed) this.#note(one);
  }

  /** The subaccount of the first id that is known. */
  of(...ids: readonly (string | null | undefined)[]): string | undefined {
    for (const id of ids) {
      const known = id ? this.#of.get(id) : undefined;
      if (known !== undefined) return known;
    }
    return this.#only;
  }

  #note(one: TypedDelivery): void {
    if (isNamed(one, "transaction.created", "transaction.updated")) {
      const { id, cardId, subaccountId } = one.body;
      this.#add(subaccountId, [id, cardId, ...messageIdsOf(one.body), ...postingIdsOf(one)]);
    } else if (isNamed(one, "transactionmessage.created")) {
      const { id, cardId, subaccountId } = one.body;
      this.#add(subaccountId, [id, cardId, ...postingIdsOf(one)]);
    } else if (isNamed(one, "cardsubscription.created", "cardsubscription.updated")) {
      this.#add(one.body.subaccountId, [one.body.cardId]);
    }
  }

  #noteListed(item: unknown): void {
    const subaccountId = memberOf(item, "subaccountId");
    if (typeof subaccountId !== "string") return;
    const links = valueAt(item, ["_links", "messages"]);
    const hrefs = Array.isArray(links) ? links.map((link) => memberOf(link, "href")) : [];
    const messages = hrefs.flatMap((href) => (typeof href === "string" ? [idOf(href)] : []));
    this.#add(subaccountId, [memberOf(item, "id"), memberOf(item, "cardId"), ...messages]);
  }

  #add(subaccountId: string, ids: readonly unknown[]): void {
    for (const id of ids) if (typeof id === "string") this.#of.set(id, subaccountId);
  }
}
