import { resourceFields } from "../../generated/resources.ts";
import { describeValue } from "../../src/contract/describe.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import type { Session } from "../check.ts";
import type { Exchange } from "../wire/exchange.ts";
import { feedOf, MAX_RECHECKS, Recheck } from "./crawl.ts";
import { type Item, itemsOf, linkedMessages, projectedMessages, textOf } from "./feed.ts";
import { ITEM_KEYS, idIn, LISTED_BY, type ListedOperation, linkAt, pathOf } from "./operations.ts";
import type { ValidatedResponse } from "./validation.ts";

/** A difference between two bodies. */
export interface Difference {
  /** A JSON pointer, valid in both bodies. */
  readonly path: string;
  readonly one: string;
  readonly other: string;
}

/** Values by JSON pointer. */
export type Fields = ReadonlyMap<string, unknown>;

/** Compares the fields that both bodies have. A missing field is not a difference. */
export function fieldDifferences(one: Fields, other: Fields): Difference[] {
  return [...one].flatMap(([path, value]) => {
    const second = other.get(path);
    if (value === undefined || second === undefined) return [];
    if (canonical(value) === canonical(second)) return [];
    return [{ path, one: describeValue(value, path), other: describeValue(second, path) }];
  });
}

/** The values of the named members. */
export function fieldsOf(body: unknown, names: readonly string[]): Fields {
  return new Map(names.map((name) => [`/${name}`, memberOf(body, name)]));
}

/** The paths of the named links, without queries. */
export function linkTargetsOf(body: unknown, names: readonly string[]): Fields {
  return new Map(
    names.map((name) => {
      const href = linkAt(body, ["_links", name]);
      return [`/_links/${name}/href`, href && pathOf(href)];
    }),
  );
}

/** The named members of each embedded message of a transaction. */
function projectedFieldsOf(transaction: unknown, names: readonly string[]): Fields {
  return new Map(
    (projectedMessages(transaction) ?? []).flatMap((message) => {
      const id = memberOf(message, "id");
      // Keyed by id, because the order of messages is not specified.
      return [...fieldsOf(message, names)].map(
        ([path, value]) => [`/_embedded/messages/(${id})${path}`, value] as const,
      );
    }),
  );
}

/** Recursion limit. Bodies of the interface have less than half this depth. */
const DEEPEST = 16;

/** Serializes a value independently of the order of members and items. */
function canonical(value: unknown, depth = DEEPEST): string {
  if (typeof value !== "object" || value === null || depth === 0) return JSON.stringify(value);
  if (Array.isArray(value)) {
    return `[${value.map((one) => canonical(one, depth - 1)).sort()}]`;
  }
  const members = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}:${canonical(one, depth - 1)}`,
  );
  return `{${members.sort()}}`;
}

/** A resource whose list item differs from its own response, confirmed by a second fetch. */
interface Contradiction {
  readonly page: Exchange;
  /** The item's position on the page, as a JSON pointer. */
  readonly at: string;
  readonly single: Exchange;
  /** `one` is the value in the list, `other` the value in the resource's own response. */
  readonly differences: readonly Difference[];
}

interface Comparison {
  /** The number of resources found both in the list and by themselves. */
  readonly compared: number;
  readonly contradictions: readonly Contradiction[];
}

/** Compares the items of a collection with the responses for the single resources. */
export function compareListed(session: Session, operation: ListedOperation): Promise<Comparison> {
  return session.share(`listed and single: ${operation}`, async (own) => {
    const feed = await feedOf(session);
    const single = new Map(
      feed.of(operation).map((validated) => [requestedId(validated.exchange), validated]),
    );
    const pairs = itemsOf(feed, operation).flatMap((item) => {
      const validated = single.get(keyOf(item.body));
      return validated && isOf(validated, item) ? [{ item, single: validated.exchange }] : [];
    });
    const suspects = pairs
      .filter((pair) => differencesIn(operation, pair).length > 0)
      .slice(0, MAX_RECHECKS);
    const recheck = new Recheck(own);
    const confirmed = await Promise.all(suspects.map((pair) => confirm(operation, pair, recheck)));
    return { compared: pairs.length, contradictions: confirmed.flatMap((one) => one ?? []) };
  });
}

interface Pair {
  readonly item: Item;
  readonly single: Exchange;
}

async function confirm(
  operation: ListedOperation,
  pair: Pair,
  recheck: Recheck,
): Promise<Contradiction | undefined> {
  const [page, single] = await Promise.all([
    recheck.fetch(pair.item.exchange),
    recheck.fetch(pair.single),
  ]);
  const item = page && itemOn(page, operation, keyOf(pair.item.body));
  if (!item || !single?.response) return undefined;
  const again = { item, single };
  const hasMoved =
    textOf(item.body, "updatedAt") !== textOf(pair.item.body, "updatedAt") ||
    textOf(bodyOf(single), "updatedAt") !== textOf(bodyOf(pair.single), "updatedAt");
  if (hasMoved) return undefined;
  const before = new Map(differencesIn(operation, pair).map((one) => [one.path, one]));
  // Values that differ with every request, such as timestamps, are not contradictions.
  const differences = differencesIn(operation, again).filter(({ path, one, other }) => {
    const first = before.get(path);
    return first?.one === one && first.other === other;
  });
  if (differences.length === 0) return undefined;
  return { page, at: item.at, single, differences };
}

function itemOn(page: Exchange, operation: ListedOperation, key: string): Item | undefined {
  const name = ITEM_KEYS[LISTED_BY[operation]];
  const embedded = (page.response?.json as { _embedded?: Record<string, unknown> })?._embedded;
  const items = embedded?.[name];
  if (!Array.isArray(items)) return undefined;
  const place = items.findIndex((body) => keyOf(body) === key);
  if (place < 0) return undefined;
  return { body: items[place], at: `/_embedded/${name}/${place}`, exchange: page };
}

function differencesIn(operation: ListedOperation, { item, single }: Pair): Difference[] {
  return fieldDifferences(
    comparedFieldsOf(operation, item.body),
    comparedFieldsOf(operation, bodyOf(single)),
  );
}

/** The fields to compare: the specified fields, or only the links if the schema is open. */
function comparedFieldsOf(operation: ListedOperation, body: unknown): Fields {
  switch (operation) {
    case "GET /transactions/{transactionId}":
      return new Map([
        ...fieldsOf(body, resourceFields.transactions.all),
        ...linkTargetsOf(body, ["self", "subaccount", "card"]),
        ["/_links/messages", linkedMessages(body)],
        ...projectedFieldsOf(body, [...resourceFields.transactionMessages.all, "superseded"]),
      ]);
    case "GET /bank-transactions/{subaccountId}/{id}":
      return fieldsOf(body, resourceFields.bankTransactions.all);
    case "GET /transaction-matches/{subaccountId}/{matchId}":
      return fieldsOf(body, resourceFields.transactionMatches.all);
    default:
      return linkTargetsOf(body, ["self", "subaccount", "bankAccount"]);
  }
}

function bodyOf({ response }: Exchange): unknown {
  return response?.json;
}

/** The requested id in lower case, because ids are compared case-insensitively. */
export function requestedId({ request }: Exchange): string {
  return idIn(request.url).toLowerCase();
}

function keyOf(body: unknown): string {
  return (textOf(body, "id") ?? "").toLowerCase();
}

/** Whether a response is for the requested resource. EP-04 reports other responses. */
function isOf({ exchange, isJson }: ValidatedResponse, { body }: Item): boolean {
  return isJson && keyOf(exchange.response?.json) === keyOf(body);
}
