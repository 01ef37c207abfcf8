import { linkedCard } from "./cards.ts";
import type { Script, Step } from "./player.ts";

const wait = (...times: readonly string[]) => times.map((by): Step => ({ verb: "advance", by }));

/** A purchase with the script's card, at a merchant. */
function buy(as: string, amount: number, descriptor: string, more?: object): Step {
  return { verb: "purchase", as, cardId: "card", amount, merchant: { descriptor, ...more } };
}

/** A movement on the script's account. */
function post(amount: number, description: string, merchantName?: string): Step {
  const texts = { description, merchantName };
  return { verb: "bank-post", as: "posting", bankAccountId: "account", amount, ...texts };
}

/** The bank posts before, after and between clearings, on each network. */
const settlements: readonly Step[] = [
  ...["NETWORK_A", "NETWORK_B", "NETWORK_C"].flatMap((network, at): Step[] => [
    ...linkedCard(`520${at}`, network),
    { verb: "purchase", as: "first", cardId: "card", amount: 42.5 },
    ...wait("9h"),
    { verb: "bank-post", transactionId: "first" },
    { verb: "enrich", transactionId: "first" },
    { verb: "clear", transactionId: "first" },
    { verb: "clear", transactionId: "first" },
    { verb: "purchase", as: "second", cardId: "card", amount: 80.1 },
    { verb: "clear", transactionId: "second", amount: 80 },
    ...wait("1d"),
    { verb: "bank-post", transactionId: "second" },
    { verb: "purchase", as: "third", cardId: "card", amount: 64 },
    { verb: "bank-post", transactionId: "third" },
    ...wait("1d"),
    { verb: "clear", transactionId: "third", amount: 70 },
  ]),
  { verb: "purchase", as: "abroad", amount: 80, currency: "USD", billingCurrency: "EUR" },
  { verb: "bank-post", transactionId: "abroad" },
  { verb: "clear", transactionId: "abroad", amount: 81 },
  { verb: "purchase", as: "yen", amount: 9000, currency: "JPY", billingCurrency: "EUR" },
  { verb: "clear-partial", transactionId: "yen" },
  { verb: "clear", transactionId: "yen" },
  { verb: "purchase", amount: 1.234, currency: "KWD", billingAmount: 4 },
  { verb: "purchase", as: "declined", amount: 310, result: "DECLINED" },
  { verb: "clear", transactionId: "declined" },
  { verb: "bank-post", transactionId: "declined" },
  { verb: "purchase", merchant: { mcc: "5812", city: "Cork", country: "IE" } },
  { verb: "bank-post" },
  { verb: "clear" },
  { verb: "enrich" },
  { verb: "switch-projection", on: false },
  { verb: "purchase" },
  { verb: "bank-post" },
  { verb: "switch-projection", on: true },
  { verb: "clear" },
];

const SHOP = "HAFEN ELEKTRO HAMBURG";

/** A purchase that clears and posts in two parts: `c` for a clearing, `p` for a posting. */
function inParts(order: string): Step[] {
  const isFirst = (at: number) => order.indexOf(order[at] ?? "") === at;
  return [
    buy("purchase", 96.4, SHOP),
    ...[...order].flatMap((step, at): Step[] => {
      if (step === "p") return [...wait("6h"), post(isFirst(at) ? 60 : 36.4, SHOP)];
      const own = { transactionId: "purchase" };
      return [
        ...wait("6h"),
        isFirst(at) ? { verb: "clear-partial", ...own, amount: 60 } : { verb: "clear", ...own },
      ];
    }),
    ...wait("20d"),
  ];
}

/** Purchases that clear in parts, with the bank's debits before, between and after. */
const parts: readonly Step[] = [
  ...linkedCard("5205"),
  ...["cpcp", "ccpp", "pccp", "pcpc", "ppcc", "cppc"].flatMap(inParts),
  // Three parts, a second match of all of them, and a part whose debit is removed.
  buy("purchase", 100, SHOP),
  ...[20, 30].flatMap((amount): Step[] => [
    { verb: "clear-partial", transactionId: "purchase", amount },
    post(amount, SHOP),
  ]),
  { verb: "rematch", transactionId: "purchase" },
  { verb: "provider-remove" },
  { verb: "clear", transactionId: "purchase" },
  post(50, SHOP),
  { verb: "rematch", bankAccountId: "account" },
  { verb: "clear-partial", transactionId: "purchase", amount: 1 },
  // One debit for two clearings, and two debits for one clearing.
  buy("whole", 77, SHOP),
  { verb: "clear-partial", transactionId: "whole", amount: 33 },
  { verb: "clear", transactionId: "whole" },
  post(77, SHOP),
  buy("split", 55, SHOP),
  { verb: "clear", transactionId: "split" },
  post(25, SHOP),
  post(30, SHOP),
  buy("half", 12, SHOP),
  { verb: "clear-partial", transactionId: "half" },
  { verb: "clear-partial" },
  ...wait("30d"),
];

