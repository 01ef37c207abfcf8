import type { BankSide, CardSide, Pairing, Part, Score } from "./candidates.ts";
import { type Contender, Contest } from "./contest.ts";
import { dateFactor, EARLIEST_DAYS, LATEST_DAYS } from "./date-factor.ts";
import { settleEqual } from "./interchangeable.ts";
import { explained } from "./score.ts";
import {
  confidenceOf,
  type PreparedBank,
  type PreparedCard,
  SAME_AMOUNT,
  Scorer,
  totalOf,
} from "./scorer.ts";
import { type PartialDebit, waysToSplit } from "./splits.ts";

/** A part that names a merchant has to name the purchase's: sums alone are found everywhere. */
const SAME_NAME = 0.6;

/**
 * What goes first, whatever its score: a debit of the very amount, then several that make it, then
 * whatever else is likely. So a sum that happens to fit never takes a debit from its own purchase.
 */
const FIRST = { exact: 20_000, split: 10_000, other: 0 } as const;

/**
 * Pairs purchases with the debits that they came to: one to one, or one to the 2 to 4 debits that
 * make the sum of a purchase that can split. Greedy: what beats all others of its purchase and its
 * debit by 0.05 is paired, and what ties is left alone; but equal purchases of one merchant are
 * paired with equal debits in order of their days, as whichever is whose makes no difference.
 *
 * @param purchases Of one or several accounts whose debits these are, each open: not paired yet.
 * @param postings Debits that are not paired yet. Neither list's order matters.
 * @returns The pairings that are announced (MAT-02), in order of the purchases' days and ids.
 */
export function pairingsOf(
  purchases: readonly CardSide[],
  postings: readonly BankSide[],
): Pairing[] {
  return new Run(purchases, postings).pairings();
}

interface Prepared {
  readonly day: number;
  readonly side: { readonly id: string };
}

function byDay(a: Prepared, b: Prepared): number {
  if (a.day !== b.day) return a.day - b.day;
  return a.side.id < b.side.id ? -1 : 1;
}

/** What is cleared comes before what is not: of two equal parts, a debit pays the cleared one. */
function clearedFirst(a: PreparedCard, b: PreparedCard): number {
  if (a.day !== b.day) return a.day - b.day;
  return Number(a.side.canSplit) - Number(b.side.canSplit) || byDay(a, b);
}

class Run {
  readonly #cards: readonly PreparedCard[];
  readonly #banks: readonly PreparedBank[];
  readonly #scorer = new Scorer();
  readonly #contest: Contest;

  constructor(purchases: readonly CardSide[], postings: readonly BankSide[]) {
    this.#cards = purchases.map((side) => this.#scorer.card(side)).toSorted(clearedFirst);
    this.#banks = postings.map((side) => this.#scorer.bank(side)).toSorted(byDay);
    this.#contest = new Contest(purchases.length, postings.length);
  }

  pairings(): Pairing[] {
    const singles = this.#cards.flatMap((_, card) => this.#singlesOf(card));
    this.#play(singles.filter(({ rank }) => rank >= FIRST.exact));
    this.#play([
      ...this.#cards.flatMap((_, card) => this.#splitsOf(card)),
      ...singles.filter(({ rank }) => rank < FIRST.exact),
    ]);
    const winners = this.#contest.winners.toSorted((a, b) => a.purchase - b.purchase);
    return winners.map((winner) => this.#pairingOf(winner));
  }

  #play(contenders: readonly Contender[]): void {
    this.#contest.enter(contenders);
    this.#contest.settle();
    settleEqual(this.#contest, this.#cards, this.#banks, this.#scorer);
  }

  /** The numbers of the debits that are in time for a purchase. */
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

  #singlesOf(purchase: number): Contender[] {
    const card = this.#cards[purchase] as PreparedCard;
    return this.#window(card).flatMap((posting) => {
      const bank = this.#banks[posting] as PreparedBank;
      const amount = this.#scorer.amount(card, bank);
      if (amount === 0) return [];
      const merchant = this.#scorer.merchant(card, bank);
      const score = totalOf(amount, dateFactor(bank.day - card.day), merchant);
      const confidence = confidenceOf(score);
      if (confidence === null) return [];
      const isExact = amount >= SAME_AMOUNT && merchant >= SAME_NAME && confidence === "HIGH";
      const first = isExact ? FIRST.exact : FIRST.other;
      return [{ purchase, postings: [posting], rank: first + pointsOf(score) }];
    });
  }

  #splitsOf(purchase: number): Contender[] {
    const card = this.#cards[purchase] as PreparedCard;
    if (!card.side.canSplit || !this.#contest.isPurchaseFree(purchase)) return [];
    const named: PartialDebit[] = [];
    const mute: PartialDebit[] = [];
    for (const posting of this.#window(card)) {
      const bank = this.#banks[posting] as PreparedBank;
      const { cents, currency } = bank.side;
      if (currency !== card.side.currency || cents >= card.side.cents) continue;
      if (!this.#contest.isPostingFree(posting)) continue;
      if (!this.#scorer.isNamed(card, bank)) mute.push({ posting, cents });
      else if (this.#scorer.merchant(card, bank) >= SAME_NAME) named.push({ posting, cents });
    }
    return waysToSplit(card.side.cents, named, mute).map((postings) => {
      const score = this.#sumScore(card, postings);
      return { purchase, postings, rank: FIRST.split + pointsOf(score.score) };
    });
  }

  /** Of the sum: its first debit's day, as later parcels are late by nature; its oddest name. */
  #sumScore(card: PreparedCard, postings: readonly number[]): Score {
    const banks = postings.map((posting) => this.#banks[posting] as PreparedBank);
    const [first] = banks as [PreparedBank];
    const names = banks.toSorted(
      (a, b) => this.#scorer.merchant(card, a) - this.#scorer.merchant(card, b),
    );
    const { side: odd, textKey } = names[0] as PreparedBank;
    const { description, merchantName } = odd;
    const cents = banks.reduce((sum, { side }) => sum + side.cents, 0);
    const side = { ...first.side, cents, description, merchantName };
    return explained(this.#scorer, card, { side, day: first.day, textKey });
  }

  #pairingOf({ purchase, postings }: Contender): Pairing {
    const card = this.#cards[purchase] as PreparedCard;
    const parts = postings.map((posting) => this.#partOf(card, posting, postings.length > 1));
    const [only] = parts as [Part];
    return {
      purchase: card.side,
      postings: parts.map(({ posting }) => posting),
      score: parts.length > 1 ? this.#sumScore(card, postings) : only.score,
      parts,
    };
  }

  #partOf(card: PreparedCard, at: number, isSplit: boolean): Part {
    const bank = this.#banks[at] as PreparedBank;
    const { cents } = bank.side;
    // MAT-08: a part is compared with its own leg, not with the whole.
    const leg = isSplit ? { ...card, side: { ...card.side, cents } } : card;
    return { posting: bank.side, cents: leg.side.cents, score: explained(this.#scorer, leg, bank) };
  }
}

function pointsOf(score: number): number {
  return Math.round(score * 10_000);
}
