import type { Player, Script } from "./player.ts";

/** Enrolls an active card with a current account. */
export async function linkedCard(player: Player, digits: string, network?: string) {
  const { cardId } = await player.do("enroll", { cardNumber: `400000000000${digits}`, network });
  await player.do("sca-pass");
  await player.do("link-start", { accounts: [{ name: "Everyday", mask: digits }] });
  const { bankAccountIds } = await player.do("link-complete");
  return { cardId, bankAccountId: bankAccountIds?.[0] };
}

/** The bank posts before, after and between clearings, on each network. */
async function settlements(player: Player): Promise<void> {
  const { a, b, c } = player.sandbox.networks;
  for (const [at, network] of [a, b, c].entries()) {
    const { cardId } = await linkedCard(player, `520${at}`, network);
    const bought = async (amount: number) => {
      const { transactionId } = await player.do("purchase", { cardId, amount });
      return { transactionId };
    };
    const first = await bought(42.5);
    await player.advance("9h");
    await player.do("bank-post", first);
    await player.do("enrich", first);
    await player.do("clear", first);
    await player.do("clear", first);
    const second = await bought(80.1);
    await player.do("clear", { ...second, amount: 80 });
    await player.advance("1d");
    await player.do("bank-post", second);
    const third = await bought(64);
    await player.do("bank-post", third);
    await player.advance("1d");
    await player.do("clear", { ...third, amount: 70 });
  }
  const dollars = { amount: 80, currency: "USD", billingCurrency: "EUR" };
  const abroad = await player.do("purchase", dollars);
  await player.do("bank-post", { transactionId: abroad.transactionId });
  await player.do("clear", { transactionId: abroad.transactionId, amount: 81 });
  const yen = await player.do("purchase", { ...dollars, amount: 9000, currency: "JPY" });
  await player.do("clear-partial", { transactionId: yen.transactionId });
  await player.do("clear", { transactionId: yen.transactionId });
  await player.do("purchase", { amount: 1.234, currency: "KWD", billingAmount: 4 });
  const declined = await player.do("purchase", { amount: 310, result: "DECLINED" });
  await player.do("clear", { transactionId: declined.transactionId });
  await player.do("bank-post", { transactionId: declined.transactionId });
  await player.do("purchase", { merchant: { mcc: "5812", city: "Cork", country: "IE" } });
  await player.do("bank-post");
  await player.do("clear");
  await player.do("enrich");
  await player.do("switch-projection", { on: false });
  await player.do("purchase");
  await player.do("bank-post");
  await player.do("switch-projection", { on: true });
  await player.do("clear");
}

/** Purchases that clear in parts, with the bank's debits before, between and after. */
async function parts(player: Player): Promise<void> {
  const { cardId, bankAccountId } = await linkedCard(player, "5205");
  const merchant = { descriptor: "HAFEN ELEKTRO HAMBURG" };
  const post = (amount: number) =>
    player.do("bank-post", { bankAccountId, amount, description: merchant.descriptor });
  for (const order of ["cpcp", "ccpp", "pccp", "pcpc", "ppcc", "cppc"]) {
    const { transactionId } = await player.do("purchase", { cardId, amount: 96.4, merchant });
    const amounts = { c: [60, 36.4], p: [60, 36.4] };
    for (const step of order) {
      await player.advance("6h");
      if (step === "p") await post(amounts.p.shift() ?? 0);
      else if (amounts.c.length === 1) await player.do("clear", { transactionId });
      else await player.do("clear-partial", { transactionId, amount: amounts.c.shift() ?? 0 });
      if (step === "c" && amounts.c.length === 1) continue;
    }
    await player.advance("20d");
  }
  // Three parts, a second match of all of them, and a part whose debit is removed.
  const { transactionId } = await player.do("purchase", { cardId, amount: 100, merchant });
  for (const amount of [20, 30]) {
    await player.do("clear-partial", { transactionId, amount });
    await post(amount);
  }
  await player.do("rematch", { transactionId });
  await player.do("provider-remove");
  await player.do("clear", { transactionId });
  await post(50);
  await player.do("rematch", { bankAccountId });
  await player.do("clear-partial", { transactionId, amount: 1 });
  // One debit for two clearings, and two debits for one clearing.
  const whole = await player.do("purchase", { cardId, amount: 77, merchant });
  await player.do("clear-partial", { transactionId: whole.transactionId, amount: 33 });
  await player.do("clear", { transactionId: whole.transactionId });
  await post(77);
  const split = await player.do("purchase", { cardId, amount: 55, merchant });
  await player.do("clear", { transactionId: split.transactionId });
  await post(25);
  await post(30);
  const { transactionId: half } = await player.do("purchase", { cardId, amount: 12, merchant });
  await player.do("clear-partial", { transactionId: half });
  await player.do("clear-partial");
  await player.advance("30d");
}

export const purchaseScripts: readonly Script[] = [
  { name: "settlements", world: "empty", play: settlements },
  { name: "parts", world: "empty", play: parts },
];
