import { randomScripts } from "../../mutation/random-scripts.ts";
import type { Step } from "../../test/sandbox/verb-scripts.ts";
import type { Script } from "./player.ts";
import { probes } from "./probes.ts";

/** How many random scripts are played: more of them reach hardly any other mutant. */
const RANDOM = 60;

const wait = (advance: string): Step => ({ advance });

/** A purchase with the latest card. */
const buy = (amount: number, descriptor: string, mcc?: string): Step => ({
  ...{ verb: "purchase", params: { amount, merchant: { descriptor, mcc, city: "Dublin" } } },
  about: [["cardId", "cards", 0]],
});

/** A movement on the latest account. */
const post = (amount: number, description: string, more: object = {}): Step => ({
  ...{ verb: "bank-post", params: { amount, description, ...more } },
  about: [["bankAccountId", "bank-accounts", 0]],
});

/** A step of the latest purchase. */
const clear = (verb: "clear" | "clear-partial", params: object = {}): Step => {
  return { verb, params, about: [["transactionId", "transactions", 0]] };
};

/** A new match of the latest movement. */
const rematch: Step = {
  ...{ verb: "rematch", params: {} },
  about: [["bankTransactionId", "bank-transactions", 0]],
};

const CAFE = "CORNER CAFE 12";

/** Several purchases and debits at once: who gets which, and how sure it is. */
const matches: readonly Step[] = [
  { verb: "enroll", params: { cardNumber: "4000000000005205" } },
  { verb: "sca-pass", params: {} },
  { verb: "link-start", params: { accounts: [{ name: "Everyday", mask: "5205" }] } },
  { verb: "link-complete", params: {} },
  ...[buy(10, CAFE), buy(10, CAFE), buy(10, "NORTHSIDE BAKERY")],
  post(10, "NORTHSIDE BAKERY DUBLIN"),
  post(10, "CARD 1234 CORNER CAFE 12 DUBLIN"),
  post(10.01, "CORNER CAFE"),
  // A tip, a fuel pre-authorization, and an amount that is only near.
  ...[buy(40, "BISTRO ROUGE", "5812"), post(46, "BISTRO ROUGE")],
  ...[buy(100, "FUEL STATION 7", "5541"), post(61.2, "FUEL STATION 7")],
  ...[buy(50, "GROCER AND SONS", "5411"), post(52, "GROCER AND SONS")],
  ...[buy(30, "PAYPAL *SHOP", "5999"), post(30, "SHOP", { merchantName: "Shop Ltd" })],
  ...[buy(30, "ALPHA BETA"), post(30, "GAMMA DELTA"), buy(33.33, ""), post(33.33, "")],
  ...[buy(90, "THREE PARTS"), ...[30, 40, 20].map((amount) => post(amount, "THREE PARTS"))],
  ...[1, 2, 4, 6, 9, 14].flatMap((days) => [
    buy(200 + days, "SLOW POST OFFICE"),
    wait(`${days}d`),
    post(200 + days, "SLOW POST OFFICE"),
  ]),
  ...["2025-12-28", "2026-01-02", "2026-03-20"].map((date) => post(10, "CORNER CAFE", { date })),
  // The posting settles the first purchase, and then belongs to the second one.
  ...[50, 51].flatMap((amount) => [
    ...[buy(amount, "HARBOUR LIGHTS"), post(amount, "HARBOUR LIGHTS BISTRO")],
    ...(amount === 50 ? [] : [clear("clear")]),
    ...[buy(amount, "HARBOUR LIGHTS BISTRO"), rematch, wait("1d")],
  ]),
  // Purchases that clear and post in parts, and match again.
  ...[20, 30].flatMap((part) => [
    ...[buy(100, "SHOP"), clear("clear-partial", { amount: part }), post(part, "SHOP"), rematch],
    ...[clear("clear-partial", { amount: 40 }), post(40, "SHOP"), rematch, clear("clear")],
    ...[post(60 - part, "SHOP"), rematch, wait("20d")],
  ]),
  { verb: "purchase", params: { amount: 1.234, currency: "KWD", billingAmount: 4 } },
  { verb: "bank-post", params: {} },
  { verb: "enrich", params: {} },
  { verb: "rematch", params: {} },
  wait("30d"),
];

/** The scripts that decide whether a mutant is equivalent. */
export const scripts: readonly Script[] = [
  { name: "matches", world: "empty", steps: matches },
  ...randomScripts(RANDOM, 1).map((steps, at): Script => {
    return { name: `random ${at + 1}`, world: "empty", steps };
  }),
  ...probes,
];