/** Card data that arrives a day after its movement, and what the next weeks bring. */
function late(descriptor: string, amount: number, date?: string): Step[] {
  const details = { merchant: { descriptor }, amount, date };
  return [
    post(58.1, SHOP),
    ...wait("1d"),
    {
      ...{ verb: "late-card-data", as: "late", bankTransactionId: "posting", cardId: "card" },
      ...details,
    },
    ...wait("1m", "4m", "10m", "15m", "45m", "5h"),
    ...(amount === 70 ? [{ verb: "clear", transactionId: "late" } as const] : []),
    ...wait("1d", "3d", "10d"),
  ];
}

const FEE = { bankAccountId: "cardless", amount: 9.99, description: "ACCOUNT FEE" };

/** Bank-only movements: announced, matched late, retired and removed. */
const movements: readonly Step[] = [
  { verb: "link-start", accounts: [{ mask: "0042" }], provider: "PROVIDER_B" },
  { verb: "link-complete", as: "cardless" },
  { verb: "bank-post", bankAccountId: "cardless" },
  { verb: "bank-post", ...FEE, category: ["BANK_FEES"], merchantName: "The Bank" },
  { verb: "bank-post", ...FEE, category: [], transactionType: "credit" },
  { verb: "bank-post", ...FEE, pending: true, currency: "USD" },
  { verb: "enrich" },
  { verb: "late-card-data" },
  ...linkedCard("5205"),
  ...linkedCard("5206", "NETWORK_C", " 2"),
  { verb: "bank-post", bankAccountId: "account", amount: 15.5, transactionType: "credit" },
  { verb: "bank-post", bankAccountId: "account", amount: 15.5, pending: true },
  // Late card data of each confidence, and of none.
  ...late(SHOP, 58.1),
  ...late("HAFEN ELEKTRO GMBH", 58.1, "2026-01-03"),
  ...late("ENTIRELY DIFFERENT", 58.1),
  ...late(SHOP, 70),
  ...late(SHOP, 200),
  ...late("ENTIRELY DIFFERENT", 58.1, "2025-12-20"),
  ...(["HIGH", "MEDIUM", "LOW"] as const).flatMap((confidence, at): Step[] => [
    post(301 + at, SHOP),
    ...wait("1d"),
    {
      ...{ verb: "late-card-data", as: "late", bankTransactionId: "posting", cardId: "card" },
      confidence,
    },
    ...wait("20d"),
    { verb: "clear", transactionId: "late" },
  ]),
  // Newer card data restarts the schedule.
  post(31, SHOP),
  { verb: "purchase", cardId: "card", amount: 4 },
  ...wait("2d"),
  { verb: "late-card-data" },
  ...wait("3h"),
  { verb: "late-card-data", amount: 31, cardId: "card" },
  ...wait("20d"),
];

/** Removals and repeated matches, of matched and of bank-only movements. */
const removals: readonly Step[] = [
  ...linkedCard("5205"),
  post(15, "MERCADO DEL SOL SEVILLA"),
  post(15, "MERCADO DEL SOL SEVILLA"),
  { verb: "retire-duplicate" },
  { verb: "retire-duplicate" },
  post(16, "MERCADO DEL SOL SEVILLA"),
  { verb: "provider-remove", bankTransactionId: "posting" },
  { verb: "provider-remove", bankTransactionId: "posting" },
  ...[false, true].flatMap((isCleared): Step[] => [
    { verb: "purchase", as: "purchase", cardId: "card", amount: 42.5 },
    ...(isCleared ? [{ verb: "clear", transactionId: "purchase" } as const] : []),
    { verb: "bank-post", transactionId: "purchase" },
    ...wait("1h"),
    { verb: "rematch", transactionId: "purchase" },
    { verb: "rematch" },
    { verb: "retire-duplicate" },
    { verb: "provider-remove" },
    { verb: "bank-post", transactionId: "purchase" },
    { verb: "provider-remove" },
    ...wait("5d"),
    ...(isCleared ? [] : [{ verb: "clear", transactionId: "purchase" } as const]),
  ]),
  // A purchase and two equal debits: the second one matches when the first is removed.
  { verb: "purchase", as: "purchase", cardId: "card", amount: 23.75 },
  { verb: "bank-post", as: "posting", transactionId: "purchase" },
  { verb: "bank-post", transactionId: "purchase" },
  { verb: "provider-remove", bankTransactionId: "posting" },
  { verb: "rematch", bankTransactionId: "posting" },
  { verb: "rematch", bankAccountId: "account" },
  ...wait("20d"),
  { verb: "bank-post", transactionId: "purchase", pending: true },
  { verb: "provider-remove" },
  // While the card side waits for SCA the bank side keeps working.
  { verb: "link-start", accounts: [{ type: "credit", mask: "7731" }] },
  { verb: "link-complete", as: "account" },
  post(8, "KIOSK 8"),
  { verb: "upgrade" },
  post(9, "KIOSK 9"),
  { verb: "sca-pass" },
  { verb: "late-card-data", merchant: { descriptor: "KIOSK 9" } },
  ...wait("1d"),
];

