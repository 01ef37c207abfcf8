import { confidenceOf } from "../transaction-match.ts";
import { Assignment, type Proposal } from "./assignment.ts";
import type { BankCandidate, CardCandidate, Pairing, Part, Score } from "./candidates.ts";
import { dateFactor, EARLIEST_DAYS, LATEST_DAYS } from "./date-factor.ts";
import { assignInterchangeable } from "./interchangeable.ts";
import { explained } from "./score.ts";
import { type PreparedBank, type PreparedCard, SAME_AMOUNT, Scorer, totalOf } from "./scorer.ts";
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
    assignInterchangeable(this.#assignment, this.#cards, this.#banks, this.#scorer);
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
    const { candidate: odd, textKey } = names[0] as PreparedBank;
    const { description, merchantName } = odd;
    const cents = banks.reduce((sum, { candidate: side }) => sum + side.cents, 0);
    const side = { ...first.candidate, cents, description, merchantName };
    return explained(this.#scorer, card, { candidate: side, day: first.day, textKey });
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
      score: explained(this.#scorer, leg, bank),
    };
  }
}

function pointsOf(score: number): number {
  return Math.round(score * 10_000);
}
