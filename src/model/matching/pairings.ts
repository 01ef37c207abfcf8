import { confidenceOf } from "../transaction-match.ts";
import { Assignment, type Proposal } from "./assignment.ts";
import type { BankCandidate, CardCandidate, Pairing, Part, Score } from "./candidates.ts";
import { dateFactor, EARLIEST_DAYS, LATEST_DAYS } from "./factors.ts";
import { statesDay } from "./merchant-text.ts";
import { explained } from "./reasons.ts";
import { type PreparedBank, type PreparedCard, SAME_AMOUNT, Scorer, totalOf } from "./score.ts";
import { findSplits } from "./splits.ts";

/** The least merchant score of a part that names a merchant: equal sums alone are too common. */
const SAME_MERCHANT = 0.6;

/**
 * Added to the score: one debit of the exact amount ranks before several that add up to it, and
 * those rank before all others. Therefore an accidental sum never takes a debit from its purchase.
 */
const RANK_BASE = { exact: 20_000, split: 10_000, other: 0 } as const;

/**
 * Pairs purchases with their debits: one to one, or one to the 2 to 4 debits that add up to a
 * purchase that can split. A pair must beat its competitors by 0.05; ties stay unpaired.
 * Equal purchases of one merchant are paired with equal debits in order of their days.
 *
 * @param purchases unpaired purchases, in any order
 * @param postings unpaired debits of the same accounts, in any order
 * @returns the pairings to announce (MAT-02), sorted by the purchases' days and ids
 */
export function pairingsOf(
  purchases: readonly CardCandidate[],
  postings: readonly BankCandidate[],
): Pairing[] {
  return new MatchingRun(purchases, postings).pairings();
}

interface Prepared {
  readonly day: number;
  readonly candidate: { readonly id: string };
}

function byDay(a: Prepared, b: Prepared): number {
  if (a.day !== b.day || a === b) return a.day - b.day;
  return a.candidate.id < b.candidate.id ? -1 : 1;
}

/** Cleared parts come first: of two equal parts, a debit pays the cleared one. */
function clearedFirst(a: PreparedCard, b: PreparedCard): number {
  if (a.day !== b.day) return a.day - b.day;
  return Number(a.candidate.canSplit) - Number(b.candidate.canSplit) || byDay(a, b);
}

class MatchingRun {
  readonly #cards: readonly PreparedCard[];
  readonly #banks: readonly PreparedBank[];
  readonly #scorer = new Scorer();
  readonly #assignment = new Assignment();

  constructor(purchases: readonly CardCandidate[], postings: readonly BankCandidate[]) {
    this.#cards = purchases.map((side) => this.#scorer.card(side)).toSorted(clearedFirst);
    this.#banks = postings.map((side) => this.#scorer.bank(side)).toSorted(byDay);
  }

