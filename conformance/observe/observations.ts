import type { Finding } from "../../src/contract/finding.ts";
import { validateResponse } from "../../src/contract/validate.ts";
import type { Session } from "../check.ts";
import { feedOf } from "./crawl.ts";
import { type Feed, isObject, itemsOf, projectedMessages } from "./feed.ts";
import type { ReadOperation } from "./operations.ts";
import type { Item } from "./pages.ts";

/** A resource as seen in a response: by itself, in a list, or embedded in its transaction. */
export interface Observation extends Item {
  readonly isListed: boolean;
  /** The findings for this resource only, with paths relative to it. */
  readonly findings: readonly Finding[];
  /** Whether it, and its transaction, has no errors, so that every rule was applied. */
  readonly isSound: boolean;
}

/** A message embedded in its transaction. */
interface Projection extends Observation {
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
