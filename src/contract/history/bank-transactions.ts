import type { ClaimId } from "../../../generated/requirements.ts";
import type { components } from "../../../generated/types.ts";
import { type HistoryState, rememberedDeliveries } from "./history-state.ts";

type Schemas = components["schemas"];

/** What a deletion's body can violate but not prove, because it depends on the announcement. */
export const CLAIMS_ON_DELETIONS = [
  "BTX-04.names-announced",
  "BTX-04.account",
] as const satisfies readonly ClaimId[];

/** Checks and records a `banktransaction.created` event. */
export function onBankTransactionCreated(
  body: Schemas["BankTransactionEvent"],
  hash: number,
  history: HistoryState,
): void {
  const before = history.bankTransactions.get(body.id);
  if (before?.contents.isDuplicate(hash)) return;
  if (before) {
    // The interface has no update of bank transactions, but does not say that they are final.
    history.reporter.notice("BTX-01.owed", {
      path: "",
      expected: `bank transaction ${body.id} as announced before`,
      value: body,
      lines: [before.line],
    });
    return;
  }
  history.unannouncedBankTransactions.delete(body.id);
  history.bankTransactions.live.set(body.id, {
    contents: rememberedDeliveries(hash),
    line: history.reporter.line,
    bankAccountId: body.bankAccountId,
    isPending: body.pending,
    isCredit: body.transactionType === "credit",
    bestMatch: undefined,
    deletedLine: undefined,
  });
}

/** Checks and records a `banktransaction.deleted` event. */
export function onBankTransactionDeleted(
  body: Schemas["BankTransactionDeletedEvent"],
  hash: number,
  history: HistoryState,
): void {
  const { reporter } = history;
  const before = history.bankTransactions.get(body.id);
  if (before?.contents.isDuplicate(hash)) return;
  history.caseUnlessUnreadable("BTX-04.names-announced", body.id);
  if (!before) {
    expectRetractions(body.id, history);
    if (history.unreadable.has(body.id)) return;
    const expected = "the id of an earlier banktransaction.created";
    reporter.violationIfComplete("BTX-04.names-announced", {
      path: "/id",
      expected,
      value: body.id,
    });
    return;
  }
  if (before.deletedLine !== undefined) {
    // The interface does not say whether a deletion may be sent again.
    const expected = `no more events of ${body.id}, which is deleted`;
    reporter.notice("BTX-04.owed", {
      path: "",
      expected,
      value: body,
      lines: [before.deletedLine],
    });
    return;
  }
  reporter.case("BTX-04.account");
  if (body.bankAccountId !== before.bankAccountId) {
    const expected = `${before.bankAccountId}, as announced`;
    const value = body.bankAccountId;
    reporter.violation("BTX-04.account", {
      path: "/bankAccountId",
      expected,
      value,
      lines: [before.line],
    });
  }
  before.deletedLine = reporter.line;
  history.bankTransactions.end(body.id, before);
  expectRetractions(body.id, history);
}

/** BTX-05: the matches of a deleted bank transaction must be retracted after it. */
function expectRetractions(bankTransactionId: string, history: HistoryState): void {
  const { reporter } = history;
  for (const matchId of history.matchesOf.get(bankTransactionId) ?? []) {
    const match = history.matches.live.get(matchId);
    if (!match) continue;
    reporter.caseIfComplete("BTX-05.retracted");
    match.retractionDueLine = reporter.line;
  }
  for (const { matchId, line } of history.earlyRetractions.get(bankTransactionId) ?? []) {
    reporter.violationIfComplete("BTX-05.follows", {
      path: "/id",
      expected: `banktransaction.deleted before the retraction of match ${matchId}`,
      value: bankTransactionId,
      lines: [line],
    });
  }
  history.earlyRetractions.delete(bankTransactionId);
}
