import type { EventPayloads } from "../../../generated/events.ts";
import { linkWithin } from "../../model/links.ts";
import type { CardCandidate, Score } from "../../model/matching/candidates.ts";
import { amountOf } from "../../model/money.ts";
import { MATCH_TRANSITIONS } from "../../model/transaction-match.ts";
import type { Resource } from "../resources.ts";
import { requireTransition } from "../state-machine.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { saveMatchedParts, type Transaction } from "./transaction.ts";

type Movement = Resource<"bank-transactions">;
type MatchEvent = EventPayloads["transaction.match.created"];

/** A part of a purchase, and the debit that matches it. */
interface FoundMatch {
  readonly transaction: Transaction;
  /** The part: its id is `cardTransaction.id` of the match (MAT-08). */
  readonly candidate: CardCandidate;
  readonly movement: Movement;
  readonly score: Score & { readonly confidence: MatchEvent["confidence"] };
}

/** MAT-01: stores and announces a match. */
export function addMatch(
  work: UnitOfWork,
  account: Resource<"bank-accounts">,
  { transaction, candidate, movement, score: { score, confidence, factors } }: FoundMatch,
): void {
  const { id: bankTransactionId, accountId, subaccountId } = movement;
  const { posting } = movement.internal;
  const id = work.random.id("match");
  const { sends } = requireTransition(MATCH_TRANSITIONS, "pairing", "new");
  const fields = {
    confidence,
    score,
    cardTransaction: {
      id: candidate.id,
      cardId: transaction.body.cardId as string,
      date: candidate.day,
      amount: amountOf(candidate.cents, candidate.currency),
      currency: candidate.currency,
      descriptor: candidate.descriptor,
      source: transaction.body.network,
    },
    reasons: factors.map((factor) => ({ ...factor })),
    matches: [
      {
        id: bankTransactionId,
        bankAccountId: account.id,
        bankAccountName: account.internal.name,
        date: posting.day,
        amount: amountOf(posting.cents, posting.currency),
        currency: posting.currency,
        source: account.internal.provider,
        description: posting.description,
      },
    ],
  };
  const self = linkWithin("transaction-matches", subaccountId, id);
  const legId = candidate.id;
  work.insert({
    kind: "transaction-matches",
    id,
    accountId,
    subaccountId,
    parent: bankTransactionId,
    body: { id, ...fields, _links: { self } },
    internal: { transactionId: transaction.id, legId, confidence },
  });
  const order = { accountId, resource: bankTransactionId };
  for (const name of sends) work.announce(name, order, { matchId: id, ...fields });
  movement.internal.matchId = id;
  movement.open = false;
  work.store.update(movement);
  const taken = { matchId: id, legId, bankTransactionId, billingCents: candidate.cents };
  transaction.internal.taken.push(taken);
  saveMatchedParts(work, transaction);
}

/** Retracts a match and announces it. Its purchase and its posting can match again. */
export function retractMatch(
  work: UnitOfWork,
  matchId: string,
  reason: EventPayloads["transaction.match.deleted"]["reason"],
): void {
  const { store } = work;
  const match = store.find("transaction-matches", matchId);
  const { accountId, parent: bankTransactionId } = match;
  const { transactionId, legId: cardTransactionId } = match.internal;
  const { sends } = requireTransition(MATCH_TRANSITIONS, reason, "announced", `match ${matchId}`);
  store.remove("transaction-matches", matchId);
  // MAT-06
  const metadata = { resourceId: bankTransactionId };
  const body = { matchId, bankTransactionId, cardTransactionId, reason, metadata };
  const order = { accountId, resource: bankTransactionId };
  for (const name of sends) work.announce(name, order, body);
  const movement = store.find("bank-transactions", bankTransactionId);
  movement.internal.matchId = null;
  movement.open = !movement.internal.deleted;
  store.update(movement);
  const transaction = store.find("transactions", transactionId);
  const { internal } = transaction;
  internal.taken = internal.taken.filter((leg) => leg.matchId !== matchId);
  saveMatchedParts(work, transaction);
}
