import type { components } from "../../../generated/types.ts";
import { contentsWith, type World } from "./world.ts";

/** Reads `banklink.completed`. */
export function onBankLinkCompleted(
  body: components["schemas"]["BankLinkCompletedEvent"],
  content: number,
  world: World,
): void {
  const { chronicle } = world;
  const before = world.bankLinks.get(body.bankLinkId);
  if (before?.contents.isRepeat(content)) return;
  if (before) {
    const expected = `one banklink.completed of ${body.bankLinkId}`;
    chronicle.breach("BLK-02", { path: "", expected, value: body, lines: [before.line] });
    return;
  }
  const { line } = chronicle;
  world.bankLinks.set(body.bankLinkId, { contents: contentsWith(content), line });
  body.bankAccounts.forEach(({ id, cards }, account) => {
    world.linkedAccounts.add(id);
    world.unlinkedAccounts.delete(id);
    cards?.forEach(({ id: cardId, subscriptionId }, card) => {
      const path = `/bankAccounts/${account}/cards/${card}/subscriptionId`;
      owe({ subscriptionId, cardId, path }, world);
    });
  });
}

/** BLK-05: the subscription is announced by an event of its own, before or after. */
function owe(
  card: { readonly subscriptionId: string; readonly cardId: string; readonly path: string },
  world: World,
): void {
  const { subscriptionId, cardId, path } = card;
  const announced = world.subscriptions.get(subscriptionId);
  if (announced?.createdLine === undefined) {
    if (world.unreadable.has(subscriptionId)) return;
    world.owedSubscriptions.set(subscriptionId, { ...world.debt(path), cardId });
  } else if (announced.cardId !== cardId) {
    const expected = `${announced.cardId}, as its cardsubscription.created says`;
    const lines = [announced.createdLine];
    world.chronicle.doubt("BLK-05", { path, expected, value: cardId, lines });
  }
}
