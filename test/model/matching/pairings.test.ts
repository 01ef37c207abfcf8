import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type {
  BankCandidate,
  CardCandidate,
  Pairing,
} from "../../../src/model/matching/candidates.ts";
import { pairingsOf } from "../../../src/model/matching/pairings.ts";
import { daysLater, posting, purchase, scoreOf } from "./candidates.ts";

/** The debits of each purchase, by id. */
function pairs(purchases: readonly CardCandidate[], postings: readonly BankCandidate[]): string[] {
  return pairingsOf(purchases, postings).map(
    (pairing) => `${pairing.purchase.id}: ${pairing.postings.map(({ id }) => id).join(" ")}`,
  );
}

const card = (id: string, given: Partial<CardCandidate> = {}) => purchase({ id, ...given });
const bank = (id: string, given: Partial<BankCandidate> = {}) => posting({ id, ...given });

describe("one to one", () => {
  test("pairs a purchase with its debit, with score and reasons", () => {
    const [one, debit] = [card("p"), bank("b")];
    const score = scoreOf(one, debit);
    expect(pairingsOf([one], [debit])).toEqual([
      { purchase: one, postings: [debit], score, parts: [{ posting: debit, cents: 4250, score }] },
    ]);
  });

  test("of no input is empty", () => {
    expect(pairingsOf([], [])).toEqual([]);
    expect(pairingsOf([card("p")], [])).toEqual([]);
    expect(pairingsOf([], [bank("b")])).toEqual([]);
  });

  test("takes the better debit and leaves the other", () => {
    const other = bank("other", { cents: 4400 });
    expect(pairs([card("p")], [other, bank("same")])).toEqual(["p: same"]);
  });

  test("takes the better purchase and leaves the other", () => {
    const other = card("other", { descriptor: "DOCKSIDE DINER" });
    expect(pairs([other, card("p")], [bank("b")])).toEqual(["p: b"]);
  });

  test("an exact amount and name take precedence over a similar score", () => {
    const named = { description: "CORNER CAFE" };
    const late = bank("late", { ...named, day: daysLater(10) });
    const near = bank("near", { ...named, cents: 4290 });
    expect([late, near].map((debit) => scoreOf(card("p"), debit).score)).toEqual([0.8657, 0.85]);
    expect(pairs([card("p")], [near, late])).toEqual(["p: late"]);
  });

  test("an exact amount without a name has no precedence", () => {
    const late = bank("late", { description: "CARD PAYMENT 1234", day: daysLater(10) });
    const near = bank("near", { description: "CORNER CAFE", cents: 4290 });
    expect(pairs([card("p")], [near, late])).toEqual(["p: near"]);
  });

  test("a score below 0.20 is not announced (MAT-02)", () => {
    const far = bank("b", { description: "DOCKSIDE DINER", cents: 4400, day: daysLater(14) });
    expect(pairs([card("p")], [far])).toEqual([]);
  });

  test("another currency is no match", () => {
    expect(pairs([card("p")], [bank("b", { currency: "USD" })])).toEqual([]);
  });

  test.each([
    ["EUR", 4250],
    ["JPY", 4250],
    ["KWD", 42_500],
  ])("pairs purchases of %s", (currency, cents) => {
    const given = { currency, cents };
    expect(pairs([card("p", given)], [bank("b", given)])).toEqual(["p: b"]);
  });

  test("each currency is paired separately", () => {
    const currencies = ["EUR", "USD", "GBP"];
    expect(
      pairs(
        currencies.map((currency) => card(`p${currency}`, { currency })),
        currencies.map((currency) => bank(`b${currency}`, { currency })),
      ),
    ).toEqual(["pEUR: bEUR", "pGBP: bGBP", "pUSD: bUSD"]);
  });
});

describe("ties", () => {
  const mute = { description: "CARD PAYMENT 1234" };

  test("two purchases within 0.05 of one debit are not paired", () => {
    const others = [card("cafe"), card("diner", { descriptor: "DOCKSIDE DINER" })];
    expect(pairs(others, [bank("b", mute)])).toEqual([]);
  });

  test("two different debits within 0.05 of one purchase are not paired", () => {
    const debits = [bank("same"), bank("near", { cents: 4251, day: "2025-03-04" })];
    const late = { day: daysLater(2) };
    expect(pairs([card("p")], [bank("same", late), debits[1] as BankCandidate])).toEqual([]);
    expect(pairs([card("p")], debits)).toEqual(["p: same"]);
  });

  test("a difference of 0.05 is not a tie", () => {
    // Equal and within 0.5 %: a difference of 0.05.
    const debits = [bank("same", mute), bank("near", { ...mute, cents: 4260 })];
    expect(pairs([card("p")], debits)).toEqual(["p: same"]);
    // Two days later, the score is 0.01 lower.
    const late = [bank("same", { ...mute, day: daysLater(2) }), debits[1] as BankCandidate];
    expect(pairs([card("p")], late)).toEqual([]);
  });

  test("a tie ends when the other purchase has a better debit", () => {
    const [cafe, diner] = [card("cafe"), card("diner", { descriptor: "DOCKSIDE DINER" })];
    const named = bank("named", { description: "DOCKSIDE DINER" });
    expect(pairs([cafe, diner], [bank("mute", mute), named])).toEqual([
      "cafe: mute",
      "diner: named",
    ]);
  });

  test("a tie does not fall back to a worse match", () => {
    const others = [card("cafe"), card("diner", { descriptor: "DOCKSIDE DINER" })];
    const worse = bank("worse", { cents: 4600 });
    expect(pairs(others, [bank("b", mute), worse])).toEqual([]);
  });
});

