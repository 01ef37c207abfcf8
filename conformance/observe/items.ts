import { memberOf, valueAt } from "../../src/contract/pointer.ts";
import type { Exchange } from "../wire/exchange.ts";
import type { Feed } from "./feed.ts";
import {
  type CollectionOperation,
  ITEM_KEYS,
  LISTED_BY,
  type ReadOperation,
} from "./operations.ts";

/** An item of a list. */
export interface Item {
  /** The object as received. */
  readonly body: unknown;
  /** Its position in the response, as a JSON pointer. */
  readonly at: string;
  readonly exchange: Exchange;
}

/** The list items of the resources that an operation returns; empty if no collection lists them. */
export function itemsOf({ walks }: Pick<Feed, "walks">, operation: ReadOperation): Item[] {
  const collection = (LISTED_BY as Partial<Record<ReadOperation, CollectionOperation>>)[operation];
  const pages = (collection && walks.get(collection)?.pages) ?? [];
  return pages.flatMap(({ exchange, items }) =>
    items.flatMap((body, i) =>
      isObject(body) && collection
        ? [{ body, at: `/_embedded/${ITEM_KEYS[collection]}/${i}`, exchange }]
        : [],
    ),
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

const LONE_SURROGATE = /\p{Surrogate}/u;

/** The messages that a transaction embeds; undefined if the account's projection is off. */
export function projectedMessages(transaction: unknown): readonly unknown[] | undefined {
  const messages = valueAt(transaction, ["_embedded", "messages"]);
  return Array.isArray(messages) ? messages : undefined;
}

/** The id of the bank transaction that a message names; undefined if there is none. */
export function bankTransactionIn(message: unknown): string | undefined {
  return textOf(memberOf(message, "bankData"), "bankTransactionId");
}

/** The ids of the bank transactions of a match. */
export function bankTransactionsIn(match: unknown): string[] {
  const matches = memberOf(match, "matches");
  return Array.isArray(matches) ? matches.flatMap((one) => textOf(one, "id") ?? []) : [];
}
