import type { Finding } from "../../src/contract/finding.ts";
import { valueAt } from "../../src/contract/pointer.ts";
import { validateResponse } from "../../src/contract/validate.ts";
import type { Session } from "../session.ts";
import { feedOf } from "./crawl.ts";
import type { Feed } from "./feed.ts";
import { type Item, isObject, itemsOf } from "./items.ts";
import type { ReadOperation } from "./operations.ts";

/** A resource as an answer showed it: alone, in a list, or in its transaction. */
export interface Observation extends Item {
  readonly isListed: boolean;
  /** What the contract says of it, whatever stands beside it in the answer; paths start at it. */
  readonly findings: readonly Finding[];
  /** Whether it, and its transaction, breaks nothing: so every rule was applied. */
  readonly isSound: boolean;
}

/** A message as its transaction projects it. */
export interface Projection extends Observation {
  readonly transaction: Observation;
}

/** Every resource that answers showed, by kind. */
export interface Observations {
  readonly transactions: readonly Observation[];
  readonly projections: readonly Projection[];
  /** Messages alone. */
  readonly messages: readonly Observation[];
  readonly subscriptions: readonly Observation[];
  readonly bankTransactions: readonly Observation[];
  readonly matches: readonly Observation[];
}

/** Every resource that the target showed. */
export function observationsOf(session: Session): Promise<Observations> {
  return session.share("sightings", async () => {
    const feed = await feedOf(session);
    const judge = (operation: ReadOperation) => [
      ...listedOf(feed, operation, session),
      ...aloneOf(feed, operation),
    ];
    const transactions = judge("GET /transactions/{transactionId}");
    return {
      transactions,
      projections: transactions.flatMap(projectionsOf),
      messages: judge("GET /transaction-messages/{id}"),
      subscriptions: judge("GET /card-subscriptions/{id}"),
      bankTransactions: judge("GET /bank-transactions/{subaccountId}/{id}"),
      matches: judge("GET /transaction-matches/{subaccountId}/{matchId}"),
    };
  });
}

function aloneOf(feed: Feed, operation: ReadOperation): Observation[] {
  return feed.of(operation).flatMap(({ exchange, findings, isJson }) => {
    const body = exchange.response?.json;
    return isJson && isObject(body)
      ? [{ body, at: "", exchange, isListed: false, ...judged(findings) }]
      : [];
  });
}

/** Each item is judged by itself: what is wrong with one leaves the others as they are. */
function listedOf(feed: Feed, operation: ReadOperation, { capabilities }: Session): Observation[] {
  const { networks } = capabilities;
  return itemsOf(feed, operation).map((item) => {
    const { findings } = validateResponse(operation, 200, item.body, { networks });
    return { ...item, isListed: true, ...judged(findings) };
  });
}

function judged(findings: readonly Finding[]): Pick<Observation, "findings" | "isSound"> {
  return { findings, isSound: findings.every(({ level }) => level !== "error") };
}

function projectionsOf(transaction: Observation): Projection[] {
  const messages = valueAt(transaction.body, ["_embedded", "messages"]);
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((body, i) => {
    if (!isObject(body)) return [];
    const below = `/_embedded/messages/${i}`;
    const findings = transaction.findings
      .filter(({ path }) => path === below || path.startsWith(`${below}/`))
      .map((finding) => ({ ...finding, path: finding.path.slice(below.length) }));
    return [{ ...transaction, body, at: `${transaction.at}${below}`, findings, transaction }];
  });
}
