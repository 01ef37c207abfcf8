import { resourceOperations, resources } from "../../generated/resources.ts";
import { memberOf, valueAt } from "../../src/contract/pointer.ts";
import { idOf } from "../../src/contract/rules/link.ts";
import type { Session } from "../check.ts";
import { unlessSkipped } from "../skip.ts";
import type { Exchange } from "../wire/exchange.ts";
import {
  bankTransactionIn,
  bankTransactionsIn,
  type Feed,
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
  for (const subaccountId of subaccountIndex.subaccountsOf(body)) {
    const path = pathTo(operation, subaccountId, id);
    const exchange = await unlessSkipped(fetchFrom(session, operation, subaccountId, id));
    if (exchange?.response?.status === 200) return { operation, path, exchange };
  }
  return undefined;
}

/**
 * An index of the subaccount of each resource. Bank transactions and matches are fetched by
 * subaccount, but may not name it. Related resources do.
 */
export class SubaccountIndex {
  readonly #of = new Map<string, string>();
  /** All subaccounts, and a sample of them. */
  readonly #all: readonly string[];
  readonly #some: readonly string[];

  /** @param deliveries The bodies of the deliveries that also show subaccounts. */
  constructor(feed: Feed, deliveries: readonly unknown[] = []) {
    const listed = itemsOf(feed, "GET /subaccounts/{id}");
    this.#all = [...new Set(listed.flatMap(({ body }) => textOf(body, "id") ?? []))];
    this.#some = sample(this.#all, MAX_SUBACCOUNTS);
    const bodies = NAMING.flatMap((operation) => [
      ...itemsOf(feed, operation).map(({ body }) => body),
      ...feed.of(operation).map(({ exchange }) => exchange.response?.json),
    ]);
    for (const body of [...bodies, ...deliveries]) {
      const subaccountId = subaccountIn(body);
      if (subaccountId === undefined) continue;
      for (const id of idsIn(body)) if (!this.#of.has(id)) this.#of.set(id, subaccountId);
    }
  }

  /** The subaccount of the first id that is known, or else the only subaccount. */
  of(...ids: readonly (string | null | undefined)[]): string | undefined {
    const known = ids.find((id) => id && this.#of.has(id));
    return known ? this.#of.get(known) : this.#all.length === 1 ? this.#all[0] : undefined;
  }

  /**
   * The subaccounts that may contain a bank transaction or a match: the known one, or else a
   * sample.
   */
  subaccountsOf(body: unknown): readonly string[] {
    const transaction = memberOf(body, "cardTransaction");
    const related = [textOf(body, "id"), textOf(transaction, "id"), ...bankTransactionsIn(body)];
    const known = subaccountIn(body) ?? this.of(...related, textOf(transaction, "cardId"));
    return known === undefined ? this.#some : [known];
  }

  /**
   * The subaccounts that may contain a bank transaction. `isKnown` is true if they are known to
   * include the right one.
   */
  candidatesOf(bankTransactionId: string): {
    readonly subaccounts: readonly string[];
    readonly isKnown: boolean;
  } {
    const known = this.of(bankTransactionId);
    const isKnown = known !== undefined || this.#some.length === this.#all.length;
    return { subaccounts: known === undefined ? this.#some : [known], isKnown };
  }
}

/** The operations whose resources show the subaccounts of others. */
const NAMING = [
  BANK_TRANSACTION,
  "GET /transactions/{transactionId}",
  "GET /transaction-messages/{id}",
  MATCH,
] as const satisfies readonly ReadOperation[];

/** The ids of the resources that belong to the subaccount of a body. */
function idsIn(body: unknown): string[] {
  const links = valueAt(body, ["_links", "messages"]);
  const hrefs = [links].flat().map((link) => memberOf(link, "href"));
  return [
    ...hrefs.flatMap((href) => (typeof href === "string" ? idOf(href) : [])),
    ...(projectedMessages(body) ?? []).map(bankTransactionIn),
    ...bankTransactionsIn(body),
    ...[textOf(body, "id"), textOf(body, "cardId"), bankTransactionIn(body)],
  ].filter((id) => id !== undefined);
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
