import type { Player, Script } from "./player.ts";
import { linkedCard } from "./purchases.ts";

/** Bank-only movements: announced, matched late, retired and removed. */
async function movements(player: Player): Promise<void> {
  await player.do("link-start", { accounts: [{ mask: "0042" }], provider: "PROVIDER_B" });
  const [cardless] = (await player.do("link-complete")).bankAccountIds ?? [];
  await player.do("bank-post", { bankAccountId: cardless });
  const fee = { bankAccountId: cardless, amount: 9.99, description: "ACCOUNT FEE" };
  await player.do("bank-post", { ...fee, category: ["BANK_FEES"], merchantName: "The Bank" });
  await player.do("bank-post", { ...fee, category: [], transactionType: "credit" });
  await player.do("bank-post", { ...fee, pending: true, currency: "USD" });
  await player.do("enrich");
  await player.do("late-card-data");
  const { cardId, bankAccountId } = await linkedCard(player, "5205");
  await linkedCard(player, "5206", player.sandbox.networks.c);
  await player.do("bank-post", { bankAccountId, amount: 15.5, transactionType: "credit" });
  await player.do("bank-post", { bankAccountId, amount: 15.5, pending: true });
  // Late card data of each confidence, and of none.
  const shown = { bankAccountId, amount: 58.1, description: "HAFEN ELEKTRO HAMBURG" };
  const told = [
    { descriptor: "HAFEN ELEKTRO HAMBURG", amount: 58.1 },
    { descriptor: "HAFEN ELEKTRO GMBH", amount: 58.1, date: "2026-01-03" },
    { descriptor: "ENTIRELY DIFFERENT", amount: 58.1 },
    { descriptor: "HAFEN ELEKTRO HAMBURG", amount: 70 },
    { descriptor: "HAFEN ELEKTRO HAMBURG", amount: 200 },
    { descriptor: "ENTIRELY DIFFERENT", amount: 58.1, date: "2025-12-20" },
  ];
  for (const { descriptor, ...rest } of told) {
    const { bankTransactionId = undefined } = await player.do("bank-post", shown);
    if (!bankTransactionId) continue;
    await player.advance("1d");
    const merchant = { descriptor };
    const late = { bankTransactionId, cardId, merchant, ...rest };
    const { transactionId } = await player.do("late-card-data", late);
    for (const by of ["1m", "4m", "10m", "15m", "45m", "5h"]) await player.advance(by);
    if (rest.amount === 70) await player.do("clear", { transactionId });
    for (const by of ["1d", "3d", "10d"]) await player.advance(by);
  }
  for (const [at, confidence] of (["HIGH", "MEDIUM", "LOW"] as const).entries()) {
    const { bankTransactionId } = await player.do("bank-post", { ...shown, amount: 301 + at });
    await player.advance("1d");
    const late = { bankTransactionId: bankTransactionId ?? undefined, cardId, confidence };
    const { transactionId } = await player.do("late-card-data", late);
    await player.advance("20d");
    await player.do("clear", { transactionId });
  }
  // Newer card data restarts the schedule.
  await player.do("bank-post", { ...shown, amount: 31 });
  await player.do("purchase", { cardId, amount: 4 });
  await player.advance("2d");
  await player.do("late-card-data");
  await player.advance("3h");
  await player.do("late-card-data", { amount: 31, cardId });
  await player.advance("20d");
}

/** Removals and repeated matches, of matched and of bank-only movements. */
async function removals(player: Player): Promise<void> {
  const { cardId, bankAccountId } = await linkedCard(player, "5205");
  const twin = { bankAccountId, amount: 15, description: "MERCADO DEL SOL SEVILLA" };
  await player.do("bank-post", twin);
  await player.do("bank-post", twin);
  await player.do("retire-duplicate");
  await player.do("retire-duplicate");
  const { bankTransactionId = null } = await player.do("bank-post", { ...twin, amount: 16 });
  const removed = { bankTransactionId: bankTransactionId ?? undefined };
  await player.do("provider-remove", removed);
  await player.do("provider-remove", removed);
  for (const isCleared of [false, true]) {
    const { transactionId } = await player.do("purchase", { cardId, amount: 42.5 });
    if (isCleared) await player.do("clear", { transactionId });
    await player.do("bank-post", { transactionId });
    await player.advance("1h");
    await player.do("rematch", { transactionId });
    await player.do("rematch");
    await player.do("retire-duplicate");
    await player.do("provider-remove");
    await player.do("bank-post", { transactionId });
    await player.do("provider-remove");
    await player.advance("5d");
    if (!isCleared) await player.do("clear", { transactionId });
  }
  // A purchase and two equal debits: the second one matches when the first is removed.
  const { transactionId } = await player.do("purchase", { cardId, amount: 23.75 });
  const posted = await player.do("bank-post", { transactionId });
  await player.do("bank-post", { transactionId });
  await player.do("provider-remove", { bankTransactionId: posted.bankTransactionId ?? undefined });
  await player.do("rematch", { bankTransactionId: posted.bankTransactionId ?? undefined });
  await player.do("rematch", { bankAccountId });
  await player.advance("20d");
  await player.do("bank-post", { transactionId, pending: true });
  await player.do("provider-remove");
  // While the card side waits for SCA the bank side keeps working.
  await player.do("link-start", { accounts: [{ type: "credit", mask: "7731" }] });
  const [credit] = (await player.do("link-complete")).bankAccountIds ?? [];
  await player.do("bank-post", { bankAccountId: credit, amount: 8, description: "KIOSK 8" });
  await player.do("upgrade");
  await player.do("bank-post", { bankAccountId: credit, amount: 9, description: "KIOSK 9" });
  await player.do("sca-pass");
  await player.do("late-card-data", { merchant: { descriptor: "KIOSK 9" } });
  await player.advance("1d");
}

