import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BankCandidate, CardCandidate } from "../../../src/model/matching/candidates.ts";
import { pairingsOf } from "../../../src/model/matching/pairings.ts";
import { daysLater, posting, purchase, scoreOf } from "./candidates.ts";

/** Each purchase with its debits, by id, such as "p: b1 b2, q: b3". */
function pairs(purchases: readonly CardCandidate[], postings: readonly BankCandidate[]): string {
  const found = pairingsOf(purchases, postings).map(({ purchase: { id }, postings: debits }) => {
    return `${id}: ${debits.map((debit) => debit.id).join(" ")}`;
  });
  return found.join(", ");
}

const card = (id: string, given: Partial<CardCandidate> = {}) => purchase({ id, ...given });
const bank = (id: string, given: Partial<BankCandidate> = {}) => posting({ id, ...given });
const mute = (id: string, cents = 4250, days = 1) =>
  bank(id, { description: "CARD PAYMENT 1234", cents, day: daysLater(days) });
const named = (id: string, cents = 4250, days = 1) =>
  bank(id, { description: "CORNER CAFE", cents, day: daysLater(days) });

const p = card("p");
const diner = card("diner", { descriptor: "DOCKSIDE DINER" });
const ofDiner = { description: "DOCKSIDE DINER" };

describe("one to one", () => {
  test("pairs a purchase with its debit, with score and reasons", () => {
    const [debit, cents] = [bank("b"), 4250];
    const score = scoreOf(p, debit);
    const parts = [{ posting: debit, cents, score }];
    expect(pairingsOf([p], [debit])).toEqual([{ purchase: p, postings: [debit], score, parts }]);
  });

  test.each([
    ["no input", [], [], ""],
    ["no debits", [p], [], ""],
    ["no purchases", [], [bank("b")], ""],
    ["two debits: the better one", [p], [bank("other", { cents: 4400 }), bank("same")], "p: same"],
    ["two purchases: the better one", [diner, p], [bank("b")], "p: b"],
    // The scores are 0.8657 and 0.85.
    [
      "exact amount and name, similar score",
      [p],
      [named("near", 4290), named("b", 4250, 10)],
      "p: b",
    ],
    ["exact amount, no name", [p], [named("near", 4290), mute("b", 4250, 10)], "p: near"],
    ["a score below 0.20", [p], [bank("b", { ...ofDiner, cents: 4400, day: daysLater(14) })], ""],
    ["another currency", [p], [bank("b", { currency: "USD" })], ""],
    [
      "a currency without decimals",
      [card("p", { currency: "JPY" })],
      [bank("b", { currency: "JPY" })],
      "p: b",
    ],
  ])("of %s", (_what, purchases, debits, expected) => {
    expect(pairs(purchases, debits)).toBe(expected);
  });

  test.each([
    [-3, ""],
    [-2, "p: b"],
    [14, "p: b"],
    [15, ""],
  ])("of a debit %d days later", (days, expected) => {
    expect(pairs([p], [named("b", 4250, days)])).toBe(expected);
  });

  test("each currency is paired separately", () => {
    const currencies = ["EUR", "USD", "KWD"];
    const cards = currencies.map((currency) => card(`p${currency}`, { currency }));
    const banks = currencies.map((currency) => bank(`b${currency}`, { currency }));
    expect(pairs(cards, banks)).toBe("pEUR: bEUR, pKWD: bKWD, pUSD: bUSD");
  });
});

describe("ties", () => {
  test.each([
    ["two purchases within 0.05 of one debit", [p, diner], [mute("b")], ""],
    [
      "two debits within 0.05",
      [p],
      [bank("b", { day: daysLater(2) }), bank("near", { cents: 4251, day: daysLater(0) })],
      "",
    ],
    // Equal and within 0.5 %. Two days later, the score is 0.01 lower.
    ["a difference of 0.05 is no tie", [p], [mute("b"), mute("near", 4260)], "p: b"],
    ["a difference of 0.04", [p], [mute("b", 4250, 2), mute("near", 4260)], ""],
    [
      "the other purchase has a better debit",
      [p, diner],
      [mute("b"), bank("named", ofDiner)],
      "diner: named, p: b",
    ],
    [
      "a worse debit does not resolve it",
      [p, diner],
      [mute("b"), bank("worse", { cents: 4600 })],
      "",
    ],
  ])("%s", (_what, purchases, debits, expected) => {
    expect(pairs(purchases, debits)).toBe(expected);
  });
});

