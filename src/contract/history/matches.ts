import type { components } from "../../../generated/types.ts";
import { contentsWith, type MatchState, type World } from "./world.ts";

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
  world.matches.live.set(body.matchId, {
    contents: contentsWith(content),
    line: chronicle.line,
    confidence: body.confidence,
    cardTransactionId: body.cardTransaction.id,
    bankTransactionIds,
    owedSince: undefined,
  });
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
    const expected = `nothing more of match ${body.matchId}, which is retracted`;
    chronicle.doubt("MAT-05", { path: "", expected, value: body, lines: [before.line] });
    return;
  }
  compareWithMatch(body, before, world);
  judgeReason(body, before, world);
  const transaction = world.transactions.get(before.cardTransactionId);
  if (transaction) transaction.wasRetracted = true;
  forgetMatch(before, body.matchId, world);
  world.matches.end(body.matchId, before);
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
    world.earlyRetractions.set(matchId, { ...world.debt("/reason"), bankTransactionId });
  }
}

function noteMatch(bankTransactionId: string, matchId: string, { matchesOf }: World): void {
  const matches = matchesOf.get(bankTransactionId);
  if (matches) matches.push(matchId);
  else matchesOf.set(bankTransactionId, [matchId]);
}

function forgetMatch(match: MatchState, matchId: string, { matchesOf }: World): void {
  for (const id of match.bankTransactionIds) {
    const others = matchesOf.get(id)?.filter((other) => other !== matchId) ?? [];
    if (others.length > 0) matchesOf.set(id, others);
    else matchesOf.delete(id);
  }
}

/** At the end: what two matches may share, and what retractions were owed. */
export function judgeLiveMatches(world: World): void {
  const ofCard = new Map<string, [string, MatchState]>();
  const shared = new Set<string>();
  for (const [matchId, match] of world.matches.live) {
    if (match.owedSince !== undefined) judgeOwedRetraction(matchId, match, world);
    else {
      judgeSharedPosting(matchId, match, shared, world);
      judgeSharedLeg(matchId, match, ofCard, world);
    }
  }
  for (const [matchId, early] of world.earlyRetractions) judgeRetired(matchId, early, world);
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
  matchId: string,
  match: MatchState,
  shared: Set<string>,
  { chronicle, matches, matchesOf }: World,
): void {
  for (const id of match.bankTransactionIds) {
    const others = (matchesOf.get(id) ?? []).filter((other) => other !== matchId);
    const older = others.map((other) => matches.live.get(other)).find(isCoveredBefore(match));
    if (!older || shared.has(id)) continue;
    shared.add(id);
    chronicle.doubt("MAT-07", {
      event: "transaction.match.created",
      path: "/matches",
      expected: `the older match of bank transaction ${id} to be retracted`,
      lines: [older.line, match.line],
    });
  }
}

function isCoveredBefore(match: MatchState) {
  return (other: MatchState | undefined): other is MatchState =>
    other !== undefined && other.owedSince === undefined && other.line < match.line;
}

/** MAT-08: each debit of a purchase that clears in parts has a leg of its own. */
function judgeSharedLeg(
  matchId: string,
  match: MatchState,
  ofCard: Map<string, [string, MatchState]>,
  { chronicle, bankTransactions }: World,
): void {
  const isOfCredit = match.bankTransactionIds.some((id) => bankTransactions.get(id)?.isCredit);
  if (isOfCredit) return;
  const [, older] = ofCard.get(match.cardTransactionId) ?? [];
  ofCard.set(match.cardTransactionId, [matchId, match]);
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
  matchId: string,
  {
    line,
    event,
    path,
    bankTransactionId,
  }: { line: number; event: string; path: string; bankTransactionId: string },
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
