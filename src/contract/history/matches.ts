import type { components } from "../../../generated/types.ts";
import { contentsWith, type EarlyRetraction, type MatchState, type World } from "./world.ts";

type Schemas = components["schemas"];

/** Reads `transaction.match.created`. */
export function onMatchCreated(
  body: Schemas["TransactionMatchEvent"],
  content: number,
  world: World,
): void {
  const { chronicle } = world;
  const before = world.matches.get(body.matchId);
  if (before?.contents.isRepeat(content)) return;
  if (before) {
    const expected = "a match id of its own";
    const value = body.matchId;
    chronicle.breach("MAT-07", { path: "/matchId", expected, value, lines: [before.line] });
    return;
  }
  const bankTransactionIds = body.matches.map(({ id }) => id);
  bankTransactionIds.forEach((id, index) => {
    noteMatch(id, body.matchId, world);
    if (world.bankTransactions.get(id) || world.unreadable.has(id)) return;
    if (world.unannouncedBankTransactions.has(id)) return;
    const debt = world.debt(`/matches/${index}/id`);
    world.unannouncedBankTransactions.set(id, { ...debt, requirement: "MAT-04" });
  });
  const match: MatchState = {
    contents: contentsWith(content),
    line: chronicle.line,
    confidence: body.confidence,
    cardTransactionId: body.cardTransaction.id,
    bankTransactionIds,
    owedSince: undefined,
  };
  world.matches.live.set(body.matchId, match);
  for (const id of bankTransactionIds) {
    const posting = world.bankTransactions.get(id);
    if (posting && posting.bestMatch?.confidence !== "HIGH") posting.bestMatch = match;
  }
}

/** Reads `transaction.match.deleted`. */
export function onMatchDeleted(
  body: Schemas["TransactionMatchDeletedEvent"],
  content: number,
  world: World,
): void {
  const { chronicle } = world;
  const before = world.matches.get(body.matchId);
  if (before?.contents.isRepeat(content)) return;
  if (!before) {
    if (world.unreadable.has(body.matchId)) return;
    const expected = "the id of a match announced before";
    chronicle.doubt("MAT-05", { path: "/matchId", expected, value: body.matchId });
    return;
  }
  if (!world.matches.live.has(body.matchId)) {
    noteSecondRetraction(body, before, world);
    return;
  }
  compareWithMatch(body, before, world);
  judgeReason(body, before, world);
  noteRetracted(before, world);
  forgetMatch(before, body.matchId, world);
  world.matches.end(body.matchId, before);
}

/** A match of several postings may be retracted for each of them; more than that is open. */
function noteSecondRetraction(
  { matchId, bankTransactionId }: Schemas["TransactionMatchDeletedEvent"],
  before: MatchState,
  { chronicle }: World,
): void {
  if (before.bankTransactionIds.length > 1) return;
  const path = "/bankTransactionId";
  const expected = `nothing more of match ${matchId}, which is retracted`;
  chronicle.notice("MAT-05", { path, expected, value: bankTransactionId, lines: [before.line] });
}

/** Whether a purchase stays settled when its match is taken back is open (TXN-20). */
function noteRetracted(match: MatchState, { transactions, purchases }: World): void {
  const ids = match.bankTransactionIds.map((id) => purchases.get(id));
  for (const id of [match.cardTransactionId, ...ids]) {
    const transaction = id === undefined ? undefined : transactions.get(id);
    if (transaction) transaction.wasRetracted = true;
  }
}

function compareWithMatch(
  body: Schemas["TransactionMatchDeletedEvent"],
  before: MatchState,
  { chronicle, transactions }: World,
): void {
  const lines = [before.line];
  if (!before.bankTransactionIds.includes(body.bankTransactionId)) {
    const expected = `a bank transaction of the match: ${before.bankTransactionIds.join(", ")}`;
    const value = body.bankTransactionId;
    chronicle.breach("MAT-05", { path: "/bankTransactionId", expected, value, lines });
  }
  // The match may have named a clearing leg (readings, 20): only a known transaction decides.
  const isKnown = transactions.has(before.cardTransactionId);
  if (isKnown && body.cardTransactionId !== before.cardTransactionId) {
    const expected = `${before.cardTransactionId}, as in the match`;
    const value = body.cardTransactionId;
    chronicle.breach("MAT-05", { path: "/cardTransactionId", expected, value, lines });
  }
}

