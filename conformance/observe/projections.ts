import { resourceFields } from "../../generated/resources.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import type { Session } from "../run/session.ts";
import type { Exchange } from "../wire/exchange.ts";
import { feedOf, MAX_RECHECKS, Recheck } from "./crawl.ts";
import { type Difference, differencesOf, type Fields, fieldsOf } from "./differences.ts";
import { textOf } from "./feed.ts";
import { observationsOf, type Projection } from "./observations.ts";

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
  /** The number of messages found both embedded and by themselves. */
  readonly compared: number;
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
      compared: pairs.length,
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
export function messageDifferences(projected: unknown, single: unknown): Difference[] {
  return differencesOf(comparedFieldsOf(projected), comparedFieldsOf(single));
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