  pairings(): Pairing[] {
    const singles = this.#cards.flatMap((card) => this.#singlesOf(card));
    this.#assign(singles.filter(({ rank }) => rank >= RANK_BASE.exact));
    this.#assign([
      ...this.#cards.flatMap((card) => this.#splitsOf(card)),
      ...singles.filter(({ rank }) => rank < RANK_BASE.exact),
    ]);
    const winners = this.#assignment.assigned.toSorted((a, b) => clearedFirst(a.card, b.card));
    return winners.map((winner) => this.#pairingOf(winner));
  }

  #assign(proposals: readonly Proposal[]): void {
    this.#assignment.add(proposals);
    this.#assignment.assignWinners();
    this.#assignInterchangeable();
  }

  /**
   * Assigns tied purchases that are interchangeable, such as two coffees of the same price. Each
   * assignment gives the same sums, and without one they would never be matched.
   */
  #assignInterchangeable(): void {
    for (const card of this.#cards) {
      if (!this.#assignment.isFree(card)) continue;
      const ties = this.#assignment.tiesOf(card);
      if (!this.#areInterchangeable(ties)) continue;
      for (const pair of pairsOf(ties)) this.#assignment.assign(pair);
      this.#assignment.assignWinners();
    }
  }

  /** Whether all purchases are equal, and all debits. */
  #areInterchangeable(ties: readonly Proposal[]): boolean {
    const kinds = ties.map(({ card }) => {
      const { cents, currency, mcc } = card.candidate;
      return [cents, currency, mcc, this.#scorer.nameOf(card)].join("\u0000");
    });
    const amounts = ties.flatMap(({ banks }) => banks.map(({ cents }) => cents));
    return new Set(kinds).size === 1 && new Set(amounts).size === 1;
  }

  /** The debits whose day can belong to a purchase. */
  #window({ day }: PreparedCard): readonly PreparedBank[] {
    const from = firstAt(this.#banks, day + EARLIEST_DAYS);
    return this.#banks.slice(from, firstAt(this.#banks, day + LATEST_DAYS + 1));
  }

  #singlesOf(card: PreparedCard): Proposal[] {
    return this.#window(card).flatMap((bank) => {
      const amount = this.#scorer.amount(card, bank);
      if (amount === 0) return [];
      const merchant = this.#scorer.merchant(card, bank);
      const score = totalOf(amount, dateFactor(bank.day - card.day), merchant);
      const confidence = confidenceOf(score);
      if (confidence === null) return [];
      const isExact = amount >= SAME_AMOUNT && merchant >= SAME_MERCHANT && confidence === "HIGH";
      const first = isExact ? RANK_BASE.exact : RANK_BASE.other;
      return [{ card, banks: [bank], rank: first + pointsOf(score) }];
    });
  }

  /** Proposals of the debits that add up to a purchase. */
  #splitsOf(card: PreparedCard): Proposal[] {
    const { canSplit, cents, currency } = card.candidate;
    if (!canSplit || !this.#assignment.isFree(card)) return [];
    const smaller = this.#window(card).filter((bank) => {
      const isSmaller = bank.candidate.currency === currency && bank.cents < cents;
      return isSmaller && this.#assignment.isFree(bank);
    });
    const { named = [], unnamed = [] } = Object.groupBy(smaller, (bank) => {
      return this.#scorer.isNamed(card, bank) ? "named" : "unnamed";
    });
    const ofMerchant = named.filter((bank) => this.#scorer.merchant(card, bank) >= SAME_MERCHANT);
    return findSplits(cents, ofMerchant, unnamed).map((split) => {
      const banks = split.toSorted(byDay);
      const { score } = this.#sumScore(card, banks);
      return { card, banks, rank: RANK_BASE.split + pointsOf(score) };
    });
  }

  /** Scores a sum: by the day of its first debit, because later parts are late by nature. */
  #sumScore(card: PreparedCard, banks: readonly PreparedBank[]): Score {
    const [first] = banks as [PreparedBank];
    // By the name that is least similar.
    const merchants = banks.map((bank) => this.#scorer.merchant(card, bank));
    const odd = banks[merchants.indexOf(Math.min(...merchants))] as PreparedBank;
    const { description, merchantName } = odd.candidate;
    const cents = banks.reduce((sum, bank) => sum + bank.cents, 0);
    const candidate = { ...first.candidate, cents, description, merchantName };
    return explained(this.#scorer, card, { candidate, cents, day: first.day, text: odd.text });
  }

  #pairingOf({ card, banks }: Proposal): Pairing {
    const isSplit = banks.length > 1;
    const parts = banks.map((bank): Part => {
      // MAT-08: a debit is compared with its part, not with the whole.
      const cents = isSplit ? bank.cents : card.candidate.cents;
      const part = { ...card, candidate: { ...card.candidate, cents } };
      return { posting: bank.candidate, cents, score: explained(this.#scorer, part, bank) };
    });
    const [only] = parts as [Part];
    return {
      purchase: card.candidate,
      postings: parts.map(({ posting }) => posting),
      score: isSplit ? this.#sumScore(card, banks) : only.score,
      parts,
    };
  }
}

/** Pairs of purchases whose day is in the bank's text, then of the oldest remaining ones. */
function pairsOf(ties: readonly Proposal[]): Proposal[] {
  const sorted = ties.toSorted((a, b) => {
    return (
      byDay(a.banks[0] as PreparedBank, b.banks[0] as PreparedBank) || clearedFirst(a.card, b.card)
    );
  });
  const stated = sorted.filter(({ card, banks: [bank] }) => {
    return statesDay(bank?.candidate.description ?? "", card.candidate.day);
  });
  const taken = new Set<PreparedCard | PreparedBank>();
  return [...stated, ...sorted].filter(({ card, banks }) => {
    const sides = [card, ...banks];
    if (sides.some((side) => taken.has(side))) return false;
    for (const side of sides) taken.add(side);
    return true;
  });
}

/** The index of the first debit of a day or later. */
function firstAt(banks: readonly PreparedBank[], day: number): number {
  let [low, high] = [0, banks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((banks[middle] as PreparedBank).day < day) low = middle + 1;
    else high = middle;
  }
  return low;
}

function pointsOf(score: number): number {
  return Math.round(score * 10_000);
}
