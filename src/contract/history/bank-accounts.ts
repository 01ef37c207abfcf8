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
  if (!isUnknown) reporter.caseIfComplete("BAC-03.chain");
  if (!isConsistent) {
    reporter.violationIfComplete("BAC-03.chain", {
      path: "/previousState",
      expected: `${[...before.states].join(" or ")}, as in its previous event`,
      value: previousState,
      lines: [before.line],
    });
  }
  if (state === "auth_required") reporter.case("BAC-05.auth-required");
  if (state === "auth_required" && previousState === "disconnected") {
    const expected = "active, the only state that leads to auth_required";
    reporter.violation("BAC-05.auth-required", {
      path: "/previousState",
      expected,
      value: previousState,
    });
  }
  history.bankAccounts.set(bankAccountId, {
    contents: before?.contents ?? rememberedDeliveries(hash),
    line: reporter.line,
    states: new Set([state]),
  });
}

/** Checks and records a `banklink.completed` event. */
export function onBankLinkCompleted(
  body: components["schemas"]["BankLinkCompletedEvent"],
  hash: number,
  history: HistoryState,
): void {
  const { reporter } = history;
  const before = history.bankLinks.get(body.bankLinkId);
  if (before?.contents.isDuplicate(hash)) return;
  reporter.case("BLK-02.exactly-one");
  if (before) {
    const expected = `one banklink.completed of ${body.bankLinkId}`;
    reporter.violation("BLK-02.exactly-one", {
      path: "",
      expected,
      value: body,
      lines: [before.line],
    });
    return;
  }
  const { line } = reporter;
  history.bankLinks.set(body.bankLinkId, { contents: rememberedDeliveries(hash), line });
  body.bankAccounts.forEach(({ id, cards }, account) => {
    history.linkedAccounts.add(id);
    history.unlinkedAccounts.delete(id);
    cards?.forEach(({ id: cardId, subscriptionId }, card) => {
      const path = `/bankAccounts/${account}/cards/${card}/subscriptionId`;
      expectSubscription({ subscriptionId, cardId, path }, history);
    });
  });
}

/** BLK-05: the subscription has an event of its own, before or after the completion. */
function expectSubscription(
  card: { readonly subscriptionId: string; readonly cardId: string; readonly path: string },
  history: HistoryState,
): void {
  const { subscriptionId, cardId, path } = card;
  history.caseUnlessUnreadable("BLK-05.created-sent", subscriptionId);
  const announced = history.subscriptions.get(subscriptionId);
  if (announced?.createdLine === undefined) {
    if (history.unreadable.has(subscriptionId)) return;
    history.expectedSubscriptions.set(subscriptionId, { ...history.obligation(path), cardId });
    return;
  }
  if (announced.cardId !== cardId) {
    const expected = `${announced.cardId}, as in its cardsubscription.created`;
    const lines = [announced.createdLine];
    history.reporter.violationIfComplete("BLK-05.names-account", {
      path,
      expected,
      value: cardId,
      lines,
    });
  }
}
