import type { Ledger } from "../ledger.ts";
import type { BankSide, CardSide, Pairing } from "../matching/candidates.ts";
import { pairingsOf } from "../matching/pairings.ts";
import type { Resource } from "../store/resources.ts";
import { daysFrom } from "./days.ts";
import { addMatch } from "./match.ts";
import { settleByBank } from "./settlement.ts";
import { sidesOf } from "./sides.ts";
import { net } from "./standalone.ts";

/** How far around a day purchases and postings compete: twice what lies between a pair of them. */
const WINDOW_DAYS = 32;

/**
 * Matches what is free of an account's postings and of its cards' purchases. Each match is
 * announced; one of high confidence settles its purchase, and any nets its standalone (TXN-14).
 *
 * @param day around which is looked; everywhere unless set
 */
export function matchAccount(
  ledger: Ledger,
  account: Resource<"bank-accounts">,
  day?: string,
): void {
  const { store } = ledger;
  const window = {
    onlyOpen: true,
    ...(day ? { from: daysFrom(day, -WINDOW_DAYS), to: daysFrom(day, WINDOW_DAYS) } : {}),
  };
  const postings = store.children("bank-transactions", account.id, window).map(bankSideOf);
  if (postings.length === 0) return;
  const purchases = account.hidden.cardIds.flatMap((cardId) =>
    store.children("transactions", cardId, window).flatMap(sidesOf),
  );
  if (purchases.length === 0) return;
  for (const pairing of pairingsOf(purchases, postings)) apply(ledger, account, pairing);
}

function bankSideOf({ id, hidden }: Resource<"bank-transactions">): BankSide {
  const { day, cents, currency, description, merchantName } = hidden.posting;
  return { id, day, cents, currency, description, merchantName };
}

function apply(ledger: Ledger, account: Resource<"bank-accounts">, pairing: Pairing): void {
  const { purchase, parts } = pairing;
  for (const { posting, cents, score } of parts) {
    const { confidence } = score;
    if (confidence === null) continue;
    const transaction = ledger.store.find("transactions", purchase.transactionId);
    const movement = ledger.store.find("bank-transactions", posting.id);
    const isPart = parts.length > 1 || (purchase.canSplit && hasSettled(transaction));
    // MAT-08: which id a leg has is open; a part that the bank settles has that of its message.
    const side: CardSide = isPart ? { ...purchase, id: ledger.random.id(), cents } : purchase;
    addMatch(ledger, account, { transaction, side, movement, score: { ...score, confidence } });
    const { standaloneId } = movement.hidden;
    if (standaloneId !== null) net(ledger, standaloneId, true);
    // TXN-12
    if (confidence !== "HIGH") continue;
    const messageId = isPart ? { messageId: side.id } : {};
    settleByBank(ledger, transaction, { account, movement, legId: side.id, ...messageId });
  }
}

function hasSettled({ hidden }: Resource<"transactions">): boolean {
  return hidden.messages.some(({ messageType }) => messageType === "FINL_ADVC");
}