describe("interchangeable purchases", () => {
  const fare = { cents: 220, descriptor: "METRO DUBLIN", mcc: "4111" };
  const debit = { cents: 220, description: "METRO DUBLIN" };
  const rides = [0, 0, 1, 2].map((days, at) => card(`p${at}`, { ...fare, day: daysLater(days) }));
  const debits = [1, 1, 2, 3].map((days, at) => bank(`b${at}`, { ...debit, day: daysLater(days) }));

  test("are paired with equally many debits by date", () => {
    expect(pairs(rides, debits)).toEqual(["p0: b0", "p1: b1", "p2: b2", "p3: b3"]);
  });

  test("with fewer debits are paired oldest first", () => {
    expect(pairs(rides, debits.slice(0, 2))).toEqual(["p0: b0", "p1: b1"]);
  });

  test("with more debits are paired with the oldest", () => {
    expect(pairs(rides.slice(0, 2), debits)).toEqual(["p0: b0", "p1: b1"]);
  });

  test("are paired by the date in the bank's text", () => {
    const stated = [
      bank("late", { ...debit, day: daysLater(3), description: "CB 0403 METRO" }),
      bank("soon", { ...debit, day: daysLater(2), description: "CB 0503 METRO" }),
    ];
    const two = [rides[1], rides[2]] as CardCandidate[];
    expect(pairs(two, stated)).toEqual(["p1: late", "p2: soon"]);
  });

  test("an old fare of half a month is not paired", () => {
    const old = card("old", { ...fare, day: daysLater(-9) });
    expect(pairs([old, ...rides], debits)).toEqual(["p0: b0", "p1: b1", "p2: b2", "p3: b3"]);
  });
});

describe("splits", () => {
  const order = card("p", { cents: 30_000, descriptor: "HAFEN ELEKTRO GMBH", mcc: "5732" });
  const part = (id: string, cents: number, day = 2, description = "HAFEN ELEKTRO") =>
    bank(id, { cents, day: daysLater(day), description });

  test("debits that add up to a purchase are its parts, each with its score (MAT-08)", () => {
    const debits = [part("b1", 12_000, 2), part("b2", 18_000, 4)];
    const [pairing] = pairingsOf([order], debits) as [Pairing];
    expect(pairing.postings).toEqual(debits);
    expect(pairing.score).toMatchObject({ score: 0.99, confidence: "HIGH" });
    expect(pairing.score.factors[0]).toMatchObject({ cardValue: 300, bankValue: 300, diff: 0 });
    expect(
      pairing.parts.map(({ posting: { id }, cents, score }) => [id, cents, score.score]),
    ).toEqual([
      ["b1", 12_000, 0.99],
      ["b2", 18_000, 0.96],
    ]);
    const amounts = pairing.parts.map(({ score }) => score.factors[0]);
    expect(amounts).toMatchObject([
      { score: 1, cardValue: 120, bankValue: 120 },
      { score: 1, cardValue: 180, bankValue: 180 },
    ]);
  });

  test("4 debits are parts, 5 are not", () => {
    const sums = [3000, 5000, 9000, 13_000];
    const four = sums.map((cents, at) => part(`b${at}`, cents));
    expect(pairs([order], four)).toEqual(["p: b0 b1 b2 b3"]);
    const five = [...sums.slice(1), 1000, 2000].map((cents, at) => part(`b${at}`, cents));
    expect(pairs([order], five)).toEqual([]);
  });

  test("a sum that differs by a cent is not a split", () => {
    expect(pairs([order], [part("b1", 12_000), part("b2", 18_001)])).toEqual([]);
  });

  test("a cleared purchase has no parts", () => {
    const cleared = { ...order, canSplit: false };
    expect(pairs([cleared], [part("b1", 12_000), part("b2", 18_000)])).toEqual([]);
  });

  test("a debit of another merchant, currency or time is not a part", () => {
    const first = part("b1", 12_000);
    const cent = { cents: 18_000 };
    for (const other of [
      part("b2", 18_000, 2, "DOCKSIDE DINER"),
      { ...part("b2", 18_000), currency: "USD" },
      part("b2", 18_000, 15),
    ]) {
      expect(other).toMatchObject(cent);
      expect(pairs([order], [first, other])).toEqual([]);
    }
  });

  test("a part without a name needs one with a name", () => {
    const mute = (id: string, cents: number) => part(id, cents, 2, "CARD PAYMENT 1234");
    expect(pairs([order], [part("b1", 12_000), mute("b2", 18_000)])).toEqual(["p: b1 b2"]);
    expect(pairs([order], [mute("b1", 12_000), mute("b2", 18_000)])).toEqual([]);
  });

  test("two possible splits are not paired", () => {
    const debits = [part("b1", 12_000), part("b2", 18_000), part("b3", 11_000), part("b4", 19_000)];
    expect(pairs([order], debits)).toEqual([]);
  });

  test("debits that are whole purchases are not parts", () => {
    const small = [
      card("p1", { ...order, id: "p1", cents: 12_000 }),
      card("p2", { ...order, id: "p2", cents: 18_000 }),
    ];
    const debits = [part("b1", 12_000), part("b2", 18_000), part("b3", 30_000)];
    expect(pairs([order, ...small], debits)).toEqual(["p: b3", "p1: b1", "p2: b2"]);
  });

  test("an exact sum takes precedence over a single similar debit", () => {
    const debits = [part("b1", 28_500), part("b2", 1500)];
    expect(pairs([order], debits)).toEqual(["p: b1 b2"]);
  });

  test("hundreds of purchases and debits of one merchant finish in time", () => {
    const orders = Array.from({ length: 300 }, (_, at) =>
      card(`p${at}`, { ...order, id: `p${at}`, cents: 50_000 + 7919 * at }),
    );
    const debits = Array.from({ length: 400 }, (_, at) => part(`b${at}`, 1000 + 613 * at));
    const found = pairingsOf(orders, debits);
    expect(found.every(({ postings }) => postings.length <= 4)).toBe(true);
  });
});

