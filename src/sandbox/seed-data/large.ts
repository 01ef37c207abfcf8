import type { World } from "../../world/world.ts";
import type { Change } from "../engine.ts";

/** The length of the history. */
export const LARGE_DAYS = 200;
const CARDS = 100;
const TRANSACTIONS = 10_000;
const PAUSE_MS = Math.round((LARGE_DAYS * 86_400_000) / TRANSACTIONS) - 4 * 60_000;

/** Ten thousand transactions of a hundred cards, to test pagination and speed. */
export function playLarge(world: World, { random }: Change): void {
  const run: World["run"] = (verb, params) => {
    const result = world.run(verb, params);
    world.advance("1m");
    return result;
  };
  run("open-subaccount", { name: "Head Office" });
  const cards = Array.from({ length: CARDS }, (_, index) => {
    // The last four digits are unique.
    const mask = String(1000 + index);
    const { cardId } = run("enroll", { cardNumber: `40000000000${mask}` });
    run("sca-pass", {});
    run("link-start", {
      accounts: [{ name: "Everyday Account", mask, type: "depository/checking" }],
    });
    const { bankAccountIds } = run("link-complete", {});
    return { cardId, bankAccountId: bankAccountIds[0] ?? "" };
  });
  let made = 0;
  for (let turn = 0; made < TRANSACTIONS; turn += 1) {
    const card = cards[turn % CARDS];
    if (!card) continue;
    const { cardId, bankAccountId } = card;
    const amount = (100 + random.below(20_000)) / 100;
    world.advance(`${PAUSE_MS}ms`);
    // Of every ten purchases, the network clears four, the bank settles three, and two stay
    // pending. The tenth is bank-only, unless it happens to match a purchase.
    const kind = Math.floor(turn / CARDS) % 10;
    if (kind === 9) {
      const description = `STANDING ORDER ${random.digits(8)}`;
      const { matchId } = run("bank-post", { bankAccountId, amount, description });
      if (matchId === null) made += 1;
      continue;
    }
    const { transactionId } = run("purchase", { cardId, amount });
    made += 1;
    if (kind < 4) run("clear", { transactionId });
    else if (kind < 7) run("bank-post", { transactionId });
  }
}
