import type { ClaimId } from "../../../generated/requirements.ts";
import type { components } from "../../../generated/types.ts";
import {
  type EarlyRetraction,
  type HistoryState,
  type MatchState,
  rememberedDeliveries,
} from "./history-state.ts";

type Schemas = components["schemas"];

/** What a retraction's body can violate but not prove, because it depends on the match. */
export const CLAIMS_ON_RETRACTIONS = [
  "MAT-05.names-announced",
  "MAT-05.bank-transaction",
  "MAT-05.card-transaction",
] as const satisfies readonly ClaimId[];

/** Checks and records a `transaction.match.created` event. */
export function onMatchCreated(
  body: Schemas["TransactionMatchEvent"],
  hash: number,
  history: HistoryState,
): void {
  const { reporter } = history;
  const before = history.matches.get(body.matchId);
  if (before?.contents.isDuplicate(hash)) return;
  if (before) {
    reporter.case("MAT-07.new-ids");
    const expected = "a new match id";
    const value = body.matchId;
    reporter.violation("MAT-07.new-ids", {
      path: "/matchId",
      expected,
      value,
      lines: [before.line],
    });
    return;
  }
  const bankTransactionIds = body.matches.map(({ id }) => id);
  bankTransactionIds.forEach((id, index) => {
    if (history.matchesOf.has(id) || history.bankTransactions.get(id)?.bestMatch) {
      reporter.caseIfComplete("MAT-07.old-deleted");
    }
    history.caseUnlessUnreadable("MAT-04.announced", id);
    recordMatch(id, body.matchId, history);
    if (history.bankTransactions.get(id) || history.unreadable.has(id)) return;
    if (history.unannouncedBankTransactions.has(id)) return;
    const obligation = history.obligation(`/matches/${index}/id`);
    history.unannouncedBankTransactions.set(id, { ...obligation, claim: "MAT-04.announced" });
  });
  const match: MatchState = {
    contents: rememberedDeliveries(hash),
    line: reporter.line,
    confidence: body.confidence,
    cardTransactionId: body.cardTransaction.id,
    bankTransactionIds,
    retractionDueLine: undefined,
  };
  history.matches.live.set(body.matchId, match);
  for (const id of bankTransactionIds) {
    const posting = history.bankTransactions.get(id);
    if (posting && posting.bestMatch?.confidence !== "HIGH") posting.bestMatch = match;
  }
}

/** Checks and records a `transaction.match.deleted` event. */
export function onMatchDeleted(
  body: Schemas["TransactionMatchDeletedEvent"],
  hash: number,
  history: HistoryState,
): void {
  const { reporter } = history;
  const before = history.matches.get(body.matchId);
  if (before?.contents.isDuplicate(hash)) return;
  history.caseUnlessUnreadable("MAT-05.names-announced", body.matchId);
  if (!before) {
    if (history.unreadable.has(body.matchId)) return;
    const expected = "the id of a match announced before";
    reporter.violationIfComplete("MAT-05.names-announced", {
      path: "/matchId",
      expected,
      value: body.matchId,
    });
    return;
  }
  if (!history.matches.live.has(body.matchId)) {
    reportSecondRetraction(body, before, history);
    return;
  }
  compareWithMatch(body, before, history);
  checkReason(body, before, history);
  recordRetraction(before, history);
  forgetMatch(before, body.matchId, history);
  history.matches.end(body.matchId, before);
}

/** The interface does not specify how often a match of several postings is retracted. */
function reportSecondRetraction(
  { matchId, bankTransactionId }: Schemas["TransactionMatchDeletedEvent"],
  before: MatchState,
  { reporter }: HistoryState,
): void {
  if (before.bankTransactionIds.length > 1) return;
  const path = "/bankTransactionId";
  const expected = `no more events of match ${matchId}, which is retracted`;
  reporter.notice("MAT-05.only-matched", {
    path,
    expected,
    value: bankTransactionId,
    lines: [before.line],
  });
}

/** Records a retraction: the interface leaves open whether it un-settles the purchase (TXN-20). */
function recordRetraction(match: MatchState, { transactions, purchases }: HistoryState): void {
  const ids = match.bankTransactionIds.map((id) => purchases.get(id));
  for (const id of [match.cardTransactionId, ...ids]) {
    const transaction = id === undefined ? undefined : transactions.get(id);
    if (transaction) transaction.wasRetracted = true;
  }
}

function compareWithMatch(
  body: Schemas["TransactionMatchDeletedEvent"],
  before: MatchState,
  { reporter, transactions }: HistoryState,
): void {
  const lines = [before.line];
  reporter.case("MAT-05.bank-transaction");
  if (!before.bankTransactionIds.includes(body.bankTransactionId)) {
    const expected = `a bank transaction of the match: ${before.bankTransactionIds.join(", ")}`;
    const value = body.bankTransactionId;
    reporter.violation("MAT-05.bank-transaction", {
      path: "/bankTransactionId",
      expected,
      value,
      lines,
    });
  }
  // The match may have named a clearing leg, so only known transactions count.
  if (!transactions.has(before.cardTransactionId)) return;
  reporter.case("MAT-05.card-transaction");
  if (body.cardTransactionId !== before.cardTransactionId) {
    const expected = `${before.cardTransactionId}, as in the match`;
    const value = body.cardTransactionId;
    reporter.violation("MAT-05.card-transaction", {
      path: "/cardTransactionId",
      expected,
      value,
      lines,
    });
  }
}

