import { describe, expect, test } from "vitest";
import type {
  BankCandidate,
  CardCandidate,
  Factor,
} from "../../../src/model/matching/candidates.ts";
import { confidenceOf } from "../../../src/model/transaction-match.ts";
import { daysLater, posting, purchase, scoreOf } from "./candidates.ts";

function factor(
  type: Factor["type"],
  card: Partial<CardCandidate>,
  bank: Partial<BankCandidate>,
): Factor {
  const { factors } = scoreOf(purchase(card), posting(bank));
  return factors.find((each) => each.type === type) as Factor;
}

describe("the amount", () => {
  test.each([
    ["equal", "5999", 10_000, 10_000, 1],
    ["0.01 % more", "5999", 10_000, 10_001, 0.9],
    ["0.5 % more", "5999", 10_000, 10_050, 0.9],
    ["0.5 % less", "5999", 10_000, 9950, 0.9],
    ["0.51 % more", "5999", 10_000, 10_051, 0.7],
    ["2 % more", "5999", 10_000, 10_200, 0.7],
    ["2.01 % less", "5999", 10_000, 9799, 0.5],
    ["5 % less", "5999", 10_000, 9500, 0.5],
    ["10 % more", "5999", 10_000, 11_000, 0.4],
    ["17.5 % less", "5999", 10_000, 8250, 0.25],
    ["30 % more", "5999", 10_000, 13_000, 0],
    ["twice as much", "5999", 10_000, 20_000, 0],
    ["any, after an authorization of 0", "5999", 0, 4250, 0],
    ["a tip of 20 % in a restaurant", "5812", 5000, 6000, 0.81],
    ["a tip of 25 % in a taxi", "4121", 2000, 2500, 0.8],
    ["a tip of 30 % at a hairdresser", "7230", 4000, 5200, 0.65],
    ["50 % more in a bar", "5813", 4000, 6000, 0],
    ["less than authorized in a restaurant", "5812", 5000, 4500, 0.4],
    ["20 % more without a tip", "5411", 5000, 6000, 0.2],
    ["fuel after a hold of 1", "5542", 100, 6240, 0.6],
    ["fuel over 250 after a hold of 1", "5542", 100, 25_001, 0],
    ["fuel after a hold of 150", "5541", 15_000, 4210, 0.6],
    ["fuel after a hold of 50", "5541", 5000, 1999, 0.6],
    ["fuel over its hold", "5541", 5000, 8000, 0],
    ["fuel that differs from a full amount", "5541", 6240, 3100, 0],
    ["a hold of 1 at another merchant", "5999", 100, 6240, 0],
    ["a hotel night with breakfast", "7011", 20_000, 23_000, 0.7],
    ["a hotel night with 30 % more", "3501", 20_000, 26_000, 0.5],
    ["a car rental with fuel", "3389", 30_000, 34_000, 0.7],
    ["a hotel stay with one night less", "7011", 20_000, 15_000, 0.5],
  ])("%s, of MCC %s: %d and %d score %d", (_what, mcc, card, bank, score) => {
    expect(factor("Amount", { cents: card, mcc }, { cents: bank }).score).toBeCloseTo(score, 4);
  });

  test("a cleared purchase's amount is final and allows no tip", () => {
    const card = { cents: 5000, mcc: "5812", canSplit: false };
    expect(factor("Amount", card, { cents: 6000 }).score).toBe(0.2);
  });

  test("the hold is in the currency's major units", () => {
    const card = { cents: 1000, mcc: "5542", currency: "KWD" };
    expect(factor("Amount", card, { cents: 9500, currency: "KWD" }).score).toBe(0.6);
  });

  test.each([
    ["JPY", 4250, 4251, 1],
    ["KWD", 4.25, 4.251, 0.001],
  ])("a reason has amounts of %s in major units", (currency, cardValue, bankValue, diff) => {
    const reason = factor("Amount", { currency }, { currency, cents: 4251 });
    expect(reason).toMatchObject({ cardValue, bankValue, diff });
  });
});

describe("the date", () => {
  test.each([
    [-3, 0],
    [-2, 0.6],
    [-1, 0.9],
    [0, 1],
    [1, 1],
    [2, 0.95],
    [3, 0.9],
    [4, 0.8],
    [5, 0.7],
    [7, 0.5],
    [14, 0.1],
    [15, 0],
  ])("%d days after the purchase scores %d", (days, score) => {
    const day = daysLater(days);
    expect(factor("Date", {}, { day })).toMatchObject({ score, diff: Math.abs(days) });
    // A day that scores 0 rules a match out.
    expect(scoreOf(purchase(), posting({ day })).score > 0).toBe(score > 0);
  });

  test("a month's end and a leap day count as days", () => {
    const card = { day: "2024-02-28" };
    expect(factor("Date", card, { day: "2024-03-01" })).toMatchObject({ score: 0.95, diff: 2 });
  });
});

