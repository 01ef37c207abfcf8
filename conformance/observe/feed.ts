import { resourceOperations, resources } from "../../generated/resources.ts";
import { memberOf, valueAt } from "../../src/contract/pointer.ts";
import { OPEN_BANKING } from "../../src/contract/rules/vocabulary.ts";
import type { OperationWithResponse } from "../../src/contract/validate.ts";
import type { Exchange } from "../wire/exchange.ts";
import {
  type CollectionOperation,
  type FoundLink,
  idIn,
  LISTED_BY,
  linkAt,
  operationAt,
  pathOf,
  type ReadOperation,
} from "./operations.ts";
import { type Item, placedItems, type Walk } from "./pages.ts";
import type { ValidatedResponse } from "./validation.ts";

/** A link in a response, and the result of following it. */
export interface FollowedLink extends FoundLink {
  /** The first response with the link. */
  readonly from: Exchange;
  /** The operation it leads to; undefined if it is not in the interface. */
  readonly operation: ReadOperation | undefined;
  /** Omitted if the link was not followed; `refusal` then has the reason. */
  readonly exchange?: Exchange;
  readonly refusal?: string;
}

/** The target's data: its lists and everything reachable through links. */
export interface Feed {
  readonly walks: ReadonlyMap<CollectionOperation, Walk>;
  /** Every response: the token, each page and each resource. */
  readonly responses: readonly ValidatedResponse[];
  /** Every selected link, once. */
  readonly links: readonly FollowedLink[];
  /** The responses of an operation. */
  readonly of: (operation: OperationWithResponse) => readonly ValidatedResponse[];
  /** The response at a resource's path; undefined if it was not requested. */
  readonly at: (path: string) => ValidatedResponse | undefined;
}

/** The list items of the resources that an operation returns; empty if no collection lists them. */
export function itemsOf({ walks }: Pick<Feed, "walks">, operation: ReadOperation): Item[] {
  const collection = (LISTED_BY as Partial<Record<ReadOperation, CollectionOperation>>)[operation];
  if (!collection) return [];
  const pages = walks.get(collection)?.pages ?? [];
  return pages
    .flatMap((page) => placedItems(collection, page))
    .filter(({ body }) => isObject(body));
}

/** A resource as seen in a response: by itself, in a list, or embedded in its transaction. */
export interface Observation extends Item {
  readonly isListed: boolean;
}

/** Every resource that an operation returns, as lists and its own responses show it. */
export function observed(feed: Feed, operation: ReadOperation): Observation[] {
  const listed = itemsOf(feed, operation).map((item) => ({ ...item, isListed: true }));
  const singles = feed.of(operation).flatMap(({ exchange, isJson }) => {
    const body = exchange.response?.json;
    return isJson && isObject(body) ? [{ body, at: "", exchange, isListed: false }] : [];
  });
  return [...listed, ...singles];
}