describe("interchangeable purchases", () => {
  const fare = { cents: 220, descriptor: "METRO DUBLIN", mcc: "4111" };
  const debit = { cents: 220, description: "METRO DUBLIN" };
  const rides = [0, 0, 1, 2].map((days, at) => card(`p${at}`, { ...fare, day: daysLater(days) }));
  const debits = [1, 1, 2, 3].map((days, at) => bank(`b${at}`, { ...debit, day: daysLater(days) }));
  const all = "p0: b0, p1: b1, p2: b2, p3: b3";
  const stated = [
    bank("late", { ...debit, day: daysLater(3), description: "CB 0403 METRO" }),
    bank("soon", { ...debit, day: daysLater(2), description: "CB 0503 METRO" }),
  ];

  test.each([
    ["with equally many debits, by date", rides, debits, all],
    ["with fewer debits, oldest first", rides, debits.slice(0, 2), "p0: b0, p1: b1"],
    ["with more debits, with the oldest", rides.slice(0, 2), debits, "p0: b0, p1: b1"],
    ["by the date in the bank's text", rides.slice(1, 3), stated, "p1: late, p2: soon"],
    [
      "but not after half a month",
      [card("old", { ...fare, day: daysLater(-9) }), ...rides],
      debits,
      all,
    ],
  ])("are paired %s", (_what, purchases, postings, expected) => {
    expect(pairs(purchases, postings)).toBe(expected);
  });
});

describe("splits", () => {
  const shop = { descriptor: "HAFEN ELEKTRO GMBH", mcc: "5732" };
  const order = card("p", { ...shop, cents: 30_000 });
  const part = (id: string, cents: number, days = 2, description = "HAFEN ELEKTRO") =>
    bank(id, { cents, day: daysLater(days), description });
  const [b1, b2] = [part("b1", 12_000), part("b2", 18_000)];
  const unnamed = (id: string, cents: number) => part(id, cents, 2, "CARD PAYMENT 1234");
  const parts = (...cents: number[]) => cents.map((each, at) => part(`b${at}`, each));

  test("debits that add up to a purchase are its parts, each with its score (MAT-08)", () => {
    const debits = [b1, part("b2", 18_000, 4)];
    const [found] = pairingsOf([order], debits);
    expect(found).toMatchObject({
      postings: debits,
      score: {
        score: 0.99,
        confidence: "HIGH",
        factors: [{ cardValue: 300, bankValue: 300, diff: 0 }, {}, {}],
      },
      parts: [
        {
          posting: { id: "b1" },
          cents: 12_000,
          score: { score: 0.99, factors: [{ score: 1, cardValue: 120, bankValue: 120 }, {}, {}] },
        },
        {
          posting: { id: "b2" },
          cents: 18_000,
          score: { score: 0.96, factors: [{ score: 1, cardValue: 180, bankValue: 180 }, {}, {}] },
        },
      ],
    });
  });

  test.each([
    ["4 debits", [order], parts(3000, 5000, 9000, 13_000), "p: b0 b1 b2 b3"],
    ["not 5 debits", [order], parts(5000, 9000, 13_000, 1000, 2000), ""],
    ["not a sum that differs by a cent", [order], parts(12_000, 18_001), ""],
    ["not of a cleared purchase", [{ ...order, canSplit: false }], [b1, b2], ""],
    ["not a debit of another merchant", [order], [b1, part("b2", 18_000, 2, "DOCKSIDE DINER")], ""],
    ["not a debit of another currency", [order], [b1, { ...b2, currency: "USD" }], ""],
    ["not a late debit", [order], [b1, part("b2", 18_000, 15)], ""],
    ["a debit without a name beside one with it", [order], [b1, unnamed("b2", 18_000)], "p: b1 b2"],
    ["not debits without a name", [order], [unnamed("b1", 12_000), unnamed("b2", 18_000)], ""],
    ["not debits that add up in two ways", [order], parts(12_000, 18_000, 11_000, 19_000), ""],
    [
      "not debits of whole purchases",
      [order, card("q", { ...shop, cents: 12_000 }), card("r", { ...shop, cents: 18_000 })],
      [b1, b2, part("b3", 30_000)],
      "p: b3, q: b1, r: b2",
    ],
    ["an exact sum, before a single similar debit", [order], parts(28_500, 1500), "p: b0 b1"],
  ])("are %s", (_what, purchases, debits, expected) => {
    expect(pairs(purchases, debits)).toBe(expected);
  });

  test("the name of a sum is that of the debit whose name is least similar", () => {
    const scores = [b2, unnamed("b2", 18_000)].map((second) => {
      return pairingsOf([order], [b1, second])[0]?.score.score;
    });
    expect(scores).toEqual([0.99, 0.84]);
  });

  test("hundreds of purchases and debits of one merchant finish in time", () => {
    const orders = Array.from({ length: 300 }, (_, at) =>
      card(`p${at}`, { ...shop, cents: 50_000 + 7919 * at }),
    );
    const debits = Array.from({ length: 400 }, (_, at) => part(`b${at}`, 1000 + 613 * at));
    expect(pairingsOf(orders, debits).every(({ postings }) => postings.length <= 4)).toBe(true);
  });
});

