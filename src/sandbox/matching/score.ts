import { amountOf, exponentOf } from "../money.ts";
import { allowanceOf, amountFactor, amountMessage } from "./amount-factor.ts";
import type { BankSide, CardSide, Confidence, Factor, Score } from "./candidates.ts";
import { dateFactor, dateMessage, dayNumber } from "./date-factor.ts";
import { CONTRADICTION, merchantFactor, merchantMessage, NEUTRAL } from "./merchant-factor.ts";
import { type MerchantText, merchantTextOf } from "./merchant-text.ts";

const WEIGHTS = { amount: 0.5, date: 0.2, merchant: 0.3 } as const;

/** MAT-02 */
const LIMITS = { HIGH: 0.7, MEDIUM: 0.5, LOW: 0.2 } as const;

/** Below this an amount never reaches HIGH. */
const FAR_AMOUNT = 0.5;
/** The most that a score is worth that something keeps from HIGH. */
const BELOW_HIGH = 0.69;

/** A purchase with what a run needs of it again and again. */
export interface PreparedCard {
  readonly side: CardSide;
  readonly day: number;
  readonly unit: number;
  readonly allowance: ReturnType<typeof allowanceOf>;
}

/** A debit with what a run needs of it again and again. */
export interface PreparedBank {
  readonly side: BankSide;
  readonly day: number;
}

export function preparedCard(side: CardSide): PreparedCard {
  // What is cleared has no tip to come.
  const allowance = side.canSplit ? allowanceOf(side.mcc) : null;
  return { side, day: dayNumber(side.day), unit: 10 ** exponentOf(side.currency), allowance };
}

export function preparedBank(side: BankSide): PreparedBank {
  return { side, day: dayNumber(side.day) };
}

/** Scores pairs; keeps what it has read of their texts as long as it lives: for one run. */
export class Scorer {
  readonly #texts = new Map<string, MerchantText | null>();
  readonly #merchants = new Map<string, number>();

  /** The amount's factor, 0 where these cannot belong together whatever the merchant. */
  amount(card: PreparedCard, bank: PreparedBank): number {
    if (card.side.currency !== bank.side.currency) return 0;
    if (dateFactor(bank.day - card.day) === 0) return 0;
    return amountFactor(card.side.cents, bank.side.cents, card.allowance, card.unit);
  }

  /** The merchant's factor. */
  merchant({ side: card }: PreparedCard, { side: bank }: PreparedBank): number {
    const texts = [card.descriptor, card.city, bank.description, bank.merchantName ?? ""];
    const key = texts.join("\u0000");
    let score = this.#merchants.get(key);
    if (score === undefined) {
      const [own, ...others] = this.#textsOf(card, bank);
      score = merchantFactor(own, ...others);
      this.#merchants.set(key, score);
    }
    return score;
  }

  /** Whether both sides name a merchant. */
  isNamed({ side: card }: PreparedCard, { side: bank }: PreparedBank): boolean {
    const [own, ...others] = this.#textsOf(card, bank);
    return own !== null && others.some((text) => text !== null);
  }

  /** A purchase's merchant as it is compared; "" where its text names none. */
  nameOf({ descriptor, city }: CardSide): string {
    return this.#text(descriptor, city)?.joined ?? "";
  }

  #textsOf(card: CardSide, bank: BankSide): [MerchantText | null, ...(MerchantText | null)[]] {
    const { city } = card;
    const own = this.#text(card.descriptor, city);
    return [own, this.#text(bank.description, city), this.#text(bank.merchantName ?? "", city)];
  }

  #text(text: string, city: string): MerchantText | null {
    const key = `${city}\u0000${text}`;
    let read = this.#texts.get(key);
    if (read === undefined) {
      read = merchantTextOf(text, city);
      this.#texts.set(key, read);
    }
    return read;
  }
}

/** The score of three factors; 0 where the amounts or the days rule a match out. */
export function totalOf(amount: number, date: number, merchant: number): number {
  if (amount === 0 || date === 0) return 0;
  const { amount: ofAmount, date: ofDate, merchant: ofMerchant } = WEIGHTS;
  const sum = ofAmount * amount + ofDate * date + ofMerchant * merchant;
  const isDoubtful = merchant < CONTRADICTION || amount < FAR_AMOUNT;
  return Math.round((isDoubtful ? Math.min(sum, BELOW_HIGH) : sum) * 10_000) / 10_000;
}

/** MAT-02: what a score is called; null for what is not announced. */
export function confidenceOf(score: number): Confidence | null {
  if (score >= LIMITS.HIGH) return "HIGH";
  if (score >= LIMITS.MEDIUM) return "MEDIUM";
  return score >= LIMITS.LOW ? "LOW" : null;
}

/** The score of a pair with the reasons that are told of it (MAT-03). */
export function explained(scorer: Scorer, card: PreparedCard, bank: PreparedBank): Score {
  const days = bank.day - card.day;
  const amount = scorer.amount(card, bank);
  const merchant = scorer.merchant(card, bank);
  const score = totalOf(amount, dateFactor(days), merchant);
  const factors = [
    amountReason(card, bank),
    dateReason(card.side.day, bank.side.day, days),
    merchantReason(card.side, bank.side, merchant, scorer.isNamed(card, bank)),
  ];
  return { score, confidence: confidenceOf(score), factors };
}

function amountReason({ side, unit, allowance }: PreparedCard, bank: PreparedBank): Factor {
  const { cents, currency } = bank.side;
  const isSameCurrency = currency === side.currency;
  const score = isSameCurrency ? amountFactor(side.cents, cents, allowance, unit) : 0;
  return {
    type: "Amount",
    score: rounded(score),
    cardValue: amountOf(side.cents, side.currency),
    bankValue: amountOf(cents, currency),
    diff: isSameCurrency ? amountOf(Math.abs(side.cents - cents), currency) : null,
    message: isSameCurrency
      ? amountMessage(score, side.cents === cents, allowance)
      : "The currencies differ",
  };
}

function dateReason(cardValue: string, bankValue: string, days: number): Factor {
  const score = rounded(dateFactor(days));
  const diff = Math.abs(days);
  return { type: "Date", score, cardValue, bankValue, diff, message: dateMessage(days) };
}

function merchantReason(card: CardSide, bank: BankSide, score: number, isNamed: boolean): Factor {
  return {
    type: "Merchant",
    score: rounded(score),
    cardValue: card.descriptor,
    bankValue: bank.merchantName ?? bank.description,
    diff: null,
    message: merchantMessage(isNamed ? score : NEUTRAL, isNamed),
  };
}

function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}

/**
 * Scores how likely a debit belongs to a purchase: 0.50 amount + 0.20 date + 0.30 merchant. A
 * merchant that contradicts, or an amount's factor below 0.5, never reaches HIGH; another
 * currency, a day outside of -2 to +14, or an amount's factor of 0 is no match: the score is 0.
 */
export function scoreOf(purchase: CardSide, posting: BankSide): Score {
  return explained(new Scorer(), preparedCard(purchase), preparedBank(posting));
}