function judgeReason(
  { matchId, reason, bankTransactionId }: Schemas["TransactionMatchDeletedEvent"],
  before: MatchState,
  world: World,
): void {
  const { chronicle } = world;
  if (before.owedSince !== undefined && reason !== "bank_transaction_retired") {
    chronicle.doubt("BTX-05", {
      path: "/reason",
      expected: "bank_transaction_retired, as its bank transaction is deleted",
      value: reason,
      lines: [before.owedSince],
    });
  }
  if (before.owedSince === undefined && reason === "bank_transaction_retired") {
    const early = world.earlyRetractions.get(bankTransactionId) ?? [];
    early.push({ ...world.debt("/reason"), matchId });
    world.earlyRetractions.set(bankTransactionId, early);
  }
}

function noteMatch(bankTransactionId: string, matchId: string, { matchesOf }: World): void {
  const matches = matchesOf.get(bankTransactionId);
  if (matches) matches.add(matchId);
  else matchesOf.set(bankTransactionId, new Set([matchId]));
}

function forgetMatch(match: MatchState, matchId: string, { matchesOf }: World): void {
  for (const id of match.bankTransactionIds) {
    const matches = matchesOf.get(id);
    matches?.delete(matchId);
    if (matches?.size === 0) matchesOf.delete(id);
  }
}

/** At the end: what two matches may share, and what retractions were owed. */
export function judgeLiveMatches(world: World): void {
  const ofCard = new Map<string, MatchState>();
  const ofPosting = new Map<string, MatchState>();
  const shared = new Set<string>();
  for (const [matchId, match] of world.stillOwed(world.matches.live)) {
    if (match.owedSince !== undefined) judgeOwedRetraction(matchId, match, world);
    else {
      judgeSharedPosting(match, ofPosting, shared, world);
      judgeSharedLeg(match, ofCard, world);
    }
  }
  for (const [id, retractions] of world.stillOwed(world.earlyRetractions)) {
    for (const early of retractions) judgeRetired(id, early, world);
  }
}

function judgeOwedRetraction(matchId: string, match: MatchState, { chronicle }: World): void {
  chronicle.doubt("BTX-05", {
    event: "banktransaction.deleted",
    path: "/id",
    expected: `transaction.match.deleted of match ${matchId} to follow`,
    lines: [match.line, match.owedSince],
  });
}

/** MAT-07: a re-match retracts the old match, so one posting stands in one match. */
function judgeSharedPosting(
  match: MatchState,
  ofPosting: Map<string, MatchState>,
  shared: Set<string>,
  { chronicle }: World,
): void {
  for (const id of match.bankTransactionIds) {
    const older = ofPosting.get(id) ?? match;
    ofPosting.set(id, older);
    if (older === match || shared.has(id)) continue;
    shared.add(id);
    chronicle.doubt("MAT-07", {
      event: "transaction.match.created",
      path: "/matches",
      expected: `the older match of bank transaction ${id} to be retracted`,
      lines: [older.line, match.line],
    });
  }
}

/** MAT-08: each debit of a purchase that clears in parts has a leg of its own. */
function judgeSharedLeg(
  match: MatchState,
  ofCard: Map<string, MatchState>,
  { chronicle, bankTransactions }: World,
): void {
  const isOfCredit = match.bankTransactionIds.some((id) => bankTransactions.get(id)?.isCredit);
  if (isOfCredit) return;
  const older = ofCard.get(match.cardTransactionId);
  ofCard.set(match.cardTransactionId, match);
  const isSamePosting = match.bankTransactionIds.some((id) =>
    older?.bankTransactionIds.includes(id),
  );
  if (!older || isSamePosting) return;
  chronicle.doubt("MAT-08", {
    event: "transaction.match.created",
    path: "/cardTransaction/id",
    expected: "a clearing leg of its own for each debit",
    value: match.cardTransactionId,
    lines: [older.line, match.line],
  });
}

/** A retraction that blames a deletion which never came: a re-match, or no reason at all. */
function judgeRetired(
  bankTransactionId: string,
  { line, event, path, matchId }: EarlyRetraction,
  world: World,
): void {
  const isMatchedAnew = world.matchesOf.has(bankTransactionId);
  world.chronicle.doubt(isMatchedAnew ? "MAT-07" : "BTX-05", {
    event,
    path,
    expected: isMatchedAnew
      ? `rematch_superseded, as ${bankTransactionId} was matched anew`
      : `banktransaction.deleted of ${bankTransactionId}, which retires match ${matchId}`,
    value: "bank_transaction_retired",
    lines: [line],
  });
}
