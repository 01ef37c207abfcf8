import type { Change } from "../engine.ts";
import { SeedBuilder } from "./seed-builder.ts";
import { addLinkedCard } from "./small.ts";

const DAYS = 200;
const CARDS = 100;
const TRANSACTIONS = 10_000;

/** Ten thousand transactions of a hundred cards, to test pagination and speed. */
export function buildLarge(work: Change, [accountId = ""]: readonly string[]): void {
  const { random } = work;
  const builder = new SeedBuilder(work, accountId, DAYS);
  builder.do("open-subaccount", { name: "Head Office" });
  const cards = Array.from({ length: CARDS }, (_, index) => {
    // The last four digits are unique.
    return addLinkedCard(builder, `40000000000${1000 + index}`);
  });
  const pauseHours = (DAYS * 24) / TRANSACTIONS - 4 / 60;
  let made = 0;
  for (let turn = 0; made < TRANSACTIONS; turn += 1) {
    const card = cards[turn % CARDS];
    if (!card) continue;
    const { cardId, bankAccountId } = card;
    const amount = (100 + random.below(20_000)) / 100;
    builder.wait(pauseHours);
    // Of every ten purchases, the network clears four, the bank settles three, and two stay
    // pending. The tenth is bank-only, unless it happens to match a purchase.
    const kind = Math.floor(turn / CARDS) % 10;
    if (kind === 9) {
      const description = `STANDING ORDER ${random.digits(8)}`;
      const { matchId } = builder.do("bank-post", { bankAccountId, amount, description });
      if (matchId === null) made += 1;
      continue;
    }
    const { transactionId } = builder.do("purchase", { cardId, amount });
    made += 1;
    if (kind < 4) builder.do("clear", { transactionId });
    else if (kind < 7) builder.do("bank-post", { transactionId });
  }
  builder.end();
}
