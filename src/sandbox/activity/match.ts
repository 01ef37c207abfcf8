import type { EventPayloads } from "../../../generated/events.ts";
import type { CardCandidate, Score } from "../../model/matching/candidates.ts";
import { amountOf } from "../../model/money.ts";
import { linkWithin } from "../links.ts";
import { requireTransition } from "../state-machine.ts";
import type { Resource } from "../store/resources.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { MATCH_TRANSITIONS } from "./bank-moves.ts";
import { saveMatchedParts, type Transaction } from "./transaction.ts";

type Movement = Resource<"bank-transactions">;
type MatchEvent = EventPayloads["transaction.match.created"];

/** A part of a purchase, and the debit that was found for it. */
export interface FoundMatch {
  readonly transaction: Transaction;
  /** The part: its id is the one that the match names (MAT-08). */
  readonly candidate: CardCandidate;
  readonly movement: Movement;
  readonly score: Score & { readonly confidence: MatchEvent["confidence"] };
}

/** MAT-01: writes a match down and announces it. */
export function addMatch(
  work: UnitOfWork,
  account: Resource<"bank-accounts">,
  { transaction, candidate: side, movement, score: found }: FoundMatch,
): void {
  const { id: bankTransactionId, accountId, subaccountId } = movement;
  const { posting } = movement.internal;
  const id = work.random.id();
  const { sends } = requireTransition(MATCH_TRANSITIONS, "pairing", "new", "it");
  const { score, confidence, factors } = found;
  const shared = {
    confidence,
    score,
    cardTransaction: {
      id: side.id,
      cardId: transaction.body.cardId,
      date: side.day,
      amount: amountOf(side.cents, side.currency),
      currency: side.currency,
      descriptor: side.descriptor,
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
  } as Omit<MatchEvent, "matchId">;
  const self = linkWithin("transaction-matches", subaccountId, id);
  work.insert({
    kind: "transaction-matches",
    id,
    accountId,
    subaccountId,
    parent: bankTransactionId,
    body: { id, ...shared, _links: { self } },
    internal: { transactionId: transaction.id, legId: side.id, confidence },
  });
  const order = { accountId, resource: bankTransactionId };
  for (const name of sends) work.announce(name, order, { matchId: id, ...shared });
  movement.internal.matchId = id;
  movement.open = false;
  work.store.update(movement);
  const taken = { matchId: id, legId: side.id, bankTransactionId, billingCents: side.cents };
  transaction.internal.taken.push(taken);
  saveMatchedParts(work, transaction);
}

/** MAT-05: takes a match back and announces it; its purchase and its movement are free again. */
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
