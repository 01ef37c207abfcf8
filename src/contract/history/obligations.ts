import type { HistoryState } from "./history-state.ts";
import { checkLiveMatches } from "./matches.ts";
import { checkUnlistedMessages } from "./messages.ts";
import { checkMatches, checkUnsureSettlements } from "./settlement.ts";

/** Reports, at the end of a capture, the required events that never came. */
export function checkObligations(history: HistoryState): void {
  const { reporter } = history;
  for (const [id, { line, event, path, isBankOnly }] of history.outstanding(
    history.unannouncedMessages,
  )) {
    // TXN-15 requires it for bank-only movements, CONV-09 for every link.
    const requirement = isBankOnly ? "TXN-15" : "CONV-09";
    const expected = "a message that transactionmessage.created announces";
    reporter.violationIfComplete(requirement, { event, path, expected, value: id, lines: [line] });
  }
  for (const [id, { line, event, path, requirement }] of history.outstanding(
    history.unannouncedBankTransactions,
  )) {
    const expected = "a bank transaction that banktransaction.created announces";
    reporter.violationIfComplete(requirement, { event, path, expected, value: id, lines: [line] });
  }
  for (const [id, { line, event, path }] of history.outstanding(history.unlinkedAccounts)) {
    const expected = "a bank account that banklink.completed names";
    reporter.violationIfComplete("CONV-09", { event, path, expected, value: id, lines: [line] });
  }
  for (const [id, { line, event, path }] of history.outstanding(history.expectedSubscriptions)) {
    const expected = `cardsubscription.created of ${id} to be sent`;
    reporter.violationIfComplete("BLK-05", { event, path, expected, lines: [line] });
  }
  checkUnlistedMessages(history);
  checkLiveMatches(history);
  checkMatches(history);
  checkUnsureSettlements(history);
}