describe("random feeds", () => {
  const common = {
    cents: fc.constantFrom(220, 4250, 4251, 4400, 8500, 12_750),
    day: fc.integer({ min: -3, max: 16 }).map(daysLater),
    currency: fc.constantFrom("EUR", "EUR", "EUR", "USD"),
  };
  const name = fc.constantFrom(
    "CORNER CAFE",
    "SQ *CORNER CAFE",
    "DOCKSIDE DINER",
    "CARD PAYMENT 1",
  );
  const cards = fc
    .array(fc.record({ ...common, descriptor: name, canSplit: fc.boolean() }), { maxLength: 14 })
    .map((all) => all.map((given, at) => card(`p${at}`, given)));
  const banks = fc
    .array(fc.record({ ...common, description: name }), { maxLength: 14 })
    .map((all) => all.map((given, at) => bank(`b${at}`, given)));
  const shuffled = <T>(all: fc.Arbitrary<T[]>) =>
    all.chain((one) =>
      fc.tuple(fc.constant(one), fc.shuffledSubarray(one, { minLength: one.length })),
    );

  test("the input order does not matter", () => {
    fc.assert(
      fc.property(
        shuffled(cards),
        shuffled(banks),
        ([purchases, others], [debits, otherDebits]) => {
          expect(pairingsOf(others, otherDebits)).toEqual(pairingsOf(purchases, debits));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("each purchase and debit is paired at most once, with the score of the pair", () => {
    fc.assert(
      fc.property(cards, banks, (purchases, postings) => {
        const found = pairingsOf(purchases, postings);
        const paired = found.flatMap((pairing) => [pairing.purchase, ...pairing.postings]);
        expect(new Set(paired).size).toBe(paired.length);
        for (const { purchase: of, postings: debits, score, parts } of found) {
          expect([score, ...parts.map((part) => part.score)]).not.toContainEqual(
            expect.objectContaining({ confidence: null }),
          );
          if (debits.length === 1) expect(score).toEqual(scoreOf(of, debits[0] as BankCandidate));
          else {
            expect(of.canSplit && debits.length <= 4).toBe(true);
            expect(parts.reduce((sum, part) => sum + part.cents, 0)).toBe(of.cents);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
