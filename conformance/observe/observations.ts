import { resourceFields } from "../../generated/resources.ts";
import { describeValue } from "../../src/contract/describe.ts";
import type { Finding } from "../../src/contract/finding.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { validateResponse } from "../../src/contract/validate.ts";
import type { Session } from "../check.ts";
import type { Exchange } from "../wire/exchange.ts";
import { feedOf, MAX_RECHECKS, Recheck } from "./crawl.ts";
import { type Difference, type Fields, fieldDifferences, fieldsOf } from "./differences.ts";
import {
  type Feed,
  type Item,
  isObject,
  itemsOf,
  messageIdsOf,
  projectedMessages,
  textOf,
} from "./feed.ts";
import type { ReadOperation } from "./operations.ts";

/** A resource as seen in a response: by itself, in a list, or embedded in its transaction. */
export interface Observation extends Item {
  readonly isListed: boolean;
  /** The findings for this resource only, with paths relative to it. */
  readonly findings: readonly Finding[];
  /** Whether it, and its transaction, has no errors, so that every rule was applied. */
  readonly isSound: boolean;
}

/** A message embedded in its transaction. */
export interface Projection extends Observation {
  readonly transaction: Observation;
}

/** Every resource seen in a response, by kind. */
export interface Observations {
  readonly transactions: readonly Observation[];
  readonly projections: readonly Projection[];
  /** Messages fetched by themselves. */
  readonly messages: readonly Observation[];
  readonly subscriptions: readonly Observation[];
  readonly bankTransactions: readonly Observation[];
  readonly matches: readonly Observation[];
}

/** Collects every resource seen in the target's responses. */
export function observationsOf(session: Session): Promise<Observations> {
  return session.share("observations", async () => {
    const feed = await feedOf(session);
    const observe = (operation: ReadOperation) => [
      ...listedOf(feed, operation, session),
      ...singlesOf(feed, operation),
    ];
    const transactions = observe("GET /transactions/{transactionId}");
    return {
      transactions,
      projections: transactions.flatMap(projectionsOf),
      messages: observe("GET /transaction-messages/{id}"),
      subscriptions: observe("GET /card-subscriptions/{id}"),
      bankTransactions: observe("GET /bank-transactions/{subaccountId}/{id}"),
      matches: observe("GET /transaction-matches/{subaccountId}/{matchId}"),
    };
  });
}

function singlesOf(feed: Feed, operation: ReadOperation): Observation[] {
  return feed.of(operation).flatMap(({ exchange, findings, isJson }) => {
    const body = exchange.response?.json;
    return isJson && isObject(body)
      ? [{ body, at: "", exchange, isListed: false, ...soundnessOf(findings) }]
      : [];
  });
}

/** Validates each item separately, so that one invalid item does not affect the others. */
function listedOf(feed: Feed, operation: ReadOperation, { capabilities }: Session): Observation[] {
  const { networks } = capabilities;
  return itemsOf(feed, operation).map((item) => {
    const { findings } = validateResponse(operation, 200, item.body, { networks });
    return { ...item, isListed: true, ...soundnessOf(findings) };
  });
}

function soundnessOf(findings: readonly Finding[]): Pick<Observation, "findings" | "isSound"> {
  return { findings, isSound: findings.every(({ level }) => level !== "error") };
}

function projectionsOf(transaction: Observation): Projection[] {
  return (projectedMessages(transaction.body) ?? []).flatMap((body, i) => {
    if (!isObject(body)) return [];
    const below = `/_embedded/messages/${i}`;
    const findings = transaction.findings
      .filter(({ path }) => path === below || path.startsWith(`${below}/`))
      .map((finding) => ({ ...finding, path: finding.path.slice(below.length) }));
    return [{ ...transaction, body, at: `${transaction.at}${below}`, findings, transaction }];
  });
}

/**
 * A message whose projection in its transaction differs from its own response, confirmed by a
 * second fetch.
 */
export interface ProjectionMismatch {
  /** The response with the transaction, and a JSON pointer to the message. */
  readonly projected: Exchange;
  readonly at: string;
  readonly single: Exchange;
  /** `one` is the value in the projection, `other` the value in the message's own response. */
  readonly differences: readonly Difference[];
}

interface ProjectionComparison {
  /** The messages found both embedded and by themselves. */
  readonly compared: readonly unknown[];
  /** The number of these with a traceId. */
  readonly traced: number;
  readonly misprojections: readonly ProjectionMismatch[];
}

interface Pair {
  readonly projection: Projection;
  readonly single: Exchange;
}

