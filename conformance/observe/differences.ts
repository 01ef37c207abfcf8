import { resourceFields } from "../../generated/resources.ts";
import { describeValue } from "../../src/contract/describe.ts";
import { memberOf, segmentsOf } from "../../src/contract/pointer.ts";
import type { Session } from "../check.ts";
import type { Exchange } from "../wire/exchange.ts";
import { feedOf, MAX_RECHECKS, observationsOf, Recheck } from "./crawl.ts";
import { itemsOf, linkedMessages, messageIdsOf, projectedMessages, textOf } from "./feed.ts";
import { idIn, type ListedOperation, linkAt, pathOf } from "./operations.ts";
import type { Item } from "./pages.ts";
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

/** Serializes a value independently of the order of members and items. */
function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).sort()}]`;
  const members = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`,
  );
  return `{${members.sort()}}`;
}

/** A resource that two responses contain. */
interface Pair {
  readonly one: Item;
  readonly other: Item;
}

/** A resource that differs in two responses, confirmed by a second fetch of both. */
interface Mismatch extends Pair {
  readonly differences: readonly Difference[];
}

export interface Comparison {
  /** The resources that both responses contain. */
  readonly compared: readonly Pair[];
  readonly mismatches: readonly Mismatch[];
}

/**
 * Compares the items of a collection with the responses for the single resources. `one` is in the
 * list.
 */
export function compareListed(session: Session, operation: ListedOperation): Promise<Comparison> {
  return session.share(`listed and single: ${operation}`, async (own) => {
    const feed = await feedOf(session);
    const single = new Map(feed.of(operation).map((one) => [requestedId(one.exchange), one]));
    const pairs = itemsOf(feed, operation).flatMap((one): Pair[] => {
      const found = single.get(keyOf(one.body));
      const other = found && itemFrom(found);
      // EP-04 reports a response for another resource.
      return other && keyOf(other.body) === keyOf(one.body) ? [{ one, other }] : [];
    });
    const differencesIn = ({ one, other }: Pair) =>
      fieldDifferences(
        comparedFieldsOf(operation, one.body),
        comparedFieldsOf(operation, other.body),
      );
    return compare(own, pairs, differencesIn, (before, after) => {
      const hasMoved = (["one", "other"] as const).some(
        (side) => textOf(before[side].body, "updatedAt") !== textOf(after[side].body, "updatedAt"),
      );
      if (hasMoved) return [];
      const known = new Map(differencesIn(before).map((one) => [one.path, one]));
      // Values that differ with every request, such as timestamps, are not contradictions.
      return differencesIn(after).filter(({ path, one, other }) => {
        const first = known.get(path);
        return first?.one === one && first.other === other;
      });
    });
  });
}

/**
 * Compares the messages embedded in transactions with the messages' own responses, in the fields
 * that both have. `one` is in the transaction.
 */
export function compareProjections(session: Session): Promise<Comparison> {
  return session.share("projections", async (own) => {
    const feed = await feedOf(session);
    const { projections } = await observationsOf(session);
    const pairs = projections.flatMap((one) => {
      const other = itemFrom(feed.at(`/transaction-messages/${textOf(one.body, "id")}`));
      return other ? [{ one, other }] : [];
    });
    const fields = ({ body }: Item) =>
      new Map([
        ...fieldsOf(body, resourceFields.transactionMessages.all),
        // MSG-04: it is in both places or in neither, so a missing one is compared as null.
        ["/traceId", memberOf(body, "traceId") ?? null],
      ]);
    return compare(own, pairs, ({ one, other }) => fieldDifferences(fields(one), fields(other)));
  });
}

/**
 * Compares the subaccount and card of messages with those of the transaction that links to them,
 * both fetched by themselves. `one` is the message. Missing and null values are not compared.
 */
export function compareOwnership(session: Session): Promise<Comparison> {
  return session.share("ownership", async (own) => {
    const feed = await feedOf(session);
    const { transactions } = await observationsOf(session);
    const pairs = transactions
      .filter(({ isListed }) => !isListed)
      .flatMap((other) =>
        messageIdsOf(other.body).flatMap((id): Pair[] => {
          const one = itemFrom(feed.at(`/transaction-messages/${id}`));
          return one ? [{ one, other }] : [];
        }),
      );
    const fields = ({ body }: Item) =>
      new Map(["subaccountId", "cardId"].map((name) => [`/${name}`, textOf(body, name)]));
    return compare(own, pairs, ({ one, other }) => fieldDifferences(fields(one), fields(other)));
  });
}

/**
 * Finds the pairs that differ, at first and when both responses are fetched again.
 *
 * @param confirm What remains of the differences of a pair; default: all that it has then.
 */
async function compare(
  session: Session,
  pairs: readonly Pair[],
  differencesIn: (pair: Pair) => readonly Difference[],
  confirm = (_before: Pair, after: Pair) => differencesIn(after),
): Promise<Comparison> {
  const recheck = new Recheck(session);
  const suspects = pairs.filter((pair) => differencesIn(pair).length > 0).slice(0, MAX_RECHECKS);
  const mismatches = await Promise.all(
    suspects.map(async (pair): Promise<Mismatch[]> => {
      const [one, other] = await Promise.all(
        [pair.one, pair.other].map(async (item) => {
          const exchange = await recheck.fetch(item.exchange);
          return exchange?.response && sameIn(exchange, item);
        }),
      );
      if (!one || !other) return [];
      const differences = confirm(pair, { one, other });
      return differences.length > 0 ? [{ one, other, differences }] : [];
    }),
  );
  return { compared: pairs, mismatches: mismatches.flat() };
}

/** The same resource in a later response. In lists, it is found by its id. */
function sameIn(exchange: Exchange, { at, exchange: earlier }: Item): Item | undefined {
  let [before, body]: unknown[] = [earlier.response?.json, exchange.response?.json];
  let place = "";
  for (const segment of segmentsOf(at)) {
    before = memberOf(before, segment);
    const index = Array.isArray(body) ? body.findIndex((one) => keyOf(one) === keyOf(before)) : -1;
    const name = Array.isArray(body) ? `${index}` : segment;
    body = memberOf(body, name);
    place += `/${name}`;
  }
  return body === undefined ? undefined : { body, at: place, exchange };
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

/** A response as an item; undefined if it is not valid JSON. */
function itemFrom(found: ValidatedResponse | undefined): Item | undefined {
  if (!found?.isJson) return undefined;
  return { body: found.exchange.response?.json, at: "", exchange: found.exchange };
}

/** The requested id in lower case, because ids are compared case-insensitively. */
export function requestedId({ request }: Exchange): string {
  return idIn(request.url).toLowerCase();
}

function keyOf(body: unknown): string {
  return (textOf(body, "id") ?? "").toLowerCase();
}