/** A repeated match that finds a better purchase, or a better posting, than before. */
async function revisions(player: Player): Promise<void> {
  const { cardId, bankAccountId } = await linkedCard(player, "5205");
  const names = ["HARBOUR LIGHTS", "HARBOUR LIGHTS BISTRO"] as const;
  const post = async (amount: number, description: string) => {
    const posting = { bankAccountId, amount, description };
    const { bankTransactionId } = await player.do("bank-post", posting);
    return bankTransactionId ?? undefined;
  };
  const buy = (amount: number, descriptor: string) =>
    player.do("purchase", { cardId, amount, merchant: { descriptor } });
  // The posting settles the first purchase, and then belongs to the second one.
  for (const amount of [50, 51]) {
    const { transactionId } = await buy(amount, names[0]);
    const bankTransactionId = await post(amount, names[1]);
    if (amount === 51) await player.do("clear", { transactionId });
    await buy(amount, names[1]);
    await player.do("rematch", { bankTransactionId });
    await player.advance("1d");
  }
  // The bank-only movement is netted, and then another one belongs to the purchase.
  const bankTransactionId = await post(60, names[0]);
  const merchant = { descriptor: names[1] };
  await player.do("late-card-data", { bankTransactionId, cardId, merchant });
  await player.advance("1d");
  await post(60, names[1]);
  await player.do("rematch", { bankTransactionId });
  await player.advance("30d");
}

/** Several purchases and debits at once: who gets which, and how sure it is. */
async function matches(player: Player): Promise<void> {
  const { cardId, bankAccountId } = await linkedCard(player, "5205");
  const buy = (amount: number, descriptor: string, mcc?: string) =>
    player.do("purchase", { cardId, amount, merchant: { descriptor, mcc, city: "Dublin" } });
  const post = (amount: number, description: string, merchantName?: string) =>
    player.do("bank-post", { bankAccountId, amount, description, merchantName });
  await buy(10, "CORNER CAFE 12");
  await buy(10, "CORNER CAFE 12");
  await buy(10, "NORTHSIDE BAKERY");
  await post(10, "NORTHSIDE BAKERY DUBLIN");
  await post(10, "CARD 1234 CORNER CAFE 12 DUBLIN");
  await post(10.01, "CORNER CAFE");
  // A tip, a fuel pre-authorization, and an amount that is only near.
  await buy(40, "BISTRO ROUGE", "5812");
  await post(46, "BISTRO ROUGE");
  await buy(100, "FUEL STATION 7", "5541");
  await post(61.2, "FUEL STATION 7");
  await buy(50, "GROCER AND SONS", "5411");
  await post(52, "GROCER AND SONS");
  await buy(30, "PAYPAL *SHOP", "5999");
  await post(30, "SHOP", "Shop Ltd");
  await buy(30, "ALPHA BETA");
  await post(30, "GAMMA DELTA");
  await buy(33.33, "");
  await post(33.33, "");
  await buy(90, "THREE PARTS");
  for (const amount of [30, 40, 20]) await post(amount, "THREE PARTS");
  for (const days of [1, 2, 4, 6, 9, 14]) {
    await buy(200 + days, "SLOW POST OFFICE");
    await player.advance(`${days}d`);
    await post(200 + days, "SLOW POST OFFICE");
  }
  const dates = ["2025-12-28", "2026-01-02", "2026-03-20"];
  for (const date of dates) {
    await player.do("bank-post", { bankAccountId, amount: 10, description: "CORNER CAFE", date });
  }
  await player.advance("30d");
}

export const movementScripts: readonly Script[] = [
  { name: "movements", world: "empty", play: movements },
  { name: "removals", world: "empty", play: removals },
  { name: "revisions", world: "empty", play: revisions },
  { name: "matches", world: "empty", play: matches },
];