describe("the merchant", () => {
  test.each([
    ["CORNER CAFE 12", "CORNER CAFE DUBLIN", null],
    ["SQ *CORNER CAFE", "POS DEBIT 1234 CORNER CAFE DUBLIN 03/04", null],
    ["CORNER CAFE", "CB 0403 CAFE CORNER FACT 040325", null],
    ["MUELLER BAECKEREI", "MÜLLER BÄCKEREI GMBH//BERLIN/DE", null],
    ["HOTEL DU PARC LYON", "KARTENZAHLUNG HOTEL DU P", null],
    ["FOX24CLOUD", "Fox 24 Cloud", null],
    ["CORNERCAFE", "CARD PAYMENT 1234", "Corner Cafe"],
    ["WESTWAY FUEL GALWAY", "WSTWAY FUEL", null],
  ])("%s matches %s, %s", (descriptor, description, merchantName) => {
    const bank = { description, merchantName };
    expect(factor("Merchant", { descriptor }, bank).score).toBeGreaterThan(0.8);
  });

  test.each([
    ["CORNER CAFE", "TRANSFER TO ANNA K"],
    ["CORNER CAFE", "DOCKSIDE DINER DUBLIN"],
    ["DUBLIN CORNER CAFE", "PIZZA NOVA DUBLIN"],
  ])("%s contradicts %s", (descriptor, description) => {
    expect(factor("Merchant", { descriptor }, { description }).score).toBeLessThan(0.4);
  });

  test.each([
    "POS PURCHASE",
    "KARTENUMSATZ 04.03.25",
    "PAYPAL EUROPE S.A.R.L. ET CIE S.C.A",
    "COMPRA TARJ. 4321XXXXXXXX1234",
    "PAGAMENTO POS 04/03 PAYP",
  ])("%j names no merchant and is neutral", (description) => {
    const message = "The bank's text names no merchant";
    expect(factor("Merchant", {}, { description })).toMatchObject({ score: 0.5, message });
  });
});

describe("the score", () => {
  const diner = { description: "DOCKSIDE DINER" };

  test.each([
    // 0.50 x 0.7 + 0.20 x 0.9 + 0.30 x 0.5
    ["the weighted sum", { cents: 4300, day: daysLater(3), description: "POS PURCHASE" }, 0.68],
    ["below HIGH for a contradicting merchant", diner, 0.69],
    ["not announced if the amount differs too", { ...diner, cents: 4300 }, 0.19],
    ["below HIGH for a distant amount", { cents: 4480, merchantName: "Corner Cafe" }, 0.69],
    ["0 for an amount that rules a match out", { cents: 9000 }, 0],
    ["0 for another currency", { currency: "USD" }, 0],
  ])("is %s", (_what, bank, score) => {
    const confidence = confidenceOf(score);
    expect(scoreOf(purchase(), posting(bank))).toMatchObject({ score, confidence });
  });

  test("has the compared values in major units (MAT-03)", () => {
    const card = purchase({ cents: 21_000, day: "2025-03-11", descriptor: "HOTEL DU PARC LYON" });
    const bank = posting({ cents: 18_900, day: "2025-03-12", description: "CB 1103 PARC LYON" });
    const amount = { score: 0.4, cardValue: 210, bankValue: 189, diff: 21 };
    const date = { score: 1, cardValue: "2025-03-11", bankValue: "2025-03-12", diff: 1 };
    const texts = { cardValue: "HOTEL DU PARC LYON", bankValue: "CB 1103 PARC LYON" };
    const { factors } = scoreOf(card, bank);
    expect(factors).toEqual([
      { type: "Amount", ...amount, message: "The amounts are far apart" },
      { type: "Date", ...date, message: "Posted on the day or the day after" },
      {
        type: "Merchant",
        ...texts,
        score: expect.any(Number),
        diff: null,
        message: expect.any(String),
      },
    ]);
    expect(factors[2]?.message).toContain("names");
  });

  test("has no difference of amounts in two currencies", () => {
    const reason = { score: 0, diff: null, message: "The currencies differ" };
    expect(factor("Amount", {}, { currency: "USD" })).toMatchObject(reason);
  });

  test.each([
    [1, "HIGH"],
    [0.7, "HIGH"],
    [0.6999, "MEDIUM"],
    [0.5, "MEDIUM"],
    [0.4999, "LOW"],
    [0.2, "LOW"],
    [0.1999, null],
    [0, null],
  ])("of %d is called %s (MAT-02)", (score, confidence) => {
    expect(confidenceOf(score)).toBe(confidence);
  });
});