/** Every message that is embedded in a transaction, with its transaction. */
export function projectionsIn(transactions: readonly Observation[]) {
  return transactions.flatMap((transaction) =>
    (projectedMessages(transaction.body) ?? []).flatMap((body, i) => {
      const at = `${transaction.at}/_embedded/messages/${i}`;
      return isObject(body) ? [{ ...transaction, body, at, transaction }] : [];
    }),
  );
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A string member; undefined if it is missing, empty or cannot be encoded in a URL. */
export function textOf(body: unknown, name: string): string | undefined {
  const value = memberOf(body, name);
  if (typeof value !== "string" || value === "") return undefined;
  return LONE_SURROGATE.test(value) ? undefined : value;
}

/** A list member of a body; empty if there is none. */
export function listAt(body: unknown, name: string): unknown[] {
  const list = memberOf(body, name);
  return Array.isArray(list) ? list : [];
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** The messages that a transaction embeds; undefined if the account's projection is off. */
export function projectedMessages(transaction: unknown): readonly unknown[] | undefined {
  const messages = valueAt(transaction, ["_embedded", "messages"]);
  return Array.isArray(messages) ? messages : undefined;
}

/** The ids of the messages that a transaction links to. */
export function messageIdsOf(transaction: unknown): string[] {
  return linkedMessages(transaction) ?? [];
}

/** As {@link messageIdsOf}; undefined if the transaction has no list of links. */
export function linkedMessages(transaction: unknown): string[] | undefined {
  const links = valueAt(transaction, ["_links", "messages"]);
  if (!Array.isArray(links)) return undefined;
  return links.flatMap((link) => {
    const href = memberOf(link, "href");
    return typeof href === "string" ? idIn(href) : [];
  });
}

/** The ids of the superseded messages of a transaction. */
export function supersededIn(transaction: unknown): readonly unknown[] {
  return listAt(transaction, "supersededMessageIds");
}

/** Whether a transaction or a message is bank-only by its network. */
export function isBankOnly(body: unknown): boolean {
  return memberOf(body, "network") === OPEN_BANKING;
}

/** Whether all messages of a transaction are marked as bank-only (TXN-16). */
export function isMarked(body: unknown): boolean {
  const projected = projectedMessages(body) ?? [];
  return projected.length > 0 && projected.every(isMarkedMessage);
}

function isMarkedMessage(body: unknown): boolean {
  const isReferred = textOf(body, "transactionReference")?.startsWith("bank_");
  const isSourced = memberOf(body, "bankData") != null;
  return isReferred === true && memberOf(body, "approvalCode") == null && isSourced;
}

/** Whether a body has both timestamps. */
export function hasTimes(body: unknown): boolean {
  return ["createdAt", "updatedAt"].every((name) => !Number.isNaN(timeOf(body, name)));
}

/** Whether `updatedAt` is not before `createdAt`. */
export function isInOrder(body: unknown): boolean {
  return timeOf(body, "updatedAt") >= timeOf(body, "createdAt");
}

function timeOf(body: unknown, name: string): number {
  return Date.parse(`${memberOf(body, name)}`);
}

/** The id of the bank transaction that a message names; undefined if there is none. */
export function bankTransactionIn(message: unknown): string | undefined {
  return textOf(memberOf(message, "bankData"), "bankTransactionId");
}

/** The ids of the bank transactions of a match. */
export function bankTransactionsIn(match: unknown): string[] {
  return listAt(match, "matches").flatMap((one) => textOf(one, "id") ?? []);
}

/** Samples `most` items, evenly spaced from the first to the last. */
export function sample<T>(list: readonly T[], most: number): T[] {
  if (list.length <= most) return [...list];
  const step = (list.length - 1) / Math.max(1, most - 1);
  return Array.from({ length: most }, (_, i) => list[Math.round(i * step)] as T);
}

/** Maximum number of resources per case that get priority. */
const MAX_PER_CASE = 8;

/**
 * Samples `most` resources of a list. Rare cases that requirements cover, such as a superseded
 * message, come first; the rest is evenly spaced. Returns the whole list if it is short enough.
 */
export function sampleByCase<T>(
  list: readonly T[],
  most: number,
  bodyOf: (one: T) => unknown,
): T[] {
  if (list.length <= most) return [...list];
  const counts = new Map<string, number>();
  const chosen = new Set<T>();
  for (const one of list) {
    if (chosen.size >= most / 2) break;
    const rare = casesOf(bodyOf(one)).filter((name) => (counts.get(name) ?? 0) < MAX_PER_CASE);
    if (rare.length === 0) continue;
    chosen.add(one);
    for (const name of rare) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const rest = list.filter((one) => !chosen.has(one));
  return [...chosen, ...sample(rest, most - chosen.size)];
}

/** Members whose values distinguish cases. */
const DISTINGUISHING = ["network", "status", "transactionType", "confidence", "pending", "cardId"];

/** The cases that a resource belongs to. */
function casesOf(body: unknown): string[] {
  const values = DISTINGUISHING.flatMap((name) => {
    const value = memberOf(body, name);
    const isOfFew = value === null || typeof value === "boolean" || isCode(value);
    return isOfFew ? [`${name} ${value}`] : [];
  });
  const messages = projectedMessages(body);
  const isNetted = memberOf(body, "transactionSettledAmount") === 0;
  return [
    ...values,
    ...(supersededIn(body).length > 0 ? ["superseded"] : []),
    ...(messages ? messages.flatMap(casesOfMessage) : ["no projection"]),
    ...(isNetted ? ["nothing settled"] : []),
  ];
}

function casesOfMessage(message: unknown): string[] {
  const [network, type] = [memberOf(message, "network"), memberOf(message, "messageType")];
  const source = memberOf(message, "bankData") ? "bank" : "card";
  return [isCode(network) && isCode(type) ? `${source} ${type} of ${network}` : source];
}

/** Codes are short; ids are not. */
function isCode(value: unknown): value is string {
  return typeof value === "string" && value.length <= 20;
}

export const BANK_TRANSACTION = resourceOperations.bankTransactions.get;
export const MATCH = resourceOperations.transactionMatches.get;

/** Operations addressed by subaccount and id (EP-10, EP-12). */
type InSubaccount = typeof BANK_TRANSACTION | typeof MATCH;

/** The path of a resource in a subaccount. */
export function pathTo(operation: InSubaccount, subaccountId: string, id: string): string {
  const { path } = operation === MATCH ? resources.transactionMatches : resources.bankTransactions;
  return `${path}/${encodeURIComponent(subaccountId)}/${encodeURIComponent(id)}`;
}

/** Maximum number of subaccounts searched for a resource that names none. */
const MAX_SUBACCOUNTS = 3;

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
  of(...ids: readonly (string | undefined)[]): string | undefined {
    const known = ids.find((id) => id && this.#of.has(id));
    return known ? this.#of.get(known) : this.#all.length === 1 ? this.#all[0] : undefined;
  }

  /**
   * The path of a bank transaction or a match; undefined if its subaccount is unknown.
   *
   * @param related The ids of resources in the same subaccount.
   */
  pathTo(
    operation: InSubaccount,
    id: string,
    ...related: readonly (string | undefined)[]
  ): string | undefined {
    const subaccountId = this.of(id, ...related);
    return subaccountId && pathTo(operation, subaccountId, id);
  }

  /**
   * The subaccounts that may contain a bank transaction or a match: the known one, or else a
   * sample. `isKnown` is true if they are known to include the right one.
   *
   * @param ids Its id, and those of resources in the same subaccount.
   */
  candidatesOf(...ids: readonly (string | undefined)[]) {
    const known = this.of(...ids);
    const isKnown = known !== undefined || this.#some.length === this.#all.length;
    return { subaccounts: known === undefined ? this.#some : [known], isKnown };
  }
}

/** The operations whose resources show the subaccounts of others. */
const NAMING = [
  ...(["GET /transactions/{transactionId}", "GET /transaction-messages/{id}"] as const),
  ...[BANK_TRANSACTION, MATCH],
] as const;

/** The ids of the resources that belong to the subaccount of a body. */
function idsIn(body: unknown): string[] {
  const messages = [body, ...(projectedMessages(body) ?? [])];
  return [
    ...[...messageIdsOf(body), ...bankTransactionsIn(body), ...messages.map(bankTransactionIn)],
    ...[textOf(body, "id"), textOf(body, "cardId")],
  ].filter((id) => id !== undefined);
}

/** The ids of the resources in a match, which is in their subaccount. */
export function relatedIds(match: unknown): (string | undefined)[] {
  const transaction = memberOf(match, "cardTransaction");
  return [textOf(transaction, "id"), ...bankTransactionsIn(match), textOf(transaction, "cardId")];
}

/** The subaccount that a resource names, in its own field or in the path of its self link. */
function subaccountIn(body: unknown): string | undefined {
  const own = textOf(body, "subaccountId");
  const self = linkAt(body, ["_links", "self"]) ?? "";
  if (own !== undefined || !operationAt(self)?.includes("{subaccountId}")) return own;
  return pathOf(self).split("/")[2];
}