describe("random feeds", () => {
  const cents = fc.constantFrom(220, 4250, 4251, 4400, 8500, 12_750);
  const day = fc.integer({ min: -3, max: 16 }).map(daysLater);
  const name = fc.constantFrom(
    "CORNER CAFE",
    "SQ *CORNER CAFE",
    "DOCKSIDE DINER",
    "CARD PAYMENT 1",
  );
  const currency = fc.constantFrom("EUR", "EUR", "EUR", "USD");
  const feed = fc.record({
    purchases: fc.array(
      fc.record({ cents, day, currency, descriptor: name, canSplit: fc.boolean() }),
      { maxLength: 14 },
    ),
    postings: fc.array(fc.record({ cents, day, currency, description: name }), { maxLength: 14 }),
  });
  const sides = feed.map(({ purchases, postings }) => ({
    cards: purchases.map((given, at) => card(`p${at}`, given)),
    banks: postings.map((given, at) => bank(`b${at}`, given)),
  }));

  test("the input order does not matter", () => {
    const shuffled = sides.chain(({ cards, banks }) =>
      fc.record({
        cards: fc.constant(cards),
        banks: fc.constant(banks),
        otherCards: fc.shuffledSubarray(cards, { minLength: cards.length }),
        otherBanks: fc.shuffledSubarray(banks, { minLength: banks.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ cards, banks, otherCards, otherBanks }) => {
        expect(pairingsOf(otherCards, otherBanks)).toEqual(pairingsOf(cards, banks));
      }),
      { numRuns: 500 },
    );
  });

  test("each purchase and debit is paired at most once", () => {
    fc.assert(
      fc.property(sides, ({ cards, banks }) => {
        const found = pairingsOf(cards, banks);
        const purchases = found.map((pairing) => pairing.purchase.id);
        const postings = found.flatMap((pairing) => pairing.postings.map(({ id }) => id));
        expect(new Set(purchases).size).toBe(purchases.length);
        expect(new Set(postings).size).toBe(postings.length);
        for (const { purchase: of, postings: debits, score, parts } of found) {
          expect(score.confidence).not.toBeNull();
          expect(parts.every((part) => part.score.confidence !== null)).toBe(true);
          if (debits.length === 1) continue;
          expect(of.canSplit && debits.length <= 4).toBe(true);
          expect(parts.reduce((sum, part) => sum + part.cents, 0)).toBe(of.cents);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("a pairing has the score of scoreOf", () => {
    fc.assert(
      fc.property(sides, ({ cards, banks }) => {
        for (const { purchase: of, postings: debits, score } of pairingsOf(cards, banks)) {
          if (debits.length === 1) expect(score).toEqual(scoreOf(of, debits[0] as BankCandidate));
        }
      }),
    );
  });
});