/** Compares the messages embedded in transactions with the messages' own responses. */
export function compareProjections(session: Session): Promise<ProjectionComparison> {
  return session.share("projections", async (own) => {
    const feed = await feedOf(session);
    const { projections } = await observationsOf(session);
    const pairs = projections.flatMap((projection): Pair[] => {
      const id = textOf(projection.body, "id");
      const single = id === undefined ? undefined : feed.at(`/transaction-messages/${id}`);
      return single?.isJson ? [{ projection, single: single.exchange }] : [];
    });
    const suspects = pairs.filter(
      (pair) => differencesIn(pair.projection.body, pair.single).length,
    );
    const recheck = new Recheck(own);
    const confirmed = await Promise.all(
      suspects.slice(0, MAX_RECHECKS).map((pair) => confirm(pair, recheck)),
    );
    const traced = pairs.filter(({ projection: { body }, single }) =>
      [body, single.response?.json].some((one) => typeof memberOf(one, "traceId") === "string"),
    );
    return {
      compared: pairs.map(({ projection }) => projection.body),
      traced: traced.length,
      misprojections: confirmed.flatMap((one) => one ?? []),
    };
  });
}

async function confirm(
  { projection, single }: Pair,
  recheck: Recheck,
): Promise<ProjectionMismatch | undefined> {
  const [projected, second] = await Promise.all([
    recheck.fetch(projection.exchange),
    recheck.fetch(single),
  ]);
  const found = projected && messageIn(projected, projection);
  if (!found || !second?.response) return undefined;
  const differences = differencesIn(found.body, second);
  return differences.length > 0
    ? { projected, at: found.at, single: second, differences }
    : undefined;
}

/** Finds the same message in the refetched response. */
function messageIn({ response }: Exchange, { transaction, body }: Projection) {
  const page = memberOf(memberOf(response?.json, "_embedded"), "transactions");
  const [list, above] = Array.isArray(page)
    ? [page, "/_embedded/transactions/"]
    : [[response?.json], ""];
  const place = list.findIndex((one) => textOf(one, "id") === textOf(transaction.body, "id"));
  const messages = memberOf(memberOf(list[place], "_embedded"), "messages");
  if (!Array.isArray(messages)) return undefined;
  const index = messages.findIndex((one) => textOf(one, "id") === textOf(body, "id"));
  if (index < 0) return undefined;
  const at = `${above && `${above}${place}`}/_embedded/messages/${index}`;
  return { body: messages[index], at };
}

function differencesIn(projected: unknown, { response }: Exchange): Difference[] {
  return messageDifferences(projected, response?.json);
}

/** Compares a projected message with the standalone one, in the fields that both have. */
function messageDifferences(projected: unknown, single: unknown): Difference[] {
  return fieldDifferences(comparedFieldsOf(projected), comparedFieldsOf(single));
}

/**
 * The fields to compare. A traceId must be in both places or in neither (MSG-04), so a missing one
 * is compared as null.
 */
function comparedFieldsOf(message: unknown): Fields {
  const values = new Map(fieldsOf(message, resourceFields.transactionMessages.all));
  values.set("/traceId", memberOf(message, "traceId") ?? null);
  return values;
}

/** A message whose subaccount or card differs from its transaction's. */
interface OwnershipMismatch {
  readonly name: string;
  readonly message: Exchange;
  readonly transaction: Exchange;
  readonly actual: string;
  readonly expected: string;
}

interface OwnershipComparison {
  /**
   * The number of messages compared. Both the message and the transaction that links to it were
   * fetched by themselves.
   */
  readonly compared: number;
  readonly misowned: readonly OwnershipMismatch[];
}

type Owned = Pick<OwnershipMismatch, "message" | "transaction">;

/**
 * Compares the subaccount and card of messages with those of the transaction that links to them.
 */
export function compareOwnership(session: Session): Promise<OwnershipComparison> {
  return session.share("ownership", async (own) => {
    const feed = await feedOf(session);
    const { transactions } = await observationsOf(session);
    const pairs = transactions
      .filter(({ isListed }) => !isListed)
      .flatMap(({ body, exchange: transaction }) =>
        messageIdsOf(body).flatMap((id): Owned[] => {
          const message = feed.at(`/transaction-messages/${id}`);
          return message?.isJson ? [{ message: message.exchange, transaction }] : [];
        }),
      );
    const suspects = pairs.filter((pair) => misownedIn(pair).length > 0).slice(0, MAX_RECHECKS);
    const recheck = new Recheck(own);
    const confirmed = await Promise.all(
      suspects.map(async (pair) => {
        const [message, transaction] = await Promise.all([
          recheck.fetch(pair.message),
          recheck.fetch(pair.transaction),
        ]);
        return message && transaction ? misownedIn({ message, transaction }) : [];
      }),
    );
    return { compared: pairs.length, misowned: confirmed.flat() };
  });
}

/** Missing and null values are not compared. */
function misownedIn({ message, transaction }: Owned): OwnershipMismatch[] {
  return ["subaccountId", "cardId"].flatMap((name) => {
    const value = textOf(message.response?.json, name);
    const expected = textOf(transaction.response?.json, name);
    if (value === undefined || expected === undefined || value === expected) return [];
    return [{ name, message, transaction, actual: describeValue(value), expected }];
  });
}
