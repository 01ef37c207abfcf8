import type { Ledger } from "../ledger.ts";
import { linkedCard } from "./small.ts";
import { Tale } from "./tale.ts";

const DAYS = 200;
const CARDS = 20;
const TRANSACTIONS = 10_000;

/** Ten thousand transactions of twenty cards, all of the first account: for pages and for speed. */
export function tellLarge(ledger: Ledger, [accountId = ""]: readonly string[]): void {
  const { random } = ledger;
  const tale = new Tale(ledger, accountId, DAYS);
  tale.do("open-subaccount", { name: "Head Office" });
  const cards = Array.from({ length: CARDS }, () => linkedCard(tale, `400000${random.digits(10)}`));
  const pauseHours = (DAYS * 24) / TRANSACTIONS - 4 / 60;
  for (let count = 0; count < TRANSACTIONS; count += 1) {
    const card = cards[count % CARDS];
    if (!card) continue;
    const { cardId, bankAccountId } = card;
    const cents = 100 + random.below(20_000);
    tale.wait(pauseHours);
    // Most are settled by the bank, one in ten by the network too; the last ones are still pending.
    if (count % 20 === 19) {
      const description = `STANDING ORDER ${random.digits(8)}`;
      tale.do("bank-post", { bankAccountId, amount: cents / 100, description });
      continue;
    }
    const { transactionId } = tale.do("purchase", { cardId, amount: cents / 100 });
    if (count % 10 < 7) tale.do("clear", { transactionId });
  }
  tale.end();
}
