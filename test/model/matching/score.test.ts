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
    ["equal", 10_000, 1],
    ["0.01 % more", 10_001, 0.9],
    ["0.5 % more", 10_050, 0.9],
    ["0.5 % less", 9950, 0.9],
    ["0.51 % more", 10_051, 0.7],
    ["2 % more", 10_200, 0.7],
    ["2.01 % less", 9799, 0.5],
    ["5 % less", 9500, 0.5],
    ["10 % more", 11_000, 0.4],
    ["17.5 % less", 8250, 0.25],
    ["30 % more", 13_000, 0],
    ["twice as much", 20_000, 0],
  ])("%s has the score of the table", (_what, cents, score) => {
    expect(factor("Amount", { cents: 10_000 }, { cents }).score).toBe(score);
  });

  test.each([
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
  ])("%s is accepted for its MCC", (_what, mcc, card, bank, score) => {
    expect(factor("Amount", { cents: card, mcc }, { cents: bank }).score).toBeCloseTo(score, 3);
  });

  test("a cleared purchase's amount is final and allows no difference", () => {
    const card = { cents: 5000, mcc: "5812", canSplit: false };
    expect(factor("Amount", card, { cents: 6000 }).score).toBe(0.2);
  });

  test("the hold is in the currency's major units", () => {
    const card = { cents: 1000, mcc: "5542", currency: "KWD" };
    expect(factor("Amount", card, { cents: 9500, currency: "KWD" }).score).toBe(0.6);
  });

  test("an authorization of 0 matches nothing", () => {
    expect(scoreOf(purchase({ cents: 0 }), posting()).score).toBe(0);
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
    const { score: given, diff } = factor("Date", {}, { day: daysLater(days) });
    expect({ given, diff }).toEqual({ given: score, diff: Math.abs(days) });
  });

  test.each([-3, 15])("%d days after the purchase is no match", (days) => {
    const { score, confidence } = scoreOf(purchase(), posting({ day: daysLater(days) }));
    expect({ score, confidence }).toEqual({ score: 0, confidence: null });
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
    "CARD PAYMENT 1234",
    "POS PURCHASE",
    "004512778812",
    "",
    "KARTENUMSATZ 04.03.25",
    "PAYPAL EUROPE S.A.R.L. ET CIE S.C.A",
    "COMPRA TARJ. 4321XXXXXXXX1234",
    "PAGAMENTO POS 04/03 PAYP",
  ])("%j names no merchant and is neutral", (description) => {
    expect(factor("Merchant", {}, { description })).toMatchObject({
      score: 0.5,
      message: "The bank's text names no merchant",
    });
  });
});

describe("the score", () => {
  test("is 0.50 amount + 0.20 date + 0.30 merchant, in steps of 0.0001 (MAT-02)", () => {
    const card = purchase({ cents: 10_000 });
    const bank = posting({ cents: 10_100, day: daysLater(3), description: "POS PURCHASE" });
    expect(scoreOf(card, bank)).toMatchObject({ score: 0.68, confidence: "MEDIUM" });
  });

  test("has the compared values in major units (MAT-03)", () => {
    const card = purchase({ cents: 21_000, day: "2025-03-11", descriptor: "HOTEL DU PARC LYON" });
    const bank = posting({ cents: 18_900, day: "2025-03-12", description: "CB 1103 PARC LYON" });
    expect(scoreOf(card, bank).factors).toEqual([
      {
        ...{ type: "Amount", score: 0.4, cardValue: 210, bankValue: 189, diff: 21 },
        message: "The amounts are far apart",
      },
      {
        ...{ type: "Date", score: 1, cardValue: "2025-03-11", bankValue: "2025-03-12", diff: 1 },
        message: "Posted on the day or the day after",
      },
      {
        ...{ type: "Merchant", cardValue: "HOTEL DU PARC LYON", bankValue: "CB 1103 PARC LYON" },
        ...{ score: expect.any(Number), diff: null, message: expect.stringContaining("names") },
      },
    ]);
  });

  test("has amounts of currencies with no and with three decimal places", () => {
    const yen = { cents: 4250, currency: "JPY" };
    const dinar = { cents: 4250, currency: "KWD" };
    expect(factor("Amount", yen, { ...yen, cents: 4251 })).toMatchObject({
      ...{ cardValue: 4250, bankValue: 4251, diff: 1 },
    });
    expect(factor("Amount", dinar, { ...dinar, cents: 4251 })).toMatchObject({
      ...{ cardValue: 4.25, bankValue: 4.251, diff: 0.001 },
    });
  });

  test("another currency is no match", () => {
    const { score, confidence, factors } = scoreOf(purchase(), posting({ currency: "USD" }));
    expect({ score, confidence }).toEqual({ score: 0, confidence: null });
    expect(factors[0]).toMatchObject({ score: 0, diff: null, message: "The currencies differ" });
  });

  test("a contradicting merchant never reaches HIGH", () => {
    const bank = posting({ description: "DOCKSIDE DINER" });
    expect(scoreOf(purchase(), bank)).toMatchObject({ score: 0.69, confidence: "MEDIUM" });
  });

  test("a contradicting merchant with another amount is not announced", () => {
    const bank = posting({ description: "DOCKSIDE DINER", cents: 4300 });
    expect(scoreOf(purchase(), bank)).toMatchObject({ score: 0.19, confidence: null });
  });

  test("an amount factor below 0.5 never reaches HIGH", () => {
    const bank = posting({ cents: 4480, merchantName: "Corner Cafe" });
    const { score, confidence, factors } = scoreOf(purchase(), bank);
    expect(factors.map((each) => each.score)).toEqual([0.4918, 1, 1]);
    expect({ score, confidence }).toEqual({ score: 0.69, confidence: "MEDIUM" });
  });

  test("an amount factor of 0 is no match, even with equal names", () => {
    expect(scoreOf(purchase(), posting({ cents: 9000 }))).toMatchObject({ score: 0 });
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