function checkReason(
  { matchId, reason, bankTransactionId }: Schemas["TransactionMatchDeletedEvent"],
  before: MatchState,
  history: HistoryState,
): void {
  const { reporter } = history;
  if (before.retractionDueLine !== undefined) reporter.caseIfComplete("BTX-05.reason");
  if (before.retractionDueLine !== undefined && reason !== "bank_transaction_retired") {
    reporter.violationIfComplete("BTX-05.reason", {
      path: "/reason",
      expected: "bank_transaction_retired, because its bank transaction is deleted",
      value: reason,
      lines: [before.retractionDueLine],
    });
  }
  if (before.retractionDueLine === undefined && reason === "bank_transaction_retired") {
    const early = history.earlyRetractions.get(bankTransactionId) ?? [];
    early.push({ ...history.obligation("/reason"), matchId });
    history.earlyRetractions.set(bankTransactionId, early);
  }
}

function recordMatch(
  bankTransactionId: string,
  matchId: string,
  { matchesOf }: HistoryState,
): void {
  const matches = matchesOf.get(bankTransactionId);
  if (matches) matches.add(matchId);
  else matchesOf.set(bankTransactionId, new Set([matchId]));
}

function forgetMatch(match: MatchState, matchId: string, { matchesOf }: HistoryState): void {
  for (const id of match.bankTransactionIds) {
    const matches = matchesOf.get(id);
    matches?.delete(matchId);
    if (matches?.size === 0) matchesOf.delete(id);
  }
}

/** Checks the history's end: matches that share a posting or leg, and missing retractions. */
export function checkLiveMatches(history: HistoryState): void {
  const ofCard = new Map<string, MatchState>();
  const ofPosting = new Map<string, MatchState>();
  const shared = new Set<string>();
  for (const [matchId, match] of history.outstanding(history.matches.live)) {
    if (match.retractionDueLine !== undefined) reportMissingRetraction(matchId, match, history);
    else {
      checkSharedPosting(match, ofPosting, shared, history);
      checkSharedLeg(match, ofCard, history);
    }
  }
  for (const [id, retractions] of history.outstanding(history.earlyRetractions)) {
    for (const early of retractions) reportMissingDeletion(id, early, history);
  }
}

function reportMissingRetraction(
  matchId: string,
  match: MatchState,
  { reporter }: HistoryState,
): void {
  reporter.violationIfComplete("BTX-05.retracted", {
    event: "banktransaction.deleted",
    path: "/id",
    expected: `transaction.match.deleted of match ${matchId} to follow`,
    lines: [match.line, match.retractionDueLine],
  });
}

/** MAT-07: a re-match retracts the old match, so a posting is in one match only. */
function checkSharedPosting(
  match: MatchState,
  ofPosting: Map<string, MatchState>,
  shared: Set<string>,
  { reporter }: HistoryState,
): void {
  for (const id of match.bankTransactionIds) {
    const older = ofPosting.get(id) ?? match;
    ofPosting.set(id, older);
    if (older === match || shared.has(id)) continue;
    shared.add(id);
    reporter.violationIfComplete("MAT-07.old-deleted", {
      event: "transaction.match.created",
      path: "/matches",
      expected: `the older match of bank transaction ${id} to be retracted`,
      lines: [older.line, match.line],
    });
  }
}

/** MAT-08: each debit of a purchase that clears in parts has its own leg. */
function checkSharedLeg(
  match: MatchState,
  ofCard: Map<string, MatchState>,
  { reporter, bankTransactions }: HistoryState,
): void {
  const isOfCredit = match.bankTransactionIds.some((id) => bankTransactions.get(id)?.isCredit);
  if (isOfCredit) return;
  const older = ofCard.get(match.cardTransactionId);
  ofCard.set(match.cardTransactionId, match);
  const isSamePosting = match.bankTransactionIds.some((id) =>
    older?.bankTransactionIds.includes(id),
  );
  if (!older || isSamePosting) return;
  reporter.caseIfComplete("MAT-08.own-leg");
  reporter.violationIfComplete("MAT-08.own-leg", {
    event: "transaction.match.created",
    path: "/cardTransaction/id",
    expected: "a separate clearing leg for each debit",
    value: match.cardTransactionId,
    lines: [older.line, match.line],
  });
}

/** Reports a retraction for a deletion that never came. A re-match has another reason. */
function reportMissingDeletion(
  bankTransactionId: string,
  { line, event, path, matchId }: EarlyRetraction,
  history: HistoryState,
): void {
  const isRematched = history.matchesOf.has(bankTransactionId);
  history.reporter.violationIfComplete(isRematched ? "MAT-07.reason" : "BTX-05.follows", {
    event,
    path,
    expected: isRematched
      ? `rematch_superseded, because ${bankTransactionId} was matched again`
      : `banktransaction.deleted of ${bankTransactionId}, which retires match ${matchId}`,
    value: "bank_transaction_retired",
    lines: [line],
  });
}
