import { confidenceOf } from "../transaction-match.ts";
import { Assignment, type Proposal } from "./assignment.ts";
import type { BankCandidate, CardCandidate, Pairing, Part, Score } from "./candidates.ts";
import { dateFactor, EARLIEST_DAYS, LATEST_DAYS } from "./factors.ts";
import { statesDay } from "./merchant-text.ts";
import { type PreparedBank, type PreparedCard, SAME_AMOUNT, Scorer, totalOf } from "./score.ts";
import { findSplits, type PartialDebit } from "./splits.ts";

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
  if (a.day !== b.day) return a.day - b.day;
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
  readonly #assignment: Assignment;

  constructor(purchases: readonly CardCandidate[], postings: readonly BankCandidate[]) {
    this.#cards = purchases.map((side) => this.#scorer.card(side)).toSorted(clearedFirst);
    this.#banks = postings.map((side) => this.#scorer.bank(side)).toSorted(byDay);
    this.#assignment = new Assignment(purchases.length, postings.length);
  }

  pairings(): Pairing[] {
    const singles = this.#cards.flatMap((_, card) => this.#singlesOf(card));
    this.#assign(singles.filter(({ rank }) => rank >= RANK_BASE.exact));
    this.#assign([
      ...this.#cards.flatMap((_, card) => this.#splitsOf(card)),
      ...singles.filter(({ rank }) => rank < RANK_BASE.exact),
    ]);
    const winners = this.#assignment.assigned.toSorted((a, b) => a.purchase - b.purchase);
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
    for (const purchase of this.#cards.keys()) {
      if (!this.#assignment.isPurchaseFree(purchase)) continue;
      const ties = this.#assignment.tiesOf(purchase);
      if (!this.#areInterchangeable(ties)) continue;
      for (const pair of this.#pairsOf(ties)) this.#assignment.assign(pair);
      this.#assignment.assignWinners();
    }
  }

  /** Whether all purchases are equal, and all debits. */
  #areInterchangeable(ties: readonly Proposal[]): boolean {
    const kinds = new Set<string>();
    const amounts = new Set<number | undefined>();
    for (const { purchase, postings } of ties) {
      const card = this.#cards[purchase] as PreparedCard;
      const { cents, currency, mcc } = card.candidate;
      kinds.add([cents, currency, mcc, this.#scorer.nameOf(card)].join("\u0000"));
      for (const posting of postings) amounts.add(this.#banks[posting]?.candidate.cents);
    }
    return kinds.size === 1 && amounts.size === 1;
  }

  /** Pairs of purchases whose day is in the bank's text, then of the oldest remaining ones. */
  #pairsOf(ties: readonly Proposal[]): Proposal[] {
    const postingOf = ({ postings }: Proposal) => postings[0] as number;
    // The indexes are in order of the days.
    const byDay = ties.toSorted((a, b) => postingOf(a) - postingOf(b) || a.purchase - b.purchase);
    const stated = byDay.filter((tie) => {
      const { description } = (this.#banks[postingOf(tie)] as PreparedBank).candidate;
      return statesDay(description, (this.#cards[tie.purchase] as PreparedCard).candidate.day);
    });
    const taken = new Set<string>();
    return [...stated, ...byDay].filter(({ purchase, postings }) => {
      const sides = [`p${purchase}`, `b${postings}`];
      if (sides.some((side) => taken.has(side))) return false;
      for (const side of sides) taken.add(side);
      return true;
    });
  }

  /** The indexes of the debits whose day can belong to a purchase. */
  #window({ day }: PreparedCard): number[] {
    const banks = this.#banks;
    let [low, high] = [0, banks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((banks[middle] as PreparedBank).day < day + EARLIEST_DAYS) low = middle + 1;
      else high = middle;
    }
    const found: number[] = [];
    for (let at = low; (banks[at]?.day ?? Number.POSITIVE_INFINITY) <= day + LATEST_DAYS; at += 1) {
      found.push(at);
    }
    return found;
  }

  #singlesOf(purchase: number): Proposal[] {
    const card = this.#cards[purchase] as PreparedCard;
    return this.#window(card).flatMap((posting) => {
      const bank = this.#banks[posting] as PreparedBank;
      const amount = this.#scorer.amount(card, bank);
      if (amount === 0) return [];
      const merchant = this.#scorer.merchant(card, bank);
      const score = totalOf(amount, dateFactor(bank.day - card.day), merchant);
      const confidence = confidenceOf(score);
      if (confidence === null) return [];
      const isExact = amount >= SAME_AMOUNT && merchant >= SAME_MERCHANT && confidence === "HIGH";
      const first = isExact ? RANK_BASE.exact : RANK_BASE.other;
      return [{ purchase, postings: [posting], rank: first + pointsOf(score) }];
    });
  }

  #splitsOf(purchase: number): Proposal[] {
    const card = this.#cards[purchase] as PreparedCard;
    if (!card.candidate.canSplit || !this.#assignment.isPurchaseFree(purchase)) return [];
    const named: PartialDebit[] = [];
    const unnamed: PartialDebit[] = [];
    for (const posting of this.#window(card)) {
      const bank = this.#banks[posting] as PreparedBank;
      const { cents, currency } = bank.candidate;
      if (currency !== card.candidate.currency || cents >= card.candidate.cents) continue;
      if (!this.#assignment.isPostingFree(posting)) continue;
      if (!this.#scorer.isNamed(card, bank)) unnamed.push({ posting, cents });
      else if (this.#scorer.merchant(card, bank) >= SAME_MERCHANT) named.push({ posting, cents });
    }
    return findSplits(card.candidate.cents, named, unnamed).map((postings) => {
      const score = this.#sumScore(card, postings);
      return { purchase, postings, rank: RANK_BASE.split + pointsOf(score.score) };
    });
  }

  /** Scores a sum: by the day of its first debit, because later parts are late by nature. */
  #sumScore(card: PreparedCard, postings: readonly number[]): Score {
    const banks = postings.map((posting) => this.#banks[posting] as PreparedBank);
    const [first] = banks as [PreparedBank];
    const names = banks.toSorted(
      (a, b) => this.#scorer.merchant(card, a) - this.#scorer.merchant(card, b),
    );
    const { candidate: odd, text } = names[0] as PreparedBank;
    const { description, merchantName } = odd;
    const cents = banks.reduce((sum, { candidate: side }) => sum + side.cents, 0);
    const candidate = { ...first.candidate, cents, description, merchantName };
    return this.#scorer.score(card, { candidate, day: first.day, text });
  }

  #pairingOf({ purchase, postings }: Proposal): Pairing {
    const card = this.#cards[purchase] as PreparedCard;
    const parts = postings.map((posting) => this.#partOf(card, posting, postings.length > 1));
    const [only] = parts as [Part];
    return {
      purchase: card.candidate,
      postings: parts.map(({ posting }) => posting),
      score: parts.length > 1 ? this.#sumScore(card, postings) : only.score,
      parts,
    };
  }

  #partOf(card: PreparedCard, at: number, isSplit: boolean): Part {
    const bank = this.#banks[at] as PreparedBank;
    const { cents } = bank.candidate;
    // MAT-08: a debit is compared with its part, not with the whole.
    const leg = isSplit ? { ...card, candidate: { ...card.candidate, cents } } : card;
    return {
      posting: bank.candidate,
      cents: leg.candidate.cents,
      score: this.#scorer.score(leg, bank),
    };
  }
}

function pointsOf(score: number): number {
  return Math.round(score * 10_000);
}
