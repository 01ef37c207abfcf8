import type { components } from "../../../generated/types.ts";
import { type HistoryState, rememberedDeliveries } from "./history-state.ts";

/**
 * Reads `bankaccount.state_changed`. The event has neither id nor time, so a delivery with known
 * content is either a duplicate or the same change again. The account may then be in either state.
 */
export function onBankAccountStateChanged(
  body: components["schemas"]["BankAccountStateEvent"],
  hash: number,
  history: HistoryState,
): void {
  const { reporter } = history;
  const { bankAccountId, state, previousState } = body;
  const before = history.bankAccounts.get(bankAccountId);
  const isUnknown = !before || history.unreadable.has(bankAccountId);
  const isConsistent = isUnknown || before.states.has(previousState);
  if (before?.contents.isDuplicate(hash)) {
    if (isConsistent) before.states = new Set([...before.states, state]);
    return;
  }
  if (!isConsistent) {
    reporter.violationIfComplete("BAC-03", {
      path: "/previousState",
      expected: `${[...before.states].join(" or ")}, as in its previous event`,
      value: previousState,
      lines: [before.line],
    });
  }
  if (state === "auth_required" && previousState === "disconnected") {
    const expected = "active, the only state that leads to auth_required";
    reporter.violation("BAC-05", { path: "/previousState", expected, value: previousState });
  }
  history.bankAccounts.set(bankAccountId, {
    contents: before?.contents ?? rememberedDeliveries(hash),
    line: reporter.line,
    states: new Set([state]),
  });
}