const [FIRST, SECOND] = ["HARBOUR LIGHTS", "HARBOUR LIGHTS BISTRO"] as const;

/** A repeated match that finds a better purchase, or a better posting, than before. */
const revisions: readonly Step[] = [
  ...linkedCard("5205"),
  // The posting settles the first purchase, and then belongs to the second one.
  ...[false, true].flatMap((isCleared, at): Step[] => [
    buy("purchase", 50 + at, FIRST),
    post(50 + at, SECOND),
    ...(isCleared ? [{ verb: "clear", transactionId: "purchase" } as const] : []),
    buy("purchase", 50 + at, SECOND),
    { verb: "rematch", bankTransactionId: "posting" },
    ...wait("1d"),
  ]),
  // The bank-only movement is netted, and then another one belongs to the purchase.
  post(60, FIRST),
  {
    ...{ verb: "late-card-data", bankTransactionId: "posting", cardId: "card" },
    merchant: { descriptor: SECOND },
  },
  ...wait("1d"),
  { verb: "bank-post", bankAccountId: "account", amount: 60, description: SECOND },
  { verb: "rematch", bankTransactionId: "posting" },
  ...wait("30d"),
];

const buyInDublin = (amount: number, descriptor: string, mcc?: string) =>
  buy("purchase", amount, descriptor, { mcc, city: "Dublin" });

/** Several purchases and debits at once: who gets which, and how sure it is. */
const matches: readonly Step[] = [
  ...linkedCard("5205"),
  buyInDublin(10, "CORNER CAFE 12"),
  buyInDublin(10, "CORNER CAFE 12"),
  buyInDublin(10, "NORTHSIDE BAKERY"),
  post(10, "NORTHSIDE BAKERY DUBLIN"),
  post(10, "CARD 1234 CORNER CAFE 12 DUBLIN"),
  post(10.01, "CORNER CAFE"),
  // A tip, a fuel pre-authorization, and an amount that is only near.
  buyInDublin(40, "BISTRO ROUGE", "5812"),
  post(46, "BISTRO ROUGE"),
  buyInDublin(100, "FUEL STATION 7", "5541"),
  post(61.2, "FUEL STATION 7"),
  buyInDublin(50, "GROCER AND SONS", "5411"),
  post(52, "GROCER AND SONS"),
  buyInDublin(30, "PAYPAL *SHOP", "5999"),
  post(30, "SHOP", "Shop Ltd"),
  buyInDublin(30, "ALPHA BETA"),
  post(30, "GAMMA DELTA"),
  buyInDublin(33.33, ""),
  post(33.33, ""),
  buyInDublin(90, "THREE PARTS"),
  ...[30, 40, 20].map((amount) => post(amount, "THREE PARTS")),
  ...[1, 2, 4, 6, 9, 14].flatMap((days) => [
    buyInDublin(200 + days, "SLOW POST OFFICE"),
    ...wait(`${days}d`),
    post(200 + days, "SLOW POST OFFICE"),
  ]),
  ...["2025-12-28", "2026-01-02", "2026-03-20"].map((date): Step => {
    return {
      verb: "bank-post",
      bankAccountId: "account",
      amount: 10,
      description: "CORNER CAFE",
      date,
    };
  }),
  ...wait("30d"),
];

export const moneyScripts: readonly Script[] = [
  { name: "settlements", world: "empty", steps: settlements },
  { name: "parts", world: "empty", steps: parts },
  { name: "movements", world: "empty", steps: movements },
  { name: "removals", world: "empty", steps: removals },
  { name: "revisions", world: "empty", steps: revisions },
  { name: "matches", world: "empty", steps: matches },
];
