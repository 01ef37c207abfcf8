import type { components } from "../../../generated/types.ts";
import { type HistoryState, rememberedDeliveries } from "./history-state.ts";

/** Checks and records a `banklink.completed` event. */
export function onBankLinkCompleted(
  body: components["schemas"]["BankLinkCompletedEvent"],
  hash: number,
  history: HistoryState,
): void {
  const { reporter } = history;
  const before = history.bankLinks.get(body.bankLinkId);
  if (before?.contents.isDuplicate(hash)) return;
  if (before) {
    const expected = `one banklink.completed of ${body.bankLinkId}`;
    reporter.violation("BLK-02", { path: "", expected, value: body, lines: [before.line] });
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
  const announced = history.subscriptions.get(subscriptionId);
  if (announced?.createdLine === undefined) {
    if (history.unreadable.has(subscriptionId)) return;
    history.expectedSubscriptions.set(subscriptionId, { ...history.obligation(path), cardId });
  } else if (announced.cardId !== cardId) {
    const expected = `${announced.cardId}, as in its cardsubscription.created`;
    const lines = [announced.createdLine];
    history.reporter.violationIfComplete("BLK-05", { path, expected, value: cardId, lines });
  }
}
